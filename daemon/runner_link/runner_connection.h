#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "daemon/session/ports.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Connects to a benchd-runner, which is either a child of benchd (user mode) or a service that
/// listens on a socket (system mode).
///
/// Owned by main.cc. Used by one RunnerConnection, which it must outlive. Called on the loop's
/// thread only.
class RunnerSource {
 public:
  virtual ~RunnerSource() = default;

  /// Returns a SOCK_SEQPACKET socket connected to a runner without other clients. Does not wait for
  /// a message from the runner. Called again only after Disconnected().
  ///
  /// @errors kUnavailable, kNotFound, kPermissionDenied, with a hint.
  virtual Result<UniqueFd> Connect() = 0;

  /// Called when the socket of the last Connect() has been closed by either side.
  virtual void Disconnected() = 0;

  /// Returns advice for users after the runner has died, for Error::hint.
  virtual std::string Hint() const = 0;
};

/// The facts that the runner sent in the handshake, and its id.
struct RunnerFacts : wire::HelloReply {
  RunnerId id = 0;  ///< every request names the id of its runner; never reused by another runner
};

/// Determines the type of an answer: Answer itself if it is a Result, otherwise Result<Answer>.
template <typename Answer>
struct ResultOf {
  using type = Result<Answer>;
};
template <typename T>
struct ResultOf<Result<T>> {
  using type = Result<T>;
};
template <typename Question>
using AnswerTo = typename ResultOf<typename Question::Answer>::type;

/// The only connection to benchd-runner. It owns the socket and the table of requests in progress,
/// and resumes the coroutine that waits for an answer. Used by RunnerClient.
///
/// A runner that disconnects, sends an invalid message or does not answer in time is considered
/// dead. All requests in progress then end with kUnavailable "benchd-runner died during ...", and
/// the next Connect() connects to a new runner. Owned by main.cc; it must outlive the client.
/// Called on the loop's thread only.
class RunnerConnection {
 public:
  RunnerConnection(asio::any_io_executor executor, RunnerSource& source);
  ~RunnerConnection();
  RunnerConnection(const RunnerConnection&) = delete;
  RunnerConnection& operator=(const RunnerConnection&) = delete;

  /// Sets a function that is called after every handshake, before any request. benchd uses it to
  /// move to the housekeeping CPUs.
  void OnConnected(std::function<void(const RunnerFacts&)> action) {
    on_connected_ = std::move(action);
  }
  /// Sets a function that is called when a connection ends, except by Close(). It is meant for the
  /// log.
  void OnLost(std::function<void(const Error&)> action) { on_lost_ = std::move(action); }

  /// Connects to a runner if none is connected.
  ///
  /// @errors those of RunnerSource::Connect(); kFailedPrecondition if the runner uses another
  ///         protocol version; kUnavailable if it dies or does not answer within 10 s, or after
  ///         Close().
  asio::awaitable<Result<RunnerFacts>> Connect();

  /// Sends `question` to the runner with the id `runner` and waits for its answer.
  ///
  /// @param what     a literal that names the step for users: "benchd-runner died during WHAT"
  /// @param timeout  the time after which a silent runner is considered dead
  /// @errors those in the answer; kUnavailable if the runner has died or dies; kInvalidArgument for
  ///         a message that is too large.
  template <typename Question>
  asio::awaitable<AnswerTo<Question>> Ask(RunnerId runner, Question question, const char* what,
                                          Nanoseconds timeout) {
    using Answer = typename Question::Answer;
    // A named variable, because GCC 12 destroys some temporaries in a co_await expression twice.
    wire::Message message(std::move(question));
    CO_TRY(wire::Message answer,
           co_await Exchange(runner, std::move(message), wire::IndexOf<Answer>(), what, timeout));
    co_return std::get<Answer>(std::move(answer));
  }

  /// Requests that the runner, if it is alive, kill the run in progress within 30 s.
  void CancelRun(RunnerId runner);

  /// Returns the id of the current runner; 0 if none is connected.
  RunnerId id() const { return facts_ ? facts_->id : 0; }

  /// Disconnects permanently, so that the loop can end. Requests in progress end with kUnavailable.
  void Close();

 private:
  class Waiter;

  asio::awaitable<Result<wire::Message>> Exchange(RunnerId runner, wire::Message message,
                                                  std::size_t answer_index, const char* what,
                                                  Nanoseconds timeout);
  Result<void> OpenSocket();
  Result<void> Send(const wire::Message& message, std::uint64_t request);
  void AwaitRecords();
  void TakeRecords();
  bool TakeRecord();
  Result<void> Dispatch(wire::Record record);
  Result<void> TakeHello(wire::HelloReply reply);
  /// Ends the connection. `why` is appended to "benchd-runner died during WHAT"; it is empty if the
  /// runner hung up.
  void Disconnect(const std::string& why);
  void Disconnect(const std::function<Error(const std::string& what)>& error_of);

  asio::any_io_executor executor_;
  RunnerSource& source_;
  std::function<void(const RunnerFacts&)> on_connected_;
  std::function<void(const Error&)> on_lost_;
  std::optional<asio::posix::stream_descriptor> socket_;
  std::uint64_t connections_ = 0;     // the number of the latest socket
  std::optional<RunnerFacts> facts_;  // present after the handshake
  bool closed_ = false;
  std::uint64_t next_request_ = 1;
  // Waiters by request number; 0 for those that wait for the handshake. They are part of coroutine
  // frames.
  std::multimap<std::uint64_t, Waiter*> waiters_;
  // Has no other owner. Handlers on the loop hold weak pointers to detect the end of this object.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace benchd
