#include "daemon/queue/analysis_turns.h"

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

namespace benchd {
namespace {

class AnalysisTurnsTest : public testing::Test {
 protected:
  AnalysisTurns::Turn Ask(const std::string& name) {
    return turns_.Ask([this, name] { begun_.push_back(name); });
  }

  using Names = std::vector<std::string>;
  asio::io_context loop_;
  Signal changed_{loop_.get_executor()};
  AnalysisTurns turns_{changed_};
  Names begun_;
};

TEST_F(AnalysisTurnsTest, OneAfterTheOtherInTheOrderOfAsking) {
  std::optional<AnalysisTurns::Turn> first = Ask("first");
  std::optional<AnalysisTurns::Turn> second = Ask("second");
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

TEST_F(AnalysisTurnsTest, ASessionThatWaitsGoesFirst) {
  const AnalysisTurns::Turn turn = Ask("analysis");
  EXPECT_FALSE(turns_.BeginNext(true));
  EXPECT_TRUE(begun_.empty());
}

TEST_F(AnalysisTurnsTest, AfterASessionThoseWhoWaitedGoBeforeTheNext) {
  std::optional<AnalysisTurns::Turn> first = Ask("first");
  std::optional<AnalysisTurns::Turn> second = Ask("second");
  turns_.SessionEnded();
  const AnalysisTurns::Turn late = Ask("late");
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

TEST_F(AnalysisTurnsTest, WhoGoesAwayLeavesNoPlaceToOthers) {
  std::optional<AnalysisTurns::Turn> first = Ask("first");
  turns_.SessionEnded();
  first.reset();
  const AnalysisTurns::Turn late = Ask("late");
  EXPECT_FALSE(turns_.BeginNext(true));
  EXPECT_EQ(turns_.waiting(), 1U);
}

TEST_F(AnalysisTurnsTest, ATurnMayBeGivenUpAsItBegins) {
  std::optional<AnalysisTurns::Turn> turn;
  turn = turns_.Ask([&turn] { turn.reset(); });
  EXPECT_TRUE(turns_.BeginNext(false));
  EXPECT_FALSE(turns_.busy());
}

TEST_F(AnalysisTurnsTest, AMovedTurnIsStillOne) {
  AnalysisTurns::Turn first = Ask("first");
  AnalysisTurns::Turn moved = std::move(first);
  EXPECT_EQ(turns_.waiting(), 1U);
  moved = Ask("second");
  EXPECT_EQ(turns_.waiting(), 1U) << "the first was given up";
}

}  // namespace
}  // namespace benchd
