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

/// Connects to a benchd-runner: a child of our own (user mode) or one behind a socket (system
/// mode).
///
/// Owned by main.cc, used by one RunnerConnection, which it outlives; on the loop's thread.
class RunnerSource {
 public:
  virtual ~RunnerSource() = default;

  /// Returns a connected SOCK_SEQPACKET socket to a runner that has no other client. Does not wait
  /// for a message from the runner. Called again only after Disconnected().
  ///
  /// @errors kUnavailable, kNotFound, kPermissionDenied, with a hint.
  virtual Result<UniqueFd> Connect() = 0;

  /// The socket of the last Connect() has been closed, by either side.
  virtual void Disconnected() = 0;

  /// What a user can do after the runner died, for Error::hint.
  virtual std::string Hint() const = 0;
};

/// The runner's own facts from the handshake, and its id.
struct RunnerFacts : wire::HelloReply {
  RunnerId id = 0;  ///< every request is bound to one; never reused by another runner
};

/// The type of an answer: its own if that is a Result, otherwise Result<Answer>.
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

/// The only connection to benchd-runner. Owns the socket and the table of open requests, and
/// resumes the coroutine that waits for an answer. Used by RunnerClient.
///
/// A runner that disconnects, sends an invalid message or does not answer in time is dead: all
/// requests in progress end with kUnavailable "benchd-runner died during ...", and the next
/// Connect() connects to a fresh one. Lives on the loop's thread; owned by main.cc, outlives the
/// client.
class RunnerConnection {
 public:
  RunnerConnection(asio::any_io_executor executor, RunnerSource& source);
  ~RunnerConnection();
  RunnerConnection(const RunnerConnection&) = delete;
  RunnerConnection& operator=(const RunnerConnection&) = delete;

  /// Called after every handshake, before any request: benchd moves to the housekeeping CPUs.
  void OnConnected(std::function<void(const RunnerFacts&)> action) {
    on_connected_ = std::move(action);
  }
  /// Called when a connection ends other than by Close(), for the log.
  void OnLost(std::function<void(const Error&)> action) { on_lost_ = std::move(action); }

  /// Connects to a runner if none is connected.
  ///
  /// @errors those of RunnerSource::Connect(); kFailedPrecondition if the runner has another
  ///         version; kUnavailable if it dies or stays silent (10 s), or after Close().
  asio::awaitable<Result<RunnerFacts>> Connect();

  /// Sends `question` to that runner and waits for its answer.
  ///
  /// @param what     a literal: the step in the user's words, "benchd-runner died during WHAT"
  /// @param timeout  a runner that is silent for longer is dead
  /// @errors the answer's own; kUnavailable if that runner has died or dies; kInvalidArgument for a
  ///         message that is too large.
  template <typename Question>
  asio::awaitable<AnswerTo<Question>> Ask(RunnerId runner, Question question, const char* what,
                                          Nanoseconds timeout) {
    using Answer = typename Question::Answer;
    // Named instead of written into the co_await: GCC 12 destroys some temporaries there twice.
    wire::Message message(std::move(question));
    CO_TRY(wire::Message answer,
           co_await Exchange(runner, std::move(message), wire::IndexOf<Answer>(), what, timeout));
    co_return std::get<Answer>(std::move(answer));
  }

  /// Asks that runner, if it is alive, to kill the run in progress, and allows it 30 s.
  void CancelRun(RunnerId runner);

  /// The current runner; 0 if none is connected.
  RunnerId id() const { return facts_ ? facts_->id : 0; }

  /// Disconnects for good, so that the loop can end; open requests end with kUnavailable.
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
  std::optional<RunnerFacts> facts_;  // present after the handshake
  bool closed_ = false;
  std::uint64_t next_request_ = 1;
  // By request number; 0 for those that wait for the handshake. They live in coroutine frames.
  std::multimap<std::uint64_t, Waiter*> waiters_;
  // Never shared: handlers on the loop hold weak pointers, to detect the end of this object.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace benchd
