#include "daemon/rpc/call_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/machine.grpc.pb.h"
#include "benchd/v1/queue.grpc.pb.h"
#include "tests/rpc/whole_daemon.h"
#include "tests/support/wording.h"

namespace benchd::rpc {
namespace {

constexpr std::size_t kMib = std::size_t{1} << 20U;

Budgets Small() {
  Budgets limits;
  EXPECT_FALSE(limits.Set(Limit::kCallsAUser, 2));
  EXPECT_FALSE(limits.Set(Limit::kCalls, 3));
  EXPECT_FALSE(limits.Set(Limit::kWatchesAUser, 1));
  EXPECT_FALSE(limits.Set(Limit::kHeldAUser, 4));
  return limits;
}

std::uint64_t Used(const CallBudget& budget, Limit limit, std::uint32_t uid) {
  for (const LimitUse& use : budget.Uses(uid)) {
    if (use.limit == limit) return use.used;
  }
  return UINT64_MAX;
}

TEST(CallBudgetTest, LetsInSoManyOfAUserAndOfAll) {
  CallBudget budget(Small());
  Result<CallShare> first = budget.Enter(1000);
  Result<CallShare> second = budget.Enter(1000);
  EXPECT_TRUE(first && second);
  EXPECT_EQ(budget.Enter(1000).error(), OverLimit(Limit::kCallsAUser, 2, 2, 1000));
  std::optional<Result<CallShare>> other = budget.Enter(1001);
  EXPECT_TRUE(*other);
  EXPECT_EQ(budget.Enter(1002).error(), OverLimit(Limit::kCalls, 3, 3, {}));
  EXPECT_EQ(Used(budget, Limit::kCallsAUser, 1000), 2U);
  other.reset();
  EXPECT_TRUE(budget.Enter(1002));
}

TEST(CallBudgetTest, AWatchIsNoCallInFlight) {
  CallBudget budget(Small());
  const Result<CallShare> watch = budget.Enter(1000, Limit::kWatchesAUser);
  EXPECT_EQ(budget.Enter(1000, Limit::kWatchesAUser).error(),
            OverLimit(Limit::kWatchesAUser, 1, 1, 1000));
  const Result<CallShare> first = budget.Enter(1000);
  EXPECT_TRUE(budget.Enter(1000));
  EXPECT_EQ(Used(budget, Limit::kCallsAUser, 1000), 1U);
  EXPECT_EQ(Used(budget, Limit::kWatchesAUser, 1000), 1U);
}

TEST(CallBudgetTest, WhatIsOnItsWayIsBounded) {
  CallBudget budget(Small());
  {
    Result<CallShare> first = budget.Enter(1000);
    Result<CallShare> second = budget.Enter(1000);
    EXPECT_TRUE(first->Hold(3 * kMib));
    EXPECT_EQ(second->Hold(2 * kMib).error(),
              OverLimit(Limit::kHeldAUser, 5 * kMib, 4 * kMib, 1000));
    EXPECT_TRUE(first->Hold(kMib)) << "in place of the three";
    EXPECT_TRUE(second->Hold(2 * kMib));
    EXPECT_EQ(Used(budget, Limit::kHeldAUser, 1000), 3 * kMib);
    EXPECT_TRUE(first->Hold(0));
    EXPECT_TRUE(second->Hold(5 * kMib)) << "alone, because it could never be sent otherwise";
  }
  EXPECT_EQ(Used(budget, Limit::kHeldAUser, 1000), 0U);
}

class DaemonBudgetTest : public ::testing::Test, protected WholeDaemon {
 protected:
  /// Number of this user's calls that benchd counts, or empty if it refuses to answer. An answered
  /// call is counted for a moment longer, so callers repeat this until the number has settled.
  std::optional<std::uint64_t> InFlight() {
    const auto queue = v1::QueueService::NewStub(channel_);
    grpc::ClientContext context;
    v1::QueueStatus status;
    if (!queue->Get(&context, v1::GetQueueRequest(), &status).ok()) return {};
    const auto calls = std::ranges::find_if(status.limits(), [](const v1::LimitUse& use) {
      return use.key() == "calls_a_user" && use.uid() == ::getuid();
    });
    return calls == status.limits().end() ? 0 : static_cast<std::uint64_t>(calls->used());
  }
};

TEST_F(DaemonBudgetTest, AWholeDaemonTellsWhatACallerUses) {
  EXPECT_EQ(InFlight(), 1U) << "this one";
}

/// Calls that wait for a turn of the machine until they are cancelled.
class WaitingCalls {
 public:
  explicit WaitingCalls(const std::shared_ptr<grpc::Channel>& channel)
      : machine_(v1::MachineService::NewStub(channel)) {}
  ~WaitingCalls() {
    for (const auto& call : calls_) call->context.TryCancel();
    for (const auto& call : calls_) call->done.get_future().wait();
  }
  void Add(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      calls_.push_back(std::make_unique<Call>());
      Call& call = *calls_.back();
      machine_->async()->Doctor(&call.context, &call.request, &call.response,
                                [&call](const grpc::Status&) { call.done.set_value(); });
    }
  }

 private:
  struct Call {
    grpc::ClientContext context;
    v1::DoctorRequest request;
    v1::DoctorResponse response;
    std::promise<void> done;
  };
  const std::unique_ptr<v1::MachineService::Stub> machine_;
  std::vector<std::unique_ptr<Call>> calls_;
};

TEST_F(DaemonBudgetTest, MoreCallsOfAUserThanMayBeUnderWayAreRefused) {
  WaitingCalls waiting(ConnectTo(dir_ / "s"));
  waiting.Add(62);
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  std::optional<std::uint64_t> in_flight;
  while (in_flight != 63U && std::chrono::steady_clock::now() < deadline) in_flight = InFlight();
  ASSERT_EQ(in_flight, 63U) << "62 that wait, and the one that asks";
  waiting.Add(2);
  grpc::Status refused;
  while (refused.ok() && std::chrono::steady_clock::now() < deadline) {
    grpc::ClientContext context;
    v1::ListSessionsResponse sessions;
    refused = sessions_->List(&context, v1::ListSessionsRequest(), &sessions);
  }
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_details(), ::testing::HasSubstr("calls_a_user"));
  EXPECT_WORDING(refused, {{"uid " + std::to_string(::getuid()), "uid UID"}});
}

TEST(CallBudgetTest, ARequestIsHeldForAsLongAsItsCallLasts) {
  Budgets limits;
  ASSERT_EQ(limits.Set(Limit::kHeldAUser, 1), std::nullopt);
  CallBudget budget(limits);
  Result<CallShare> first = budget.Enter(1000);
  ASSERT_TRUE(first->Keep(600'000));
  ASSERT_TRUE(first->Hold(100'000));
  ASSERT_TRUE(first->Hold(0));
  Result<CallShare> second = budget.Enter(1000);
  EXPECT_EQ(second->Keep(500'000).error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(second->Keep(400'000));
}

// Two bytes of a request, 0a 00, are an empty benchmark, which takes some 200 bytes in memory.
TEST_F(DaemonBudgetTest, WhatARequestBecomesInMemoryIsHeldNotWhatWasSent) {
  v1::SubmitRequest request = Request();
  for (int i = 0; i < 100'000; ++i) request.mutable_spec()->add_benchmarks();
  EXPECT_GT(MemoryOf(request), 5'000'000U);
  EXPECT_EQ(MemoryOf(v1::GetSessionRequest()), 0U);
}

TEST_F(DaemonBudgetTest, MorePairsOfArmsThanALimitAreRefusedWithItsKey) {
  v1::SubmitRequest request = Request();
  v1::Benchmark* const benchmark = request.mutable_spec()->mutable_benchmarks(0);
  const v1::Arm arm = benchmark->arms(0);
  benchmark->clear_arms();
  for (int i = 0; i < 33 + 32; ++i) {
    v1::Arm* const added = benchmark->add_arms();
    *added = arm;
    added->set_name("arm" + std::to_string(i));
    added->set_role(i < 33 ? v1::ARM_ROLE_REFERENCE : v1::ARM_ROLE_CANDIDATE);
  }
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const grpc::Status refused = sessions_->Submit(&context, request, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_details(), ::testing::HasSubstr("pairs_a_session"));
  EXPECT_WORDING(refused);
}

// Converting them would occupy the loop for half a second.
TEST_F(DaemonBudgetTest, ManyEmptyPartsOfASpecAreRefusedBeforeTheyAreConverted) {
  constexpr int kMany = 100'000;
  std::array<v1::SubmitRequest, 4> requests;
  requests.fill(Request());
  v1::Hooks* const hooks = requests[3].mutable_spec()->mutable_benchmarks(0)->mutable_hooks();
  for (int i = 0; i < kMany; ++i) {
    requests[0].mutable_spec()->add_benchmarks();
    requests[1].mutable_spec()->mutable_benchmarks(0)->add_arms();
    requests[2].mutable_spec()->mutable_benchmarks(0)->add_gates();
    hooks->mutable_build_plan()->add_trees();
  }
  for (const v1::SubmitRequest& request : requests) {
    grpc::ClientContext context;
    v1::SubmitResponse response;
    const grpc::Status refused = sessions_->Submit(&context, request, &response);
    EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_WORDING(refused);
  }
}

TEST_F(DaemonBudgetTest, ASpecThatIsTooLargeIsRefusedAndAnEnvironmentIsNot) {
  v1::SubmitRequest request = Request();
  (*request.mutable_spec()->mutable_environment())["BIG"] = std::string(300'000, 'x');
  EXPECT_FALSE(Submit(request).empty());
  (*request.mutable_spec()->mutable_labels())["big"] = std::string(300'000, 'x');
  grpc::ClientContext context;
  v1::SubmitResponse response;
  const grpc::Status refused = sessions_->Submit(&context, request, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_details(), ::testing::HasSubstr("spec_kib"));
  EXPECT_WORDING(refused);
}

}  // namespace
}  // namespace benchd::rpc
