#include "daemon/rpc/endpoint.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <chrono>
#include <exception>

#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {
namespace {

// Letters and digits, no more of them than an id has.
constexpr std::size_t kIdLength = 8;

bool IsIdCharacter(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

std::string_view SessionWord(std::string_view session) {
  if (session.empty()) return "-";
  return session.size() <= kIdLength && std::ranges::all_of(session, IsIdCharacter) ? session : "?";
}

}  // namespace

std::string_view Audit::ResultWord(ErrorCode code) {
  return code == ErrorCode::kPermissionDenied ? "denied" : NameOf(code);
}

void Audit::Write(const Caller& caller, std::string_view action, std::string_view session,
                  std::string_view result) const {
  std::string line = "audit: uid=" + std::to_string(caller.uid);
  line += " pid=" + std::to_string(caller.pid);
  line.append(" action=").append(action);
  line.append(" session=").append(SessionWord(session));
  line.append(" result=").append(result);
  log_(line);
}

LiveCalls::Token LiveCalls::Begin(std::function<void()> on_close) {
  const std::uint64_t key = next_key_++;
  calls_.emplace(key, std::move(on_close));
  return Token(this, key);
}

void LiveCalls::Close() {
  closed_ = true;
  // A call may end, and take its entry away, while it is told.
  for (std::uint64_t key = 0; key < next_key_;) {
    const auto it = calls_.lower_bound(key);
    if (it == calls_.end()) return;
    key = it->first + 1;
    const std::function<void()> on_close = std::exchange(it->second, nullptr);
    if (on_close) on_close();
  }
}

namespace {

// More than a machine has users at a time: only then are the buckets looked through.
constexpr std::size_t kManyUsers = 1024;
constexpr std::chrono::seconds kBetweenWarnings{10};

}  // namespace

Result<void> RateLimit::Take(std::uint32_t uid) {
  const SteadyTime now = clock_.Steady();
  if (buckets_.size() >= kManyUsers && !buckets_.contains(uid)) ForgetQuietUsers(now);
  Bucket& bucket = buckets_.try_emplace(uid, Bucket{burst(), now, {}}).first->second;
  Fill(bucket, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {};
  }
  WarnOfRefusals(uid, bucket);
  const LimitRow& row = RowOf(Limit::kCallsASecond);
  return Error{ErrorCode::kResourceExhausted, std::string(row.what) + ": " + Why(uid),
               std::string(row.advice) + "; " + HowToAllowMore(row.limit)};
}

void RateLimit::WarnOfRefusals(std::uint32_t uid, Bucket& bucket) const {
  if (bucket.told_at && bucket.filled_at - *bucket.told_at < kBetweenWarnings) return;
  bucket.told_at = bucket.filled_at;
  log_("refusing calls: " + Why(uid));
}

std::string RateLimit::Why(std::uint32_t uid) const {
  return "uid " + std::to_string(uid) + " makes more than " +
         std::to_string(static_cast<std::uint64_t>(a_second_)) + " a second";
}

void RateLimit::Fill(Bucket& bucket, SteadyTime now) const {
  const std::chrono::duration<double> passed = now - bucket.filled_at;
  bucket.tokens = std::min(burst(), bucket.tokens + passed.count() * a_second_);
  bucket.filled_at = now;
}

void RateLimit::ForgetQuietUsers(SteadyTime now) {
  std::erase_if(buckets_, [this, now](const auto& user) {
    Bucket bucket = user.second;
    Fill(bucket, now);
    return bucket.tokens >= burst();
  });
}

namespace {

asio::awaitable<void> Serve(UnaryReactor* reactor, Endpoint endpoint, UnaryCall call,
                            std::optional<Caller> caller) {
  const LiveCalls::Token token = endpoint.calls.Begin(nullptr);
  grpc::Status status = endpoint.Admit(caller);
  if (status.ok()) {
    Step step = [&call, &caller] { return call(*std::move(caller)); };
    status = co_await StatusOf(std::move(step));
  }
  reactor->Finish(status);
}

}  // namespace

asio::awaitable<grpc::Status> StatusOf(Step step) {
  try {
    asio::awaitable<Result<void>> running = step();
    co_return ToStatus(co_await std::move(running));
  } catch (const std::exception& error) {
    co_return ToStatus(Error{ErrorCode::kInternal, std::string("benchd: ") + error.what(), {}});
  }
}

std::optional<Caller> Endpoint::Identify(const grpc::CallbackServerContext& context) const {
  return peers.Find(context.peer());
}

grpc::Status Endpoint::Admit(const std::optional<Caller>& caller) const {
  if (note_call) note_call();
  if (!caller) return Unidentified();
  if (calls.closed()) return Stopping();
  return ToStatus(rate.Take(caller->uid));
}

grpc::Status Unidentified() {
  return grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                      "connection: benchd does not know who is calling",
                      "connect to the control socket itself, not through a relay");
}

grpc::Status Stopping() {
  return ToStatus(
      Error{ErrorCode::kUnavailable, "benchd is stopping", "try again when it is back"});
}

UnaryReactor* Answer(const Endpoint& endpoint, Context* context, UnaryCall call) {
  UnaryReactor* reactor = context->DefaultReactor();
  asio::post(endpoint.loop, [endpoint, reactor, call = std::move(call),
                             caller = endpoint.Identify(*context)]() mutable {
    asio::co_spawn(endpoint.loop, Serve(reactor, endpoint, std::move(call), std::move(caller)),
                   asio::detached);
  });
  return reactor;
}

}  // namespace benchd::rpc
