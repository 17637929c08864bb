#include "daemon/queue/exclusive_slot.h"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

namespace benchd {
namespace {

class ExclusiveSlotTest : public testing::Test {
 protected:
  ExclusiveSlot::Turn Acquire(const std::string& name) {
    return slot_.Acquire([this, name] { begun_.push_back(name); });
  }

  using Names = std::vector<std::string>;
  asio::io_context loop_;
  Signal changed_{loop_.get_executor()};
  ExclusiveSlot slot_{changed_, 2};
  Names begun_;
};

TEST_F(ExclusiveSlotTest, OneAfterTheOtherInTheOrderOfAsking) {
  std::optional<ExclusiveSlot::Turn> first = Acquire("first");
  std::optional<ExclusiveSlot::Turn> second = Acquire("second");
  EXPECT_TRUE(slot_.BeginNext(false));
  EXPECT_TRUE(slot_.busy());
  EXPECT_FALSE(slot_.BeginNext(false)) << "the first is still running";
  EXPECT_EQ(begun_, (Names{"first"}));
  first.reset();
  EXPECT_FALSE(slot_.busy());
  EXPECT_TRUE(slot_.BeginNext(false));
  EXPECT_EQ(begun_, (Names{"first", "second"}));
  second.reset();
  EXPECT_FALSE(slot_.BeginNext(false));
}

TEST_F(ExclusiveSlotTest, ASessionThatWaitsGoesFirst) {
  const ExclusiveSlot::Turn turn = Acquire("side work");
  EXPECT_FALSE(slot_.BeginNext(true));
  EXPECT_TRUE(begun_.empty());
}

TEST_F(ExclusiveSlotTest, AfterASessionThoseWhoWaitedGoBeforeTheNext) {
  std::optional<ExclusiveSlot::Turn> first = Acquire("first");
  std::optional<ExclusiveSlot::Turn> second = Acquire("second");
  slot_.SessionEnded();
  const ExclusiveSlot::Turn late = Acquire("late");
  EXPECT_TRUE(slot_.BeginNext(true));
  first.reset();
  EXPECT_TRUE(slot_.BeginNext(true));
  second.reset();
  EXPECT_FALSE(slot_.BeginNext(true)) << "came after the session";
  EXPECT_EQ(begun_, (Names{"first", "second"}));
  slot_.SessionEnded();
  EXPECT_TRUE(slot_.BeginNext(true));
  EXPECT_EQ(begun_.back(), "late");
}

TEST_F(ExclusiveSlotTest, BetweenTwoSessionsComeSoManyAndNoMore) {
  std::vector<ExclusiveSlot::Turn> turns;
  for (const char* name : {"a", "b", "c"}) turns.push_back(Acquire(name));
  slot_.SessionEnded();
  EXPECT_TRUE(slot_.BeginNext(true));
  turns.erase(turns.begin());
  EXPECT_TRUE(slot_.BeginNext(true));
  turns.erase(turns.begin());
  EXPECT_FALSE(slot_.BeginNext(true)) << "the session's turn";
  slot_.SessionEnded();
  EXPECT_TRUE(slot_.BeginNext(true));
  EXPECT_EQ(begun_, (Names{"a", "b", "c"}));
}

TEST_F(ExclusiveSlotTest, WhoGoesAwayLeavesNoPlaceToOthers) {
  std::optional<ExclusiveSlot::Turn> first = Acquire("first");
  slot_.SessionEnded();
  first.reset();
  const ExclusiveSlot::Turn late = Acquire("late");
  EXPECT_FALSE(slot_.BeginNext(true));
  EXPECT_EQ(slot_.waiting(), 1U);
}

TEST_F(ExclusiveSlotTest, ATurnMayBeGivenUpAsItBegins) {
  std::optional<ExclusiveSlot::Turn> turn;
  turn = slot_.Acquire([&turn] { turn.reset(); });
  EXPECT_TRUE(slot_.BeginNext(false));
  EXPECT_FALSE(slot_.busy());
}

TEST_F(ExclusiveSlotTest, AMovedTurnIsStillOne) {
  ExclusiveSlot::Turn first = Acquire("first");
  ExclusiveSlot::Turn moved = std::move(first);
  EXPECT_EQ(slot_.waiting(), 1U);
  moved = Acquire("second");
  EXPECT_EQ(slot_.waiting(), 1U) << "the first was abandoned";
}

}  // namespace
}  // namespace benchd
