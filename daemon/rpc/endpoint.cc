#include "daemon/rpc/endpoint.h"

#include <grpcpp/server_context.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <chrono>
#include <exception>
#include <optional>

#include "daemon/rpc/status_mapping.h"
#include "daemon/store/store.h"

namespace benchd::rpc {
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
    asio::post(entry_.loop, [this] { asio::co_spawn(entry_.loop, Serve(), asio::detached); });
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
  if (!caller) return {{}, {}, Unidentified(), &context, {}};
  Result<CallShare> share = budget.Enter(caller->uid, as);
  const Result<void> room = share ? share->Keep(memory) : Result<void>(std::move(share).error());
  const asio::any_io_executor loop = loop_of(caller->uid);
  if (room) return {*std::move(caller), *std::move(share), {}, &context, loop};
  if (share || PassesSoon(as)) InviteRetry(context);
  CountRefusal(caller->uid);
  // A single post covers all calls that are refused until the loop handles it.
  if (budget.TellsLoop()) {
    asio::post(loop, [endpoint = *this, why = room.error(), uid = caller->uid] {
      endpoint.budget.ToldLoop();
      if (endpoint.note_call) endpoint.note_call();
      endpoint.rate.WarnOfRefusal(uid, why.message);
    });
  }
  return {{}, {}, ToStatus(room.error()), &context, {}};
}

grpc::Status Endpoint::Admit(const Entry& entry) const {
  if (note_call) note_call();
  if (calls.closed()) return Stopping();
  const Result<void> taken = rate.Take(entry.caller.uid);
  if (!taken) {
    InviteRetry(*entry.context);
    CountRefusal(entry.caller.uid);
  }
  return ToStatus(taken);
}

/// Counts a refused call, and suspends a user who has had too many. Called on any thread.
void Endpoint::CountRefusal(std::uint32_t uid) const {
  const SteadyTime now(std::chrono::steady_clock::now());
  const std::optional<Nanoseconds> duration = refusals.Count(uid, now);
  if (!duration || !suspend) return;
  asio::post(loop_of(uid),
             [suspend = suspend, uid, duration = *duration] { suspend(uid, duration); });
}

grpc::Status Unidentified() {
  return grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                      "connection: the caller cannot be identified",
                      "connect to the control socket itself, not through a relay");
}

grpc::Status Stopping() { return ToStatus(IsStopping()); }

UnaryReactor* Answer(const Endpoint& endpoint, Entry entry, google::protobuf::Message* response,
                     UnaryCall call) {
  auto* const reactor = new CallReactor(endpoint, std::move(entry), response, std::move(call));
  reactor->Begin();
  return reactor;
}

}  // namespace benchd::rpc
