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
#include "daemon/ports/ports.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// A way to a benchd-runner: as a child of our own (user mode) or behind a socket (system mode).
///
/// Owned by main.cc, used by one RunnerConnection, which it outlives; on the loop's thread.
class RunnerSource {
 public:
  virtual ~RunnerSource() = default;

  /// A connected SOCK_SEQPACKET socket to a runner that nobody else talks to. Does not wait for the
  /// runner to say anything. Called again only after Disconnected().
  ///
  /// @errors kUnavailable, kNotFound, kPermissionDenied, with what to do about it.
  virtual Result<UniqueFd> Connect() = 0;

  /// The socket of the last Connect() is closed, by either side.
  virtual void Disconnected() = 0;

  /// What a user can do when the runner died, for Error::hint.
  virtual std::string Hint() const = 0;
};

/// What a runner says of itself in the handshake, and which one it is.
struct RunnerFacts : wire::HelloReply {
  RunnerId id = 0;  ///< every request is bound to one, and no other runner ever gets it
};

/// What comes back for a question: its answer, or why there is none.
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

/// The one conversation with benchd-runner: owns the socket and the table of open requests, and
/// resumes whoever waits for an answer. RunnerClient speaks through it.
///
/// A runner that hangs up, cannot be understood or does not answer in time is dead: all requests
/// under way end with kUnavailable "benchd-runner died during ...". The next Connect() meets a
/// fresh one. Lives on the loop's thread; owned by main.cc, outlives the client.
class RunnerConnection {
 public:
  RunnerConnection(asio::any_io_executor executor, RunnerSource& source);
  ~RunnerConnection();
  RunnerConnection(const RunnerConnection&) = delete;
  RunnerConnection& operator=(const RunnerConnection&) = delete;

  /// Called after every handshake, before anybody's request: benchd moves to the housekeeping CPUs.
  void OnConnected(std::function<void(const RunnerFacts&)> action) {
    on_connected_ = std::move(action);
  }
  /// Called when a connection ends other than by Close(); for the log.
  void OnLost(std::function<void(const Error&)> action) { on_lost_ = std::move(action); }

  /// Meets a runner, if there is none at the moment.
  ///
  /// @errors those of RunnerSource::Connect(); kFailedPrecondition when the runner is of another
  ///         version; kUnavailable when it dies or stays silent (10 s), or after Close().
  asio::awaitable<Result<RunnerFacts>> Connect();

  /// Sends `question` to that runner and waits for the answer to it.
  ///
  /// @param what     a literal: the step in the user's words, "benchd-runner died during WHAT"
  /// @param timeout  a runner that is silent for longer is dead
  /// @errors the answer's own; kUnavailable when that runner is gone or goes; kInvalidArgument for
  ///         a message too large.
  template <typename Question>
  asio::awaitable<AnswerTo<Question>> Ask(RunnerId runner, Question question, const char* what,
                                          Nanoseconds timeout) {
    using Answer = typename Question::Answer;
    // Named, not written into the co_await: GCC 12 destroys some temporaries there twice.
    wire::Message message(std::move(question));
    CO_TRY(wire::Message answer,
           co_await Exchange(runner, std::move(message), wire::IndexOf<Answer>(), what, timeout));
    co_return std::get<Answer>(std::move(answer));
  }

  /// Asks that runner, if it lives, to kill the run under way, and allows it 30
  /// s.
  void CancelRun(RunnerId runner);

  /// The runner connected now, 0 without one.
  RunnerId id() const { return facts_ ? facts_->id : 0; }

  /// Hangs up for good, so that the loop can run dry; open requests end with kUnavailable.
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
  /// Ends the connection. `why` completes "benchd-runner died during WHAT"; empty: it hung up.
  void Disconnect(const std::string& why);
  void Disconnect(const std::function<Error(const std::string& what)>& error_of);

  asio::any_io_executor executor_;
  RunnerSource& source_;
  std::function<void(const RunnerFacts&)> on_connected_;
  std::function<void(const Error&)> on_lost_;
  std::optional<asio::posix::stream_descriptor> socket_;
  std::uint64_t connections_ = 0;     // the number of the newest socket
  std::optional<RunnerFacts> facts_;  // present from the handshake on
  bool closed_ = false;
  std::uint64_t next_request_ = 1;
  // By request number; 0 for all who wait for the handshake. They live in their coroutines' frames.
  std::multimap<std::uint64_t, Waiter*> waiters_;
  // Shared by nobody: handlers on the loop hold weak ones, to see that this object is gone.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace benchd
