#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/rpc/rpc_support.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

class ListSamplesTest : public ::testing::Test {
 protected:
  ListSamplesTest() {
    daemon_.loop.Run([this] {
      SessionRecord record;
      record.snapshot.id = {"abc"};
      record.spec = fake::TwoArms();
      daemon_.store.Keep(record);
      daemon_.service.records["abc"] = record;
    });
  }

  /// Stores `count` runs that alternate between the arms; the first `warmup` are warm-up.
  void Keep(std::uint64_t count, std::uint64_t warmup, std::size_t samples_per_run = 1) {
    std::vector<benchd::Run> runs;
    for (std::uint64_t i = 0; i < count; ++i) {
      benchd::Run run;
      run.block = i;
      run.arm = static_cast<std::uint32_t>(i % 2);
      run.phase = i < warmup ? RunPhase::kWarmup : RunPhase::kMeasured;
      run.samples.assign(samples_per_run, Sample{"wall_time", "", 0, static_cast<double>(i)});
      runs.push_back(std::move(run));
    }
    Keep(std::move(runs));
  }
  void Keep(std::vector<benchd::Run> runs) {
    daemon_.loop.Run([this, &runs] {
      ASSERT_TRUE(daemon_.store.Ask(&Records::Append, SessionId{"abc"}, std::move(runs), ""));
    });
  }

  struct Answer {
    grpc::Status status;
    std::vector<v1::Run> runs;
    int messages = 0;
  };
  Answer List(bool with_warmup, const std::string& session = "abc") {
    v1::ListSamplesRequest request;
    request.set_session(session);
    request.set_with_warmup(with_warmup);
    return List(request);
  }
  Answer List(const v1::ListSamplesRequest& request) {
    grpc::ClientContext context;
    const auto reader = stub_->ListSamples(&context, request);
    Answer answer;
    v1::ListSamplesResponse message;
    while (reader->Read(&message)) {
      ++answer.messages;
      answer.runs.insert(answer.runs.end(), message.runs().begin(), message.runs().end());
    }
    answer.status = reader->Finish();
    return answer;
  }

  StubDaemon daemon_;
  std::unique_ptr<v1::SessionService::Stub> stub_ = daemon_.Client();
};

TEST_F(ListSamplesTest, EveryCallIsNotedOnceAsItMayDisturbARun) {
  grpc::ClientContext getting;
  v1::Session session;
  ASSERT_TRUE(stub_->Get(&getting, v1::GetSessionRequest(), &session).ok());
  EXPECT_EQ(daemon_.loop.Run([this] { return daemon_.noted; }), 1U);
  EXPECT_TRUE(List(false).status.ok());
  EXPECT_EQ(daemon_.loop.Run([this] { return daemon_.noted; }), 2U);
  grpc::ClientContext watching;
  v1::WatchRequest request;
  request.set_session("nobody's");
  const auto reader = stub_->Watch(&watching, request);
  EXPECT_FALSE(reader->Finish().ok());
  EXPECT_EQ(daemon_.loop.Run([this] { return daemon_.noted; }), 3U);
}

TEST_F(ListSamplesTest, SendsEveryMeasuredRunInOrderWithItsNames) {
  Keep(1000, 300);
  const Answer answer = List(false);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  ASSERT_EQ(answer.runs.size(), 700U);
  for (std::size_t i = 0; i < answer.runs.size(); ++i) {
    EXPECT_EQ(answer.runs[i].block(), i + 300);
    EXPECT_EQ(answer.runs[i].samples(0).value(), static_cast<double>(i + 300));
  }
  EXPECT_EQ(answer.runs[0].benchmark(), "main");
  EXPECT_EQ(answer.runs[0].arm(), "base");
  EXPECT_EQ(answer.runs[1].arm(), "candidate");
}

TEST_F(ListSamplesTest, SendsTheWarmupWhenAsked) {
  Keep(10, 3);
  const Answer answer = List(true);
  ASSERT_EQ(answer.runs.size(), 10U);
  EXPECT_EQ(answer.runs[2].phase(), v1::RUN_PHASE_WARMUP);
  EXPECT_EQ(answer.runs[3].phase(), v1::RUN_PHASE_MEASURED);
}

TEST_F(ListSamplesTest, SaysWhatAHarnessMetricMeansOnlyWhenAsked) {
  std::vector<benchd::Run> runs(1);
  runs[0].samples = {{"latency", "", 0, 12.5}, {"wall_time", "", 0, 1}};
  runs[0].metrics = {{"latency", "ms", Better::kLower, 0.5}, {"size", "", std::nullopt, 0}};
  Keep(std::move(runs));
  EXPECT_EQ(List(false).runs.at(0).metrics_size(), 0);
  v1::ListSamplesRequest request;
  request.set_session("abc");
  request.set_with_metrics(true);
  const Answer answer = List(request);
  ASSERT_EQ(answer.runs.size(), 1U);
  ASSERT_EQ(answer.runs[0].metrics_size(), 2);
  const v1::MetricInfo& latency = answer.runs[0].metrics(0);
  EXPECT_EQ(latency.name(), "latency");
  EXPECT_EQ(latency.unit(), "ms");
  EXPECT_EQ(latency.better(), v1::BETTER_LOWER);
  EXPECT_EQ(latency.resolution(), 0.5);
  EXPECT_EQ(answer.runs[0].metrics(1).better(), v1::BETTER_UNSPECIFIED);
  EXPECT_FALSE(answer.runs[0].metrics(1).has_resolution()) << "unknown is absent, not 0";
}

TEST_F(ListSamplesTest, SendsTheStacksOfASampledSessionOnlyWhenAsked) {
  std::vector<benchd::Run> runs(1);
  runs[0].samples = {
      {"cpu_time", "", 0, 0.5}, {"stack", "main;f", 0, 3}, {"lost_samples", "", 0, 1}};
  Keep(std::move(runs));
  v1::ListSamplesRequest request;
  request.set_session("abc");
  EXPECT_EQ(List(request).runs.at(0).samples_size(), 3) << "a harness may print such names";
  daemon_.loop.Run([this] { daemon_.service.records["abc"].spec.profile.emplace(); });
  EXPECT_EQ(List(request).runs.at(0).samples_size(), 1);
  request.set_with_stacks(true);
  const Answer answer = List(request);
  ASSERT_EQ(answer.runs.at(0).samples_size(), 3);
  EXPECT_EQ(answer.runs[0].samples(1).inner_benchmark(), "main;f");
}

TEST_F(ListSamplesTest, ASessionWithoutRunsIsAnEmptyStream) {
  const Answer answer = List(true);
  EXPECT_TRUE(answer.status.ok());
  EXPECT_EQ(answer.messages, 0);
}

TEST_F(ListSamplesTest, ExactlyOneLoadOfRunsIsFollowedByNothing) {
  Keep(ListSamplesReactor::kRunsPerLoad, 0);
  EXPECT_EQ(List(false).runs.size(), ListSamplesReactor::kRunsPerLoad);
}

TEST_F(ListSamplesTest, RunsOfManySamplesAreSpreadOverMessagesOfABoundedSize) {
  Keep(40, 0, 10'000);  // a sample is at least 20 bytes, so 200 KB per run
  const Answer answer = List(false);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.runs.size(), 40U);
  EXPECT_GE(answer.messages, 10);
}

TEST_F(ListSamplesTest, AStoreThatFailsFailsTheStreamByName) {
  Keep(1, 0);
  daemon_.loop.Run([this] { daemon_.store.Execute("UPDATE runs SET phase = 'lost'"); });
  const Answer answer = List(false);
  EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INTERNAL);
  EXPECT_WORDING(answer.status, {{daemon_.store.file(), "DB"}});
}

TEST_F(ListSamplesTest, AnUnknownSessionIsNotFound) {
  EXPECT_EQ(List(false, "nope").status.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ListSamplesTest, AClientThatStopsReadingLeavesNothingBehind) {
  Keep(400, 0, 10'000);
  {
    grpc::ClientContext context;
    v1::ListSamplesRequest request;
    request.set_session("abc");
    const auto reader = stub_->ListSamples(&context, request);
    v1::ListSamplesResponse message;
    ASSERT_TRUE(reader->Read(&message));
    context.TryCancel();
    reader->Finish();
  }
  EXPECT_TRUE(daemon_.loop.Await([this] { return daemon_.calls.count() == 0; }));
}

}  // namespace
}  // namespace benchd::rpc
