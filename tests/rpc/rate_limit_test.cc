#include "daemon/rpc/rate_limit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "benchd/v1/queue.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const auto kPerSecond = static_cast<std::uint32_t>(Budgets().At(Limit::kCallsASecond));
const std::uint32_t kBurst = 2 * kPerSecond;

class RateLimitTest : public ::testing::Test {
 protected:
  /// How many of `calls` simultaneous calls are admitted.
  std::uint32_t LetIn(std::uint32_t calls, std::uint32_t uid = 1000) {
    std::uint32_t taken = 0;
    for (std::uint32_t i = 0; i < calls; ++i) taken += rate_.Take(uid) ? 1 : 0;
    return taken;
  }

  fake::Clock clock_;
  std::vector<std::string> log_;
  RateLimit rate_{clock_, [this](const std::string& line) { log_.push_back(line); }};
};

TEST_F(RateLimitTest, ABurstIsLetInAndThenSoManyASecond) {
  EXPECT_EQ(LetIn(kBurst + 10), kBurst);
  clock_.Advance(milliseconds(100));
  EXPECT_EQ(LetIn(kPerSecond), kPerSecond / 10);
  clock_.Advance(seconds(3600));
  EXPECT_EQ(LetIn(kBurst + 10), kBurst) << "waiting does not raise the limit";
}

TEST_F(RateLimitTest, OneUsersFloodIsNobodyElses) {
  LetIn(kBurst + 1, 1000);
  EXPECT_EQ(LetIn(1, 1000), 0U);
  EXPECT_EQ(LetIn(10, 1001), 10U);
}

// A hundred clients that submit a hundred times each, as fast as they are answered.
TEST_F(RateLimitTest, TenThousandSubmissionsAtAThousandASecondAreNotRefused) {
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(rate_.Take(1000)) << i;
    clock_.Advance(milliseconds(1));
  }
}

TEST_F(RateLimitTest, ARefusalSaysWhatToDo) {
  LetIn(kBurst);
  const Result<void> refused = rate_.Take(1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused.error());
}

TEST_F(RateLimitTest, AFloodIsToldOnceInTenSeconds) {
  LetIn(kBurst + 1000);
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_WORDING(log_[0]);
  clock_.Advance(seconds(9));
  LetIn(kBurst + 1000);
  EXPECT_EQ(log_.size(), 1U);
  clock_.Advance(seconds(1));
  LetIn(kBurst + 1000);
  EXPECT_EQ(log_.size(), 2U);
}

TEST_F(RateLimitTest, QuietUsersAreForgotten) {
  for (std::uint32_t uid = 0; uid < 100'000; ++uid) {
    ASSERT_TRUE(rate_.Take(uid));
    clock_.Advance(milliseconds(1));
  }
  EXPECT_LE(rate_.users(), 1024U);
}

class DaemonRateLimitTest : public ::testing::Test, protected WholeDaemon {
 protected:
  /// Makes calls until the limit on calls per second refuses one. The fake clock does not advance,
  /// so no tokens are refilled. An answered call counts as in progress for a moment longer, because
  /// gRPC reports its end later; on a loaded machine, that other limit may refuse a call first.
  void UseUp() {
    const auto queue = v1::QueueService::NewStub(channel_);
    const auto deadline = std::chrono::steady_clock::now() + 3 * kTimeout;
    std::uint32_t answered = 0;
    while (std::chrono::steady_clock::now() < deadline) {
      grpc::ClientContext context;
      v1::QueueStatus status;
      const grpc::Status answer = queue->Get(&context, v1::GetQueueRequest(), &status);
      if (answer.ok()) {
        ++answered;
      } else if (answer.error_details().find("calls_a_user") == std::string::npos) {
        EXPECT_EQ(answered, kBurst);
        return;
      }
    }
    FAIL() << "after " << answered << " calls, none is refused";
  }
};

TEST_F(DaemonRateLimitTest, RefusesCallsAndNewStreamsUntilTimeHasPassed) {
  const std::string id = Submit();
  v1::WatchRequest watch;
  watch.set_session(id);
  grpc::ClientContext watching;
  const auto watcher = sessions_->Watch(&watching, watch);
  v1::SessionEvent event;
  ASSERT_TRUE(watcher->Read(&event));
  loop_.Run([this] { clock_.Advance(seconds(10)); });
  ASSERT_NO_FATAL_FAILURE(UseUp());

  grpc::ClientContext listing;
  v1::ListSessionsResponse sessions;
  const grpc::Status refused = sessions_->List(&listing, v1::ListSessionsRequest(), &sessions);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(listing.GetServerTrailingMetadata().contains(kRetryAfterKey));
  grpc::ClientContext second;
  const auto refused_watcher = sessions_->Watch(&second, watch);
  ASSERT_FALSE(refused_watcher->Read(&event));
  EXPECT_EQ(refused_watcher->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);

  Work();  // the existing stream continues to its end
  while (watcher->Read(&event)) {
  }
  EXPECT_TRUE(watcher->Finish().ok());
  EXPECT_TRUE(event.has_verdict());

  loop_.Run([this] { clock_.Advance(seconds(1)); });
  grpc::ClientContext again;
  EXPECT_TRUE(sessions_->List(&again, v1::ListSessionsRequest(), &sessions).ok());
}

TEST_F(DaemonRateLimitTest, SuspendsAUserWhoIgnoresRefusals) {
  ASSERT_NO_FATAL_FAILURE(UseUp());
  v1::ListSessionsResponse sessions;
  int refused = 0;
  while (loop_.Run([this] { return suspensions_ == 0; })) {
    ASSERT_LE(++refused, Refusals::kTolerated);
    grpc::ClientContext context;
    EXPECT_FALSE(sessions_->List(&context, v1::ListSessionsRequest(), &sessions).ok());
  }
  // On a loaded machine, UseUp() may have been refused, too.
  EXPECT_GE(refused, Refusals::kTolerated / 2);

  // A client that waits is served when the suspension ends.
  loop_.Run([this] { clock_.Advance(seconds(10)); });
  grpc::ClientContext waiting;
  waiting.set_wait_for_ready(true);
  waiting.set_deadline(std::chrono::system_clock::now() + kTimeout);
  EXPECT_TRUE(sessions_->List(&waiting, v1::ListSessionsRequest(), &sessions).ok());
}

}  // namespace
}  // namespace benchd::rpc
