#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "benchd/v1/analysis.grpc.pb.h"
#include "daemon/rpc/gather_reactor.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

// Runs of `values` values around 10; run 1 is at 30.
std::string RunTable(std::size_t runs, std::size_t values) {
  std::string text = "[";
  for (std::size_t r = 0; r < runs; ++r) {
    text += r > 0 ? ",[" : "[";
    for (std::size_t v = 0; v < values; ++v) {
      text += (v > 0 ? "," : "") + std::to_string((r == 1 ? 30 : 10) + (v * 7 + r * 3) % 5);
    }
    text += "]";
  }
  return text + "]";
}

constexpr std::string_view kRatings =
    "file,human,tool\ns1,similar,similar\ns2,dissimilar,similar\ns3,dissimilar,dissimilar\n";

class SimilarityTest : public ::testing::Test, protected WholeDaemon {
 protected:
  struct Answer {
    grpc::Status status;
    v1::AssessSimilarityResponse response;
  };

  static v1::AssessSimilarityRequest Options(const v1::SimilarityOptions& options = {}) {
    v1::AssessSimilarityRequest request;
    *request.mutable_options() = options;
    return request;
  }
  static v1::AssessSimilarityRequest Chunk(std::string_view text) {
    v1::AssessSimilarityRequest request;
    request.set_chunk(std::string(text));
    return request;
  }

  Answer Send(const std::vector<v1::AssessSimilarityRequest>& requests) {
    Answer answer;
    grpc::ClientContext context;
    const auto writer = stub_->AssessSimilarity(&context, &answer.response);
    for (const auto& request : requests) {
      if (!writer->Write(request)) break;
    }
    writer->WritesDone();
    answer.status = writer->Finish();
    return answer;
  }

  Answer Assess(const std::string& text, const v1::SimilarityOptions& options = {}) {
    std::vector<v1::AssessSimilarityRequest> requests{Options(options)};
    constexpr std::size_t kPiece = 60'000;
    for (std::size_t at = 0; at < text.size(); at += kPiece) {
      requests.push_back(Chunk(std::string_view(text).substr(at, kPiece)));
    }
    return Send(requests);
  }

  grpc::Status Agree(std::string_view text, const v1::AgreementOptions& options,
                     v1::AgreementResponse* response) {
    grpc::ClientContext context;
    const auto writer = stub_->Agreement(&context, response);
    v1::AgreementRequest request;
    *request.mutable_options() = options;
    request.set_chunk(std::string(text));
    writer->Write(request);
    writer->WritesDone();
    return writer->Finish();
  }

  bool NothingLeft() {
    return loop_.Await([this] { return calls_.count() == 0 && !queue_->SideWork(); });
  }

  std::unique_ptr<v1::AnalysisService::Stub> stub_ = v1::AnalysisService::NewStub(channel_);
};

TEST_F(SimilarityTest, TellsWhatEveryMethodSaysOfAFile) {
  Work();
  const Answer answer = Assess(RunTable(4, 80));
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  ASSERT_EQ(answer.response.sets_size(), 1);
  const v1::RunSetAssessment& set = answer.response.sets(0);
  EXPECT_EQ(set.runs(), 4U);
  EXPECT_EQ(set.values(), 80U);
  EXPECT_TRUE(set.assessable());
  EXPECT_EQ(set.differs_most(), 1U);
  EXPECT_EQ(set.literal().measures_size(), 5);
  EXPECT_EQ(set.shape().measures_size(), 5);
  EXPECT_EQ(set.same().labels_size(), 4);
  EXPECT_EQ(set.same().merge_heights_size(), 3);
  EXPECT_EQ(set.same().resemblance(), v1::RESEMBLANCE_DISSIMILAR);
  EXPECT_EQ(answer.response.threshold(), 0.25);
  ASSERT_EQ(answer.response.measures_size(), 5);
  EXPECT_EQ(answer.response.measures(4), set.literal().measures(4).mean());
  EXPECT_EQ(answer.response.assessable(), true);
  EXPECT_EQ(answer.response.label(), "dissimilar");
  EXPECT_TRUE(NothingLeft());
}

TEST_F(SimilarityTest, DoesNotAssessShortRuns) {
  Work();
  const Answer answer = Assess(RunTable(4, 20));
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_FALSE(answer.response.assessable());
  EXPECT_EQ(answer.response.label(), "not_assessable");
  EXPECT_EQ(answer.response.sets(0).resemblance(), v1::RESEMBLANCE_NOT_ASSESSABLE);
}

TEST_F(SimilarityTest, HearsItsOptions) {
  Work();
  v1::SimilarityOptions options;
  options.set_threshold(1);
  options.set_shape_variant(true);
  const Answer answer = Assess(RunTable(4, 80), options);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.response.sets(0).resemblance(), v1::RESEMBLANCE_SIMILAR);
  EXPECT_EQ(answer.response.measures(2), answer.response.sets(0).shape().measures(2).mean());
  EXPECT_EQ(Assess("a,b\n1,2\n3,\n").status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  options.set_cut_to_shortest(true);
  EXPECT_EQ(Assess("a,b\n1,2\n3,\n", options).response.sets(0).cut(), 1U);
}

TEST_F(SimilarityTest, RefusesWithASentenceWhatItCannotRead) {
  Work();
  const auto refused = [this](const std::vector<v1::AssessSimilarityRequest>& requests) {
    const Answer answer = Send(requests);
    EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return answer.status.error_message();
  };
  EXPECT_EQ(refused({}), "options: did not come first");
  EXPECT_EQ(refused({Chunk("[[1]]")}), "options: did not come first");
  EXPECT_EQ(refused({Options(), Options()}), "options: came twice");
  EXPECT_EQ(refused({v1::AssessSimilarityRequest()}),
            "part: a message has neither options nor a chunk");
  EXPECT_EQ(refused({Options(), Chunk("a,b\n1,nan\n")}),
            "line 2, column 3: 'nan' is not a finite number");
  v1::SimilarityOptions options;
  options.set_threshold(2);
  EXPECT_EQ(refused({Options(options), Chunk("[[1],[2]]")}), "threshold: must lie between 0 and 1");
  options.set_format(static_cast<v1::RunsFormat>(9));
  EXPECT_EQ(refused({Options(options)}), "format: this benchd does not know the value 9");
  EXPECT_TRUE(NothingLeft());
}

TEST_F(SimilarityTest, AssessesManyFilesAtOnceNeverBesideASession) {
  constexpr int kFiles = 6;
  const std::string id = Submit();
  std::vector<Answer> answers(kFiles);
  std::vector<std::thread> clients;
  for (Answer& answer : answers) {
    clients.emplace_back([this, &answer] { answer = Assess(RunTable(4, 80)); });
  }
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == kFiles; }));
  Work();
  for (std::thread& client : clients) client.join();
  for (const Answer& answer : answers) {
    EXPECT_TRUE(answer.status.ok()) << answer.status.error_message();
    EXPECT_EQ(answer.response.sets_size(), 1);
  }
  EXPECT_TRUE(loop_.Await([this, &id] {
    return queue_->Get(Caller{.uid = ::getuid()}, id)->snapshot.state == SessionState::kDone;
  }));
  EXPECT_TRUE(NothingLeft());
}

TEST_F(SimilarityTest, AClientThatGoesAwayWhileItWaitsLeavesNothingBehind) {
  grpc::ClientContext context;
  v1::AssessSimilarityResponse response;
  const auto writer = stub_->AssessSimilarity(&context, &response);
  ASSERT_TRUE(writer->Write(Options()));
  ASSERT_TRUE(writer->Write(Chunk(RunTable(4, 80))));
  writer->WritesDone();
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 1; }));
  context.TryCancel();
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 0; }));
  Work();
  EXPECT_TRUE(Assess(RunTable(4, 80)).status.ok());
}

TEST_F(SimilarityTest, AUserHasAFewFilesUnderWayAtATime) {
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<v1::AssessSimilarityResponse> responses(GatherDesk::kMaxCallsPerUid);
  std::vector<std::unique_ptr<grpc::ClientWriter<v1::AssessSimilarityRequest>>> writers;
  for (v1::AssessSimilarityResponse& response : responses) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    writers.push_back(stub_->AssessSimilarity(contexts.back().get(), &response));
    ASSERT_TRUE(writers.back()->Write(Options()));
  }
  EXPECT_TRUE(loop_.Await([this, &responses] { return calls_.count() == responses.size(); }));
  const Answer refused = Assess("[[1],[2]]");
  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  for (std::size_t i = 0; i < writers.size(); ++i) {
    contexts[i]->TryCancel();
    writers[i]->Finish();
  }
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 0; }));
}

TEST_F(SimilarityTest, ADaemonThatStopsEndsTheCall) {
  grpc::ClientContext context;
  v1::AssessSimilarityResponse response;
  const auto writer = stub_->AssessSimilarity(&context, &response);
  ASSERT_TRUE(writer->Write(Options()));
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 1; }));
  loop_.Run([this] { calls_.Close(); });
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(loop_.Await([this] { return calls_.count() == 0; }));
}

TEST_F(SimilarityTest, TellsHowRatersAgree) {
  Work();
  v1::AgreementOptions options;
  options.set_subjects("file");
  options.set_truth("human");
  v1::AgreementResponse response;
  const grpc::Status status = Agree(kRatings, options, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.subjects(), 3U);
  EXPECT_EQ(response.raters_size(), 2);
  // By hand: 2 of 3 alike; chance (3/6)^2 + (3/6)^2.
  EXPECT_NEAR(response.kappa(), (2.0 / 3 - 0.5) / 0.5, 1e-12);
  EXPECT_EQ(response.band(), "fair");
  ASSERT_EQ(response.confusions_size(), 1);
  const v1::Confusion& confusion = response.confusions(0);
  EXPECT_EQ(confusion.rater(), "tool");
  EXPECT_EQ(std::vector<std::uint64_t>(confusion.counts().begin(), confusion.counts().end()),
            (std::vector<std::uint64_t>{1, 0, 1, 1}));
  EXPECT_EQ(confusion.scores(1).category(), "dissimilar");
  EXPECT_EQ(confusion.scores(1).sensitivity(), 0.5);
  EXPECT_EQ(confusion.scores(1).specificity(), 1);
  EXPECT_TRUE(NothingLeft());
}

TEST_F(SimilarityTest, RefusesRatingsWithTheirPlace) {
  Work();
  v1::AgreementResponse response;
  const grpc::Status status = Agree("a,b\nx,x\nx,\n", {}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "line 3, column 3: 'b' has no rating here");
}

}  // namespace
}  // namespace benchd::rpc
