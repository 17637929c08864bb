#include "daemon/runner_link/runner_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <system_error>

#include "core/base/try.h"
#include "daemon/wire/channel.h"

namespace benchd {
namespace {

constexpr std::uint64_t kHandshake = 0;
constexpr std::chrono::seconds kHelloTimeout{10};
constexpr std::chrono::seconds kCancelTimeout{30};
/// The longest timeout. It prevents an overflow when a user's time limit is added to a clock.
constexpr std::chrono::hours kLongestTimeout{24 * 365};
constexpr const char* kSameBuild =
    "install benchd and benchd-runner from the same build and restart both";

std::string InSeconds(Nanoseconds duration) {
  return fmt::format("{} s", std::chrono::ceil<std::chrono::seconds>(duration).count());
}

}  // namespace

/// A coroutine that waits for one answer. It is registered with the connection during its lifetime.
class RunnerConnection::Waiter {
 public:
  Waiter(RunnerConnection& connection, std::uint64_t request, std::size_t answer_index,
         const char* what, Nanoseconds timeout)
      : connection_(&connection),
        place_(connection.waiters_.emplace(request, this)),
        answer_index_(answer_index),
        what_(what),
        deadline_(connection.executor_) {
    SetTimeout(timeout);
  }
  ~Waiter() { Unregister(); }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  std::size_t answer_index() const { return answer_index_; }
  const char* what() const { return what_; }

  void SetTimeout(Nanoseconds timeout) {
    timeout_ = std::min<Nanoseconds>(timeout, kLongestTimeout);
    deadline_.expires_after(std::chrono::duration_cast<asio::steady_timer::duration>(timeout_));
  }

  /// Delivers the answer and unregisters this waiter. Called by the connection.
  void Answer(Result<wire::Message> answer) {
    answer_ = std::move(answer);
    Unregister();
    deadline_.cancel();
  }

  asio::awaitable<Result<wire::Message>> Wait() {
    while (!answer_) {
      std::error_code stopped;
      co_await deadline_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
      const bool is_late = deadline_.expiry() <= asio::steady_timer::clock_type::now();
      if (!answer_ && is_late) connection_->Disconnect("no answer for " + InSeconds(timeout_));
    }
    co_return std::move(*answer_);
  }

 private:
  void Unregister() {
    if (connection_ != nullptr) connection_->waiters_.erase(place_);
    connection_ = nullptr;
  }

  RunnerConnection* connection_;  // nullptr once answered
  std::multimap<std::uint64_t, Waiter*>::iterator place_;
  std::size_t answer_index_;
  const char* what_;
  Nanoseconds timeout_{};
  asio::steady_timer deadline_;
  std::optional<Result<wire::Message>> answer_;
};

RunnerConnection::RunnerConnection(asio::any_io_executor executor, RunnerSource& source)
    : executor_(std::move(executor)), source_(source) {}

RunnerConnection::~RunnerConnection() { Close(); }

asio::awaitable<Result<RunnerFacts>> RunnerConnection::Connect() {
  // If the runner has just died and this has not been noticed, it must not get the next request.
  if (socket_) {
    pollfd state{socket_->native_handle(), POLLIN, 0};
    if (poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR)) != 0) TakeRecords();
  }
  if (facts_) co_return *facts_;
  if (closed_) co_return Error{ErrorCode::kUnavailable, "benchd is stopping", {}};
  const bool is_fresh = !socket_;
  if (is_fresh) {
    CO_TRY_VOID(OpenSocket());
  }
  Waiter waiter(*this, kHandshake, wire::IndexOf<wire::HelloReply>(), "the handshake",
                kHelloTimeout);
  // The id is read now, because another runner may be connected after the wait.
  const RunnerId id = connections_;
  if (is_fresh) {
    if (auto sent = Send(wire::Hello{}, kHandshake); !sent) Disconnect(sent.error().message);
  }
  CO_TRY(wire::Message answer, co_await waiter.Wait());
  co_return RunnerFacts{std::get<wire::HelloReply>(std::move(answer)), id};
}

asio::awaitable<Result<wire::Message>> RunnerConnection::Exchange(RunnerId runner,
                                                                  wire::Message message,
                                                                  std::size_t answer_index,
                                                                  const char* what,
                                                                  Nanoseconds timeout) {
  if (!facts_ || facts_->id != runner) {
    co_return Error{ErrorCode::kUnavailable, std::string("benchd-runner died before ") + what,
                    source_.Hint()};
  }
  const std::uint64_t request = next_request_++;
  Waiter waiter(*this, request, answer_index, what, timeout);
  if (auto sent = Send(message, request); !sent) {
    if (sent.error().code != ErrorCode::kUnavailable) {
      co_return std::move(sent).error().Within("sending to benchd-runner");
    }
    Disconnect(std::string());
  }
  co_return co_await waiter.Wait();
}

void RunnerConnection::CancelRun(RunnerId runner) {
  if (!facts_ || facts_->id != runner) return;
  constexpr std::size_t finished = wire::IndexOf<wire::BatchFigures>();
  for (const auto& [request, waiter] : waiters_) {
    if (waiter->answer_index() == finished) waiter->SetTimeout(kCancelTimeout);
  }
  if (auto sent = Send(wire::CancelRun{}, kHandshake); !sent) Disconnect(sent.error().message);
}

void RunnerConnection::Close() {
  closed_ = true;
  on_lost_ = nullptr;
  Disconnect([](const std::string& what) {
    return Error{ErrorCode::kUnavailable, "benchd stopped during " + what, {}};
  });
}

Result<void> RunnerConnection::OpenSocket() {
  TRY(auto connected, source_.Connect());
  std::error_code failed;
  socket_.emplace(executor_);
  socket_->assign(connected.get(), failed);
  if (!failed) {
    connected.Release();
    socket_->non_blocking(true, failed);
  }
  if (failed) {
    socket_.reset();
    connected.Reset();
    source_.Disconnected();
    return SystemError("watching the runner's socket", failed.value());
  }
  ++connections_;
  AwaitRecords();
  return {};
}

Result<void> RunnerConnection::Send(const wire::Message& message, std::uint64_t request) {
  return wire::SendRecord(socket_->native_handle(), wire::Encode(message, request));
}

void RunnerConnection::AwaitRecords() {
  socket_->async_wait(asio::posix::stream_descriptor::wait_read,
                      [this, alive = std::weak_ptr<const bool>(alive_),
                       connection = connections_](const std::error_code& stopped) {
                        if (stopped || alive.expired()) return;
                        // The event was queued for a socket that has since been closed.
                        if (!socket_ || connection != connections_) return;
                        TakeRecords();
                        if (socket_) AwaitRecords();
                      });
}

void RunnerConnection::TakeRecords() {
  while (socket_ && TakeRecord()) {
  }
}

/// Reads and handles one record. Returns false if nothing can be read at present, or if the
/// connection has ended.
bool RunnerConnection::TakeRecord() {
  auto record = wire::ReceiveRecord(socket_->native_handle());
  if (!record) {
    if (record.error().code == ErrorCode::kResourceExhausted) return false;
    Disconnect(record.error().message);
    return false;
  }
  if (record->empty()) {
    Disconnect(std::string());
    return false;
  }
  auto decoded = wire::Decode(*record);
  if (!decoded) {
    Disconnect("it sent an invalid message: " + decoded.error().message);
    return false;
  }
  if (auto taken = Dispatch(std::move(*decoded)); !taken) {
    const Error error = std::move(taken).error();
    if (error.code == ErrorCode::kFailedPrecondition) {
      Disconnect([error](const std::string&) { return error; });
    } else {
      Disconnect(error.message);
    }
    return false;
  }
  return true;
}

Result<void> RunnerConnection::Dispatch(wire::Record record) {
  auto& [request, message] = record;
  if (auto* hello = std::get_if<wire::HelloReply>(&message)) return TakeHello(std::move(*hello));
  if (request == kHandshake || request >= next_request_) {
    return Error{ErrorCode::kInternal, "it sent an answer without a request", {}};
  }
  const auto found = waiters_.find(request);
  // The coroutine that sent the request no longer exists.
  if (found == waiters_.end()) return {};
  if (found->second->answer_index() != message.index()) {
    return Error{ErrorCode::kInternal, "it answered with the wrong message type", {}};
  }
  found->second->Answer(std::move(message));
  return {};
}

Result<void> RunnerConnection::TakeHello(wire::HelloReply reply) {
  if (reply.version != wire::kVersion) {
    return Error{ErrorCode::kFailedPrecondition,
                 fmt::format("benchd-runner: uses protocol version {}, but benchd uses version {}",
                             reply.version, wire::kVersion),
                 kSameBuild};
  }
  if (facts_) return Error{ErrorCode::kInternal, "it sent a second HelloReply", {}};
  facts_ = RunnerFacts{reply, connections_};
  while (true) {
    const auto found = waiters_.find(kHandshake);
    if (found == waiters_.end()) break;
    found->second->Answer(wire::Message(reply));
  }
  if (on_connected_) on_connected_(*facts_);
  return {};
}

void RunnerConnection::Disconnect(const std::string& why) {
  const std::string hint = source_.Hint();
  Disconnect([&why, &hint](const std::string& what) {
    return Error{ErrorCode::kUnavailable,
                 "benchd-runner died during " + what + (why.empty() ? "" : ": " + why), hint};
  });
}

void RunnerConnection::Disconnect(const std::function<Error(const std::string& what)>& error_of) {
  if (!socket_) return;
  socket_.reset();
  facts_.reset();
  source_.Disconnected();
  // Each waiter gets an error that names its own request. If there are no waiters, only the log
  // contains the error.
  const Error lost =
      error_of(waiters_.empty() ? "an idle period" : waiters_.begin()->second->what());
  while (!waiters_.empty()) {
    Waiter& waiter = *waiters_.begin()->second;
    waiter.Answer(error_of(waiter.what()));
  }
  if (on_lost_) on_lost_(lost);
}

}  // namespace benchd
