#include "daemon/queue/side_turns.h"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

namespace benchd {
namespace {

class SideTurnsTest : public testing::Test {
 protected:
  SideTurns::Turn Ask(const std::string& name) {
    return turns_.Ask([this, name] { begun_.push_back(name); });
  }

  using Names = std::vector<std::string>;
  asio::io_context loop_;
  Signal changed_{loop_.get_executor()};
  SideTurns turns_{changed_};
  Names begun_;
};

TEST_F(SideTurnsTest, OneAfterTheOtherInTheOrderOfAsking) {
  std::optional<SideTurns::Turn> first = Ask("first");
  std::optional<SideTurns::Turn> second = Ask("second");
  EXPECT_TRUE(turns_.BeginNext(false));
  EXPECT_TRUE(turns_.busy());
  EXPECT_FALSE(turns_.BeginNext(false)) << "the first is not done";
  EXPECT_EQ(begun_, (Names{"first"}));
  first.reset();
  EXPECT_FALSE(turns_.busy());
  EXPECT_TRUE(turns_.BeginNext(false));
  EXPECT_EQ(begun_, (Names{"first", "second"}));
  second.reset();
  EXPECT_FALSE(turns_.BeginNext(false));
}

TEST_F(SideTurnsTest, ASessionThatWaitsGoesFirst) {
  const SideTurns::Turn turn = Ask("side work");
  EXPECT_FALSE(turns_.BeginNext(true));
  EXPECT_TRUE(begun_.empty());
}

TEST_F(SideTurnsTest, AfterASessionThoseWhoWaitedGoBeforeTheNext) {
  std::optional<SideTurns::Turn> first = Ask("first");
  std::optional<SideTurns::Turn> second = Ask("second");
  turns_.SessionEnded();
  const SideTurns::Turn late = Ask("late");
  EXPECT_TRUE(turns_.BeginNext(true));
  first.reset();
  EXPECT_TRUE(turns_.BeginNext(true));
  second.reset();
  EXPECT_FALSE(turns_.BeginNext(true)) << "came after the session";
  EXPECT_EQ(begun_, (Names{"first", "second"}));
  turns_.SessionEnded();
  EXPECT_TRUE(turns_.BeginNext(true));
  EXPECT_EQ(begun_.back(), "late");
}

TEST_F(SideTurnsTest, WhoGoesAwayLeavesNoPlaceToOthers) {
  std::optional<SideTurns::Turn> first = Ask("first");
  turns_.SessionEnded();
  first.reset();
  const SideTurns::Turn late = Ask("late");
  EXPECT_FALSE(turns_.BeginNext(true));
  EXPECT_EQ(turns_.waiting(), 1U);
}

TEST_F(SideTurnsTest, ATurnMayBeGivenUpAsItBegins) {
  std::optional<SideTurns::Turn> turn;
  turn = turns_.Ask([&turn] { turn.reset(); });
  EXPECT_TRUE(turns_.BeginNext(false));
  EXPECT_FALSE(turns_.busy());
}

TEST_F(SideTurnsTest, AMovedTurnIsStillOne) {
  SideTurns::Turn first = Ask("first");
  SideTurns::Turn moved = std::move(first);
  EXPECT_EQ(turns_.waiting(), 1U);
  moved = Ask("second");
  EXPECT_EQ(turns_.waiting(), 1U) << "the first was given up";
}

}  // namespace
}  // namespace benchd
