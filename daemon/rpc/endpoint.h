#pragma once

#include <google/protobuf/message.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/held.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/child.h"
#include "core/model/limits.h"
#include "daemon/rpc/call_budget.h"
#include "daemon/rpc/connections.h"
#include "daemon/rpc/status_mapping.h"
#include "daemon/session/ports.h"

namespace benchd::rpc {

/// Logs every change and every refused attempt, one line each, in a stable format for scripts.
///
///     audit: uid=1000 pid=123 action=submit session=k3x9m2pq result=ok
///
/// `uid` and `pid` come from the kernel's record of the connection. `action` is submit, cancel,
/// move, pause, resume, drain, apply, restore, reserve (refused), reserve-begin or reserve-end.
/// `session` is an ID, or the prefix that the client sent. `-` stands for no ID, and `?` for text
/// that cannot be an ID. `result` is ok, denied, or the NameOf() of another error. A line contains
/// no text that a client can choose: no label, name, command or message. Further fields may be
/// added at the end.
///
/// A move to the priority that a session already has is not logged. A call that was
/// rejected before it was processed (too many requests, a stopping daemon) is not logged either: it
/// changed nothing, and a flood of calls must not flood the log. Loop's thread only.
class Audit {
 public:
  using Log = std::function<void(const std::string& line)>;

  explicit Audit(Log log) : log_(std::move(log)) {}

  /// @param session  as the client sent it, or the daemon's own ID; empty if there is none
  template <typename T>
  void Note(const Caller& caller, std::string_view action, std::string_view session,
            const Result<T>& outcome) const {
    Write(caller, action, session, outcome ? "ok" : ResultWord(outcome.error().code));
  }
  void NoteOk(const Caller& caller, std::string_view action) const {
    Write(caller, action, "", "ok");
  }

 private:
  static std::string_view ResultWord(ErrorCode code);
  void Write(const Caller& caller, std::string_view action, std::string_view session,
             std::string_view result) const;

  Log log_;
};

/// The calls in progress, which a clean stop must end and an idle exit must wait for.
///
/// Lives on the loop's thread; must outlive every call.
class LiveCalls {
 public:
  /// A call in progress, which ends when the token is destroyed.
  using Token = Held<LiveCalls>;

  /// Registers a call. `on_close` is called once when the daemon stops, and may be empty for a call
  /// that ends on its own.
  [[nodiscard]] Token Begin(std::function<void()> on_close);

  /// Notifies every call that the daemon is stopping. No call may begin afterwards.
  void Close();
  bool closed() const { return closed_; }

  std::size_t count() const { return calls_.size(); }
  /// Returns the number of calls so far; an increase between two checks means activity.
  std::uint64_t total() const { return next_key_; }

 private:
  friend Token;
  void GiveUp(std::uint64_t key) { calls_.erase(key); }

  std::map<std::uint64_t, std::function<void()>> calls_;
  std::uint64_t next_key_ = 0;
  bool closed_ = false;
};

/// Limits the rate of calls per user: one token per call, from one bucket per uid.
///
/// It ensures that a client in a loop does not affect other users. A stream counts once, however
/// long it lasts. The defaults are generous: clients that submit as fast as they are answered reach
/// 300 to 1000 calls per second together, because each submission is committed to the disk, and a
/// client that only reads reaches more than 5000 (both measured on two CPUs). Loop's thread only.
class RateLimit {
 public:
  /// Receives a sentence about a user who is refused, at most every ten seconds per user.
  using Log = std::function<void(const std::string&)>;

  /// Allows `a_second` calls per second, with bursts of twice as many.
  RateLimit(const Clock& clock, Log log,
            std::uint64_t a_second = Budgets().At(Limit::kCallsASecond))
      : clock_(clock), log_(std::move(log)), a_second_(static_cast<double>(a_second)) {}

  /// Takes a token of `uid`.
  /// @errors kResourceExhausted "too many requests: ..." if none is left
  Result<void> Take(std::uint32_t uid);

  /// Logs that calls of `uid` are refused, unless that was logged recently.
  void WarnOfRefusal(std::uint32_t uid, const std::string& why);

  /// Returns the part of the burst that `uid`, or each user with recent calls, has used.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

  /// Returns the number of remembered users. A user without calls for two seconds may be dropped.
  std::size_t users() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = 0;
    SteadyTime filled_at{};
    std::optional<SteadyTime> told_at{};
  };

  void Fill(Bucket& bucket, SteadyTime now) const;
  void ForgetQuietUsers(SteadyTime now);
  double burst() const { return 2 * a_second_; }
  std::string Why(std::uint32_t uid) const;

  const Clock& clock_;
  const Log log_;
  const double a_second_;
  std::map<std::uint32_t, Bucket> buckets_;
};

using Context = grpc::CallbackServerContext;

/// The result of Endpoint::Enter(): the caller and the call's share of the caller's budget, or the
/// reason why the call is refused.
struct Entry {
  Caller caller;
  CallShare share;
  grpc::Status status;  ///< if not OK, caller and share are empty
  Context* context = nullptr;
};

/// Informs the client of a refused call that a retry may succeed shortly. Must precede the end of
/// the call.
void InviteRetry(Context& context);

/// The entry point of calls, which all services share. The references outlive the server.
///
/// `peers` and `budget` are used on gRPC's threads, once per call; `calls` and `rate` on the loop's
/// thread only.
struct Endpoint {
  asio::any_io_executor loop;
  const PeerTable& peers;
  LiveCalls& calls;
  RateLimit& rate;
  CallBudget& budget;
  /// Called for every incoming call, whatever its result; may be empty.
  std::function<void()> note_call = {};

  /// Identifies the caller and takes a share of the caller's budget. Refuses a call without an
  /// identity. Called on gRPC's thread, so that a flood of refused calls does not reach the loop.
  /// @param request  the parsed message, perhaps a hundred times as large as the client's bytes
  Entry Enter(Context& context, const google::protobuf::Message& request,
              Limit as = Limit::kCallsAUser) const;
  Entry Enter(Context& context, const grpc::ByteBuffer& request) const;
  /// Returns OK if a call that Enter() accepted may begin. Every call does this once, on the loop's
  /// thread; the call is then noted.
  grpc::Status Admit(const Entry& entry) const;

 private:
  Entry Enter(Context& context, std::size_t memory, Limit as) const;
};

/// Returns the number of bytes of memory that a message uses.
std::size_t MemoryOf(const google::protobuf::Message& message);

/// Returns UNAUTHENTICATED, for a connection without an identity.
grpc::Status Unidentified();
/// Returns UNAVAILABLE, for a call while the daemon is stopping.
grpc::Status Stopping();

/// A part of a call that runs on the loop's thread.
using Step = std::function<asio::awaitable<Result<void>>()>;
/// Converts the step's result, or an exception that it throws, to the status that clients see.
asio::awaitable<grpc::Status> StatusOf(Step step);

using UnaryReactor = grpc::ServerUnaryReactor;

/// The caller of a unary call.
struct Asker {
  Caller caller;
  std::stop_token gone;  ///< requested when the client no longer waits for the answer
  CallShare* share;      ///< the call's share of the caller's budget; never null
};

/// One unary call: reads its request and fills its response. Started on the loop's thread.
using UnaryCall = std::function<asio::awaitable<Result<void>>(Asker)>;

/// Runs a unary call on the loop and maps its result to a status; Finish is called exactly once, in
/// every case. Called on gRPC's threads; returns the handler's return value. The call is in
/// progress until its client has received all of `response`, which must live as long.
///
/// @param response  nullptr if the call itself writes a small one
UnaryReactor* Answer(const Endpoint& endpoint, Entry entry, google::protobuf::Message* response,
                     UnaryCall call);

/// Runs a coroutine of a service as a unary call. It receives the Asker, or only the Caller, and
/// `arguments`, the last of which is the response. Requests, responses and contexts live until the
/// call is finished, and so outlive the coroutine.
template <typename Service, typename Who, typename... A>
UnaryReactor* Answer(const Endpoint& endpoint, Context* context,
                     const google::protobuf::Message* request, Service* service,
                     asio::awaitable<Result<void>> (Service::*run)(Who, A...),
                     std::type_identity_t<A>... arguments) {
  auto* const response = std::get<sizeof...(A) - 1>(std::tie(arguments...));
  Entry entry = endpoint.Enter(*context, *request);
  return Answer(endpoint, std::move(entry), response, [service, run, arguments...](Asker asker) {
    if constexpr (std::is_same_v<Who, Asker>) {
      return (service->*run)(std::move(asker), arguments...);
    } else {
      return (service->*run)(std::move(asker.caller), arguments...);
    }
  });
}

/// A stream to one client, all of whose state lives on the loop's thread.
///
/// gRPC's callbacks only post; the derived class is called on the loop, in Started() and Written().
/// At most one write is in flight. Finish is called exactly once, even if the client has
/// disconnected, and the object deletes itself on the loop after gRPC's last callback (OnDone).
/// While a step of Await() is running (such as a load from the store), Finish is delayed, so that
/// the object outlives its own request.
///
/// The call counts as in progress until OnDone, and the bytes of an unsent message count as held.
template <typename Message>
class StreamReactor : public grpc::ServerWriteReactor<Message> {
 public:
  void OnWriteDone(bool ok) final {
    asio::post(endpoint_.loop, [this, ok] { WriteDone(ok); });
  }
  void OnCancel() final {
    gone_.request_stop();
    if (entered()) asio::post(endpoint_.loop, [this] { End(grpc::Status::CANCELLED); });
  }
  void OnDone() final {
    if (!entered()) {
      delete this;
    } else {
      asio::post(endpoint_.loop, [this] { delete this; });
    }
  }

 protected:
  StreamReactor(const Endpoint& endpoint, Entry entry)
      : endpoint_(endpoint), entry_(std::move(entry)) {}
  ~StreamReactor() override = default;

  /// Called once by the creator, on gRPC's thread, when the object is complete.
  void Begin() {
    if (!entered()) return this->Finish(entry_.status);
    asio::post(endpoint_.loop, [this] {
      if (const grpc::Status admitted = endpoint_.Admit(entry_); !admitted.ok()) {
        return End(admitted);
      }
      token_ = endpoint_.calls.Begin([this] { End(Stopping()); });
      Started();
    });
  }

  virtual void Started() = 0;
  /// Called when the last message has been sent and the next one may be written.
  virtual void Written() = 0;
  /// Called before Finish, when no more messages will be written.
  virtual void Ended() {}

  const Caller& caller() const { return entry_.caller; }
  /// Returns a token whose stop is requested when the client no longer reads.
  std::stop_token gone() const { return gone_.get_token(); }
  /// Returns this stream's share of the caller's budget.
  CallShare& share() { return entry_.share; }
  const asio::any_io_executor& loop() const { return endpoint_.loop; }
  bool writing() const { return writing_; }
  bool ended() const { return ended_; }

  /// The message to fill before Write() or WriteLast(); must not be modified while writing().
  Message& message() { return message_; }

  void Write() {
    if (!MayHold()) return;
    writing_ = true;
    this->StartWrite(&message_);
  }
  /// Writes the message and ends the stream with OK.
  void WriteLast() {
    if (!MayHold()) return;
    ended_ = true;
    Ended();
    this->StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }
  /// Ends the stream as soon as no write is in flight; the first status counts.
  void End(const grpc::Status& status) {
    if (ended_) return;
    ended_ = true;
    status_ = status;
    Ended();
    FinishWhenFree();
  }
  /// Runs a step on the loop, one at a time; an error or exception ends the stream.
  void Await(Step step) {
    awaiting_ = true;
    asio::co_spawn(endpoint_.loop, Finished(std::move(step)), asio::detached);
  }

 private:
  asio::awaitable<void> Finished(Step step) {
    const grpc::Status status = co_await StatusOf(step);
    if (!status.ok()) End(status);
    awaiting_ = false;
    FinishWhenFree();
  }
  /// Returns false if the budget has no room for the message; the stream has then ended.
  bool MayHold() {
    const Result<void> room = share().Hold(message_.ByteSizeLong());
    if (!room) {
      InviteRetry(*entry_.context);
      End(ToStatus(room));
    }
    return static_cast<bool>(room);
  }
  bool entered() const { return entry_.status.ok(); }
  void WriteDone(bool ok) {
    writing_ = false;
    static_cast<void>(share().Hold(0));
    if (!ok) End(grpc::Status::CANCELLED);
    if (ended_) return FinishWhenFree();
    Written();
  }
  void FinishWhenFree() {
    if (!status_ || writing_ || awaiting_) return;
    const grpc::Status status = *std::exchange(status_, std::nullopt);
    this->Finish(status);
  }

  const Endpoint& endpoint_;
  Entry entry_;
  std::stop_source gone_;
  LiveCalls::Token token_;
  Message message_;
  bool writing_ = false;
  bool awaiting_ = false;
  bool ended_ = false;
  std::optional<grpc::Status> status_;  ///< the status for Finish, until it is called
};

}  // namespace benchd::rpc
