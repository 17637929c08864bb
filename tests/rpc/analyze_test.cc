#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/analysis.grpc.pb.h"
#include "daemon/rpc/analyze_reactor.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

// METHOD.md's rows, for which it prints -5.8 % .. +14.6 % at 99.9 %.
constexpr const char* kSevenRows =
    "branch,wall_time\nbase,15.720428923\nfeature,16.173336192\nbase,15.488631299\n"
    "feature,16.654012064\nfeature,16.37941706\nfeature,16.512443378\nbase,15.992080634\n";

class AnalyzeTest : public ::testing::Test, protected WholeDaemon {
 protected:
  struct Answer {
    grpc::Status status;
    v1::AnalyzeResponse response;
  };

  static v1::AnalyzeRequest Options(const v1::AnalyzeOptions& options = {}) {
    v1::AnalyzeRequest request;
    *request.mutable_options() = options;
    return request;
  }
  static v1::AnalyzeRequest Chunk(std::string_view text) {
    v1::AnalyzeRequest request;
    request.set_chunk(std::string(text));
    return request;
  }

  Answer Send(const std::vector<v1::AnalyzeRequest>& requests) {
    Answer answer;
    grpc::ClientContext context;
    const auto writer = stub_->Analyze(&context, &answer.response);
    for (const v1::AnalyzeRequest& request : requests) {
      if (!writer->Write(request)) break;
    }
    writer->WritesDone();
    answer.status = writer->Finish();
    return answer;
  }

  Answer Analyze(const std::string& text, const v1::AnalyzeOptions& options = {}) {
    std::vector<v1::AnalyzeRequest> requests{Options(options)};
    constexpr std::size_t kPiece = 60'000;
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      requests.push_back(Chunk(std::string_view(text).substr(at, kPiece)));
    }
    return Send(requests);
  }

  bool NothingLeft() {
    return loop_.Await([this] { return calls_.count() == 0; });
  }

  std::unique_ptr<v1::AnalysisService::Stub> stub_ = v1::AnalysisService::NewStub(channel_);
};

TEST_F(AnalyzeTest, AnswersWithTheVerdictOfATable) {
  Work();
  v1::AnalyzeOptions options;
  options.set_classic_interval(true);
  options.mutable_spec()->set_alpha(0.001);
  const Answer answer = Analyze(kSevenRows, options);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  const v1::Update& verdict = answer.response.verdict();
  EXPECT_EQ(verdict.state(), v1::SESSION_STATE_DONE);
  EXPECT_EQ(verdict.verdict(), v1::VERDICT_UNDECIDED);
  ASSERT_EQ(verdict.comparisons_size(), 1);
  const v1::Comparison& one = verdict.comparisons(0);
  EXPECT_EQ(one.method(), v1::METHOD_FIXED);
  EXPECT_EQ(std::round(1000 * one.change().lo()), -58);
  EXPECT_EQ(std::round(1000 * one.change().hi()), 146);
  EXPECT_TRUE(NothingLeft());
  EXPECT_TRUE(std::filesystem::is_empty(dir_ / "") ||
              std::distance(std::filesystem::directory_iterator(dir_ / ""), {}) == 1)
      << "only the socket";
}

TEST_F(AnalyzeTest, FillsWhatIsAskedForAndNothingElse) {
  Work();
  const Answer plain = Analyze("arm,t\nbase,1\nb,2\nbase,1\nb,2.5\n");
  ASSERT_TRUE(plain.status.ok()) << plain.status.error_message();
  EXPECT_EQ(plain.response.verdict().verdict(), v1::VERDICT_UNSPECIFIED) << "nothing gates";
  EXPECT_EQ(plain.response.summaries_size(), 0);
  EXPECT_EQ(plain.response.histograms_size(), 0);
  v1::AnalyzeOptions options;
  options.set_summaries(true);
  options.set_histograms(true);
  const Answer full = Analyze("arm,t\nbase,1\nb,2\nbase,1\nb,2.5\n", options);
  EXPECT_EQ(full.response.summaries_size(), 2);
  EXPECT_EQ(full.response.histograms_size(), 2);
}

TEST_F(AnalyzeTest, ReadsATableOfManyChunks) {
  Work();
  std::string text = "arm,pair,t\n";
  for (int i = 0; i < 40'000; ++i) {
    const std::string pair = std::to_string(i);
    text += "base," + pair + ",10." + std::to_string(i % 7) + "\nb," + pair + ",30." +
            std::to_string(i % 9) + "\n";
  }
  v1::AnalyzeOptions options;
  v1::Gate* gate = options.mutable_spec()->add_benchmarks()->add_gates();
  gate->set_metric("t");
  gate->set_better(v1::BETTER_LOWER);
  const Answer answer = Analyze(text, options);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.response.verdict().comparisons(0).n_candidate(), 40'000U);
  EXPECT_EQ(answer.response.verdict().verdict(), v1::VERDICT_REGRESSION);
  EXPECT_EQ(answer.response.decided_at(), 8U);
}

TEST_F(AnalyzeTest, AMistakeInTheTableIsASentenceWithItsPlace) {
  Work();
  const Answer answer = Analyze("arm,t\na,1\nb,2,3\n");
  EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(answer.status.error_message(),
            "line 3, column 5: a row of 3 fields, the first line has 2 fields");
  EXPECT_EQ(answer.status.error_details(),
            "every row has one field for each column of the first line");
  EXPECT_EQ(Analyze("").status.error_message(), "line 1, column 1: the table is empty");
  v1::AnalyzeOptions options;
  options.add_references("x");
  EXPECT_EQ(Analyze(kSevenRows, options).status.error_message(),
            "line 9, column 1: the table ends without a row of the base 'x'");
  EXPECT_TRUE(NothingLeft());
}

TEST_F(AnalyzeTest, RefusesMessagesThatAreOutOfOrderOrTooLarge) {
  Work();
  const auto refused = [this](const std::vector<v1::AnalyzeRequest>& requests) {
    const Answer answer = Send(requests);
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return answer.status.error_message();
  };
  EXPECT_EQ(refused({}), "options: did not come");
  EXPECT_EQ(refused({Chunk("arm,t\n")}), "options: did not come first");
  EXPECT_EQ(refused({Options(), Options()}), "options: came twice");
  EXPECT_EQ(refused({v1::AnalyzeRequest()}), "part: a message has neither options nor a chunk");
  EXPECT_EQ(refused({Options(), Chunk(std::string(65'537, 'x'))}),
            "chunk: 65537 bytes, over the limit of 65536");
  v1::AnalyzeOptions options;
  options.mutable_spec()->set_method(static_cast<v1::Method>(77));
  EXPECT_EQ(refused({Options(options)}), "spec.method: this benchd does not know the value 77");
  EXPECT_TRUE(NothingLeft());
}

TEST_F(AnalyzeTest, WaitsForItsTurnAndHoldsNothingUntilTheTableIsThere) {
  grpc::ClientContext context;
  v1::AnalyzeResponse response;
  const auto writer = stub_->Analyze(&context, &response);
  ASSERT_TRUE(writer->Write(Options()));
  ASSERT_TRUE(writer->Write(Chunk(kSevenRows)));
  const std::string id = Submit();
  Work();
  // The session is over although that client still sends.
  EXPECT_TRUE(loop_.Await([this, &id] {
    return queue_->Get(Caller{.uid = ::getuid()}, id)->snapshot.state == SessionState::kDone;
  }));
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.verdict().comparisons_size(), 1);
}

TEST_F(AnalyzeTest, AClientThatGoesAwayWhileItWaitsLeavesNothingBehind) {
  grpc::ClientContext context;
  v1::AnalyzeResponse response;
  const auto writer = stub_->Analyze(&context, &response);
  ASSERT_TRUE(writer->Write(Options()));
  ASSERT_TRUE(writer->Write(Chunk(kSevenRows)));
  writer->WritesDone();
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 1; }));
  context.TryCancel();
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(NothingLeft());
  Work();
  EXPECT_TRUE(Analyze(kSevenRows).status.ok()) << "its turn is free for others";
}

TEST_F(AnalyzeTest, AClientThatGoesAwayWhileItsTableIsComputedIsNotComputedFor) {
  Work();
  grpc::ClientContext context;
  v1::AnalyzeResponse response;
  const auto writer = stub_->Analyze(&context, &response);
  ASSERT_TRUE(writer->Write(Options()));
  std::string rows = "arm,t\n";
  while (rows.size() < 60'000) rows += "a,1.5\nb,2.5\n";
  ASSERT_TRUE(writer->Write(Chunk(rows)));
  rows.erase(0, rows.find('\n') + 1);
  // 30 MB: seconds of computing, if nobody stopped it.
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(writer->Write(Chunk(rows)));
  writer->WritesDone();
  EXPECT_TRUE(loop_.Await([this] { return queue_->SideWork(); }));
  context.TryCancel();
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(NothingLeft());
  EXPECT_TRUE(loop_.Await([this] { return !queue_->SideWork(); }));
}

TEST_F(AnalyzeTest, AUserHasAFewTablesUnderWayAtATime) {
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<v1::AnalyzeResponse> responses(AnalyzeReactor::kMaxCallsPerUid);
  std::vector<std::unique_ptr<grpc::ClientWriter<v1::AnalyzeRequest>>> writers;
  for (v1::AnalyzeResponse& response : responses) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    writers.push_back(stub_->Analyze(contexts.back().get(), &response));
    ASSERT_TRUE(writers.back()->Write(Options()));
  }
  EXPECT_TRUE(loop_.Await([this, &responses] { return calls_.count() == responses.size(); }));
  const Answer refused = Analyze(kSevenRows);
  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(refused.status.error_message(), "analyze: 4 of your tables are under way already");
  for (std::size_t i = 0; i < writers.size(); ++i) {
    contexts[i]->TryCancel();
    writers[i]->Finish();
  }
  EXPECT_TRUE(NothingLeft());
  Work();
  EXPECT_TRUE(Analyze(kSevenRows).status.ok());
}

TEST_F(AnalyzeTest, ADaemonThatStopsEndsTheCall) {
  grpc::ClientContext context;
  v1::AnalyzeResponse response;
  const auto writer = stub_->Analyze(&context, &response);
  ASSERT_TRUE(writer->Write(Options()));
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 1; }));
  loop_.Run([this] { calls_.Close(); });
  const grpc::Status status = writer->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(status.error_message(), "benchd: is stopping");
  EXPECT_TRUE(NothingLeft());
}

}  // namespace
}  // namespace benchd::rpc
