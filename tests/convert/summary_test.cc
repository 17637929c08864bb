#include <gtest/gtest.h>

#include <limits>

#include "benchd/v1/history.pb.h"
#include "proto/convert/convert.h"
#include "tests/support/wording.h"

namespace benchd::convert {
namespace {

GateSummary UnusualSummary() {
  return {.number = 9,
          .session = {"a"},
          .position = 1,
          .uid = 2,
          .ended_at = Timestamp(Nanoseconds(3'000'000'004)),
          .benchmark = "b",
          .series = "s",
          .metric = "m",
          .unit = "u",
          .better = Better::kHigher,
          .reference = "r",
          .candidate = "c",
          .reference_commit = Commit{"1", "d"},
          .candidate_commit = Commit{"2", "e"},
          .command = "./x",
          .labels = {{"k", "v"}},
          .n_reference = 4,
          .n_candidate = 5,
          .mean_reference = 0.1,
          .mean_candidate = 0.2,
          .change = Effect{0.3, 0.2, 0.4},
          .verdict = Verdict::kRegression,
          .machine = "x",
          .kernel = "y",
          .settings = "z",
          .value = Effect{0.6, 0.5, 0.7},
          .control_changed = true};
}

TEST(SummaryConversionTest, LosesNothing) {
  v1::Summary proto;
  ToProto(UnusualSummary(), &proto);
  const auto back = FromProto(proto);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, UnusualSummary());
  v1::Summary nothing;
  ToProto(GateSummary{}, &nothing);
  EXPECT_EQ(FromProto(nothing).value(), GateSummary{});
}

TEST(SummaryConversionTest, NumbersThatAreNoneAreRefused) {
  v1::Summary proto;
  ToProto(UnusualSummary(), &proto);
  proto.set_mean_candidate(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(FromProto(proto));
}

TEST(SummaryConversionTest, PagesGoOnWhereTheLastOneEnded) {
  v1::ListSummariesRequest request;
  EXPECT_EQ(FromProto(request)->limit, 100U);
  request.set_page_size(1000);
  request.set_oldest_first(true);
  request.set_after(7);
  EXPECT_EQ(FromProto(request)->limit, 500U);
  EXPECT_EQ(FromProto(request)->beyond, 7U);
  request.set_page_token("12");
  EXPECT_EQ(FromProto(request)->beyond, 12U);
  request.set_page_token("12x");
  const auto refused = FromProto(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(refused.error().message.starts_with("page_token: ")) << refused.error().message;
  EXPECT_WORDING(refused.error());
}

}  // namespace
}  // namespace benchd::convert
