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

// The length of a session ID, which consists of lower-case letters and digits.
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
  // A call may end and remove its entry during the notification.
  for (std::uint64_t key = 0; key < next_key_;) {
    const auto it = calls_.lower_bound(key);
    if (it == calls_.end()) return;
    key = it->first + 1;
    const std::function<void()> on_close = std::exchange(it->second, nullptr);
    if (on_close) on_close();
  }
}

namespace {

// More users than a machine usually has at a time. Idle buckets are removed only above this number.
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
  WarnOfRefusal(uid, Why(uid));
  const LimitRow& row = RowOf(Limit::kCallsASecond);
  return Error{ErrorCode::kResourceExhausted, std::string(row.what) + ": " + Why(uid),
               std::string(row.advice) + "; " + HowToAllowMore(row.limit)};
}

void RateLimit::WarnOfRefusal(std::uint32_t uid, const std::string& why) {
  const SteadyTime now = clock_.Steady();
  Bucket& bucket = buckets_.try_emplace(uid, Bucket{burst(), now, {}}).first->second;
  if (bucket.told_at && now - *bucket.told_at < kBetweenWarnings) return;
  bucket.told_at = now;
  log_("refusing calls: " + why);
}

std::string RateLimit::Why(std::uint32_t uid) const {
  return "uid " + std::to_string(uid) + " makes more than " +
         std::to_string(static_cast<std::uint64_t>(a_second_)) + " calls per second";
}

void RateLimit::Fill(Bucket& bucket, SteadyTime now) const {
  const std::chrono::duration<double> passed = now - bucket.filled_at;
  bucket.tokens = std::min(burst(), bucket.tokens + passed.count() * a_second_);
  bucket.filled_at = now;
}

std::vector<LimitUse> RateLimit::Uses(std::optional<std::uint32_t> uid) const {
  std::vector<LimitUse> uses;
  for (auto [who, bucket] : buckets_) {
    Fill(bucket, clock_.Steady());
    const auto used = static_cast<std::uint64_t>(burst() - bucket.tokens);
    if (uid ? who != *uid : used == 0) continue;
    uses.push_back({Limit::kCallsASecond, who, used, static_cast<std::uint64_t>(burst())});
  }
  return uses;
}

void RateLimit::ForgetQuietUsers(SteadyTime now) {
  std::erase_if(buckets_, [this, now](const auto& user) {
    Bucket bucket = user.second;
    Fill(bucket, now);
    return bucket.tokens >= burst();
  });
}

namespace {

/// A unary call, from its arrival until its client has the answer.
class CallReactor final : public UnaryReactor {
 public:
  CallReactor(const Endpoint& endpoint, Entry entry, google::protobuf::Message* response,
              UnaryCall call)
      : endpoint_(endpoint),
        entry_(std::move(entry)),
        response_(response),
        call_(std::move(call)) {}

  void Begin() {
    if (!entry_.status.ok()) return Finish(entry_.status);
    asio::post(endpoint_.loop, [this] { asio::co_spawn(endpoint_.loop, Serve(), asio::detached); });
  }
  void OnCancel() override { gone_.request_stop(); }
  void OnDone() override { delete this; }

 private:
  /// The object may be deleted as soon as Finish() has been called.
  asio::awaitable<void> Serve() {
    const LiveCalls::Token token = endpoint_.calls.Begin(nullptr);
    grpc::Status status = endpoint_.Admit(entry_);
    if (status.ok()) {
      Step step = [this] { return call_(Asker{entry_.caller, gone_.get_token(), &entry_.share}); };
      status = co_await StatusOf(std::move(step));
    }
    if (status.ok() && response_ != nullptr) {
      status = ToStatus(entry_.share.Hold(response_->ByteSizeLong()));
      if (!status.ok()) InviteRetry(*entry_.context);
    }
    if (!status.ok() && response_ != nullptr) response_->Clear();
    Finish(status);
  }

  const Endpoint endpoint_;
  Entry entry_;
  google::protobuf::Message* const response_;
  const UnaryCall call_;
  std::stop_source gone_;
};

}  // namespace

std::size_t MemoryOf(const google::protobuf::Message& message) {
  // A message this small cannot grow to a size that matters.
  constexpr std::size_t kSmall = 1024;
  const std::size_t bytes = message.ByteSizeLong();
  return bytes <= kSmall ? bytes : message.SpaceUsedLong();
}

asio::awaitable<grpc::Status> StatusOf(Step step) {
  try {
    asio::awaitable<Result<void>> running = step();
    co_return ToStatus(co_await std::move(running));
  } catch (const std::exception& error) {
    co_return ToStatus(Error{ErrorCode::kInternal, std::string("benchd: ") + error.what(), {}});
  }
}

void InviteRetry(Context& context) {
  constexpr char kMilliseconds[] = "300";
  context.AddTrailingMetadata(kRetryAfterKey, kMilliseconds);
}

Entry Endpoint::Enter(Context& context, const google::protobuf::Message& request, Limit as) const {
  return Enter(context, MemoryOf(request), as);
}

Entry Endpoint::Enter(Context& context, const grpc::ByteBuffer& request) const {
  return Enter(context, request.Length(), Limit::kCallsAUser);
}

Entry Endpoint::Enter(Context& context, std::size_t memory, Limit as) const {
  std::optional<Caller> caller = peers.Find(context.peer());
  if (!caller) return {{}, {}, Unidentified(), &context};
  Result<CallShare> share = budget.Enter(caller->uid, as);
  const Result<void> room = share ? share->Keep(memory) : Result<void>(std::move(share).error());
  if (room) return {*std::move(caller), *std::move(share), {}, &context};
  if (share || PassesSoon(as)) InviteRetry(context);
  // A single post covers all calls that are refused until the loop handles it.
  if (budget.TellsLoop()) {
    asio::post(loop, [endpoint = *this, why = room.error(), uid = caller->uid] {
      endpoint.budget.ToldLoop();
      if (endpoint.note_call) endpoint.note_call();
      endpoint.rate.WarnOfRefusal(uid, why.message);
    });
  }
  return {{}, {}, ToStatus(room.error()), &context};
}

grpc::Status Endpoint::Admit(const Entry& entry) const {
  if (note_call) note_call();
  if (calls.closed()) return Stopping();
  const Result<void> taken = rate.Take(entry.caller.uid);
  if (!taken) InviteRetry(*entry.context);
  return ToStatus(taken);
}

grpc::Status Unidentified() {
  return grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                      "connection: the caller cannot be identified",
                      "connect to the control socket itself, not through a relay");
}

grpc::Status Stopping() {
  return ToStatus(
      Error{ErrorCode::kUnavailable, "benchd is stopping", "try again when benchd has restarted"});
}

UnaryReactor* Answer(const Endpoint& endpoint, Entry entry, google::protobuf::Message* response,
                     UnaryCall call) {
  auto* const reactor = new CallReactor(endpoint, std::move(entry), response, std::move(call));
  reactor->Begin();
  return reactor;
}

}  // namespace benchd::rpc
