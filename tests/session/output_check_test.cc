#include "daemon/session/output_check.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/fakes.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::uint32_t kBase = 0;
constexpr std::uint32_t kCandidate = 1;

class OutputCheckTest : public testing::Test {
 protected:
  /// Adds a measured run of that arm.
  std::optional<Failure> Add(std::uint32_t arm, std::uint64_t block, const std::string& printed,
                             std::uint32_t benchmark = 0) {
    const RunPlace place{PlannedRun{.benchmark = benchmark, .arm = arm}, RunPhase::kMeasured,
                         block};
    return check_->Add(place, fake::Printed(printed));
  }

  void AddArm(const std::string& name, ArmRole role) {
    Arm arm = spec_.benchmarks[0].arms[1];
    arm.name = name;
    arm.role = role;
    spec_.benchmarks[0].arms.push_back(arm);
  }

  SessionSpec spec_ = fake::TwoArms();
  std::optional<OutputCheck> check_{std::in_place, spec_};
};

TEST_F(OutputCheckTest, AcceptsArmsThatPrintTheSame) {
  for (std::uint64_t block = 0; block < 5; ++block) {
    EXPECT_FALSE(Add(kBase, block, "same\n"));
    EXPECT_FALSE(Add(kCandidate, block, "same\n"));
  }
  EXPECT_FALSE(check_->Remaining());
}

TEST_F(OutputCheckTest, ArmsDifferOnceEachHasPrintedTheSameTwice) {
  EXPECT_FALSE(Add(kBase, 0, "a\nold\n"));
  EXPECT_FALSE(Add(kCandidate, 0, "a\nnew\n"));
  EXPECT_FALSE(Add(kCandidate, 1, "a\nnew\n"));
  const auto failure = Add(kBase, 1, "a\nold\n");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error.code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(failure->error);
  ASSERT_TRUE(failure->run);
  EXPECT_EQ(failure->run->arm, "candidate");
  EXPECT_EQ(failure->run->block, 0U) << "its first run already printed it";
  EXPECT_FALSE(failure->run->exit_code);
}

TEST_F(OutputCheckTest, AnArmThatVariesIsNotSaidToDifferFromTheOther) {
  for (const std::uint32_t varying : {kBase, kCandidate}) {
    check_.emplace(spec_);
    EXPECT_FALSE(Add(varying, 0, "at 12:00:01\n"));
    EXPECT_FALSE(Add(1 - varying, 0, "at noon\n"));
    const auto failure = Add(varying, 1, "at 12:00:02\n");
    ASSERT_TRUE(failure);
    EXPECT_WORDING(failure->error);
    EXPECT_EQ(failure->run->arm, varying == kBase ? "base" : "candidate");
    EXPECT_EQ(failure->run->block, 1U);
  }
}

TEST_F(OutputCheckTest, FindsAChangeAfterManyEqualRuns) {
  for (std::uint64_t block = 0; block < 100; ++block) {
    EXPECT_FALSE(Add(kBase, block, "same"));
    EXPECT_FALSE(Add(kCandidate, block, "same"));
  }
  const auto failure = Add(kCandidate, 100, "other");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->run->arm, "candidate");
  EXPECT_EQ(failure->run->block, 100U);
}

TEST_F(OutputCheckTest, ADifferenceThatWasNotConfirmedRemains) {
  EXPECT_FALSE(Add(kCandidate, 0, "new"));
  EXPECT_FALSE(check_->Remaining()) << "the base has not run";
  EXPECT_FALSE(Add(kBase, 0, "old"));
  const auto failure = check_->Remaining();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->run->arm, "candidate");
}

TEST_F(OutputCheckTest, EveryArmIsComparedWithTheReferenceAndThePlaceboToo) {
  AddArm("candidate-2", ArmRole::kCandidate);
  AddArm("placebo", ArmRole::kPlacebo);
  for (std::uint32_t other = 1; other < 4; ++other) {
    check_.emplace(spec_);
    for (std::uint32_t arm = 0; arm < 4; ++arm) {
      EXPECT_FALSE(Add(arm, 0, arm == other ? "other" : "same"));
    }
    std::optional<Failure> failure;
    for (std::uint32_t arm = 0; arm < 4 && !failure; ++arm) {
      failure = Add(arm, 1, arm == other ? "other" : "same");
    }
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->run->arm, spec_.benchmarks[0].arms[other].name);
  }
}

TEST_F(OutputCheckTest, EachBenchmarkHasItsOwnOutput) {
  spec_.benchmarks.push_back(spec_.benchmarks[0]);
  spec_.benchmarks[0].name = "parse";
  spec_.benchmarks[1].name = "write";
  check_.emplace(spec_);
  for (std::uint64_t block = 0; block < 2; ++block) {
    for (const std::uint32_t arm : {kBase, kCandidate}) {
      EXPECT_FALSE(Add(arm, block, "parsed", 0));
      EXPECT_FALSE(Add(arm, block, "written", 1));
    }
  }
  const auto failure = Add(kCandidate, 2, "parsed", 1);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->run->benchmark, "write");
  EXPECT_WORDING(failure->error);
}

// The runner omits the head of an output that it has reported already.
TEST_F(OutputCheckTest, ShowsTheFirstOutputEvenIfLaterOnesHaveNoHead) {
  OutputDigest again = fake::Printed("a\n");
  again.head.clear();
  const RunPlace place{PlannedRun{.arm = kCandidate}, RunPhase::kMeasured, 1};
  EXPECT_FALSE(Add(kBase, 0, "a\n"));
  EXPECT_FALSE(Add(kCandidate, 0, "a\n"));
  EXPECT_FALSE(check_->Add(place, again));
  const auto failure = Add(kCandidate, 2, "b\n");
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->error.message.find("'b' instead of 'a'"), std::string::npos)
      << failure->error.message;
}

}  // namespace
}  // namespace benchd
