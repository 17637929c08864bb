#include <gtest/gtest.h>
#include <unistd.h>

#include "benchd/v1/history.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"

namespace benchd::rpc {
namespace {

class HistoryServiceTest : public WholeDaemon, public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) ids_.push_back(Submit());
    Work();
    ASSERT_TRUE(loop_.Await([this] { return queue_->Idle(); }));
  }

  v1::ListSummariesResponse List(const v1::ListSummariesRequest& request) {
    v1::ListSummariesResponse response;
    grpc::ClientContext context;
    status_ = stub_->ListSummaries(&context, request, &response);
    return response;
  }

  std::vector<std::string> ids_;
  std::unique_ptr<v1::HistoryService::Stub> stub_ = v1::HistoryService::NewStub(channel_);
  grpc::Status status_;
};

TEST_F(HistoryServiceTest, TheCallersSummariesComeInPagesNewestFirst) {
  v1::ListSummariesRequest request;
  request.set_page_size(2);
  const auto first = List(request);
  ASSERT_TRUE(status_.ok()) << status_.error_message();
  ASSERT_EQ(first.summaries_size(), 2);
  EXPECT_EQ(first.summaries(0).session(), ids_[2]);
  EXPECT_EQ(first.summaries(0).uid(), ::getuid());
  EXPECT_EQ(first.summaries(0).verdict(), v1::VERDICT_REGRESSION);
  EXPECT_GT(first.summaries(0).mean_candidate(), first.summaries(0).mean_reference());
  request.set_page_token(first.next_page_token());
  const auto second = List(request);
  ASSERT_EQ(second.summaries_size(), 1);
  EXPECT_EQ(second.summaries(0).session(), ids_[0]);
  EXPECT_EQ(second.next_page_token(), "");
}

TEST_F(HistoryServiceTest, AReaderGoesOnWhereItWas) {
  v1::ListSummariesRequest request;
  request.set_oldest_first(true);
  request.set_after(1);
  const auto rest = List(request);
  ASSERT_EQ(rest.summaries_size(), 2);
  EXPECT_EQ(rest.summaries(0).session(), ids_[1]);
}

TEST_F(HistoryServiceTest, EverybodysAreForAdmins) {
  v1::ListSummariesRequest request;
  request.set_all(true);
  const auto all = List(request);
  if (::getuid() == 0) {
    EXPECT_EQ(all.summaries_size(), 3);
  } else {
    EXPECT_EQ(status_.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  }
  request.set_all(false);
  request.set_page_token("?");
  List(request);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace benchd::rpc
