#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "daemon/wire/messages.h"
#include "tests/support/temp_folder.h"

namespace benchd {

inline constexpr unsigned kNobodyId = 65534;

/// Who the test is, as a session's caller.
Caller OwnCaller();
/// Somebody else, in two more groups; only a root test can run children as this one.
Caller NobodyCaller();

/// Where the runner under test is.
std::string RunnerPath();
/// Gives up root, in a child made by fork only.
void BecomeNobody();

/// With which ids a test's runner is started.
enum class RunnerIds { kOwn, kNobody };
/// Empty, or why a runner cannot be started with those ids here.
std::string CannotStartAs(RunnerIds ids);

/// The identity of a file as benchd-helper would take it; its digest is left out.
ProgramIdentity IdentityOf(const std::string& path);

/// A child that runs `argv`, whose first word is an absolute path.
ChildSpec ChildOf(std::vector<std::string> argv);
/// The same for a script of /bin/sh.
ChildSpec ScriptOf(const std::string& script);

/// A real benchd-runner on a socketpair, and a test's way to talk to it. Killed with the object.
class RunnerProcess {
 public:
  /// `prepare` is called in the new process, before its ids change and the program begins;
  /// `options` are added to its command line.
  explicit RunnerProcess(RunnerIds ids = RunnerIds::kOwn, void (*prepare)() = nullptr,
                         const std::vector<std::string>& options = {});
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess();

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  const wire::HelloReply& hello() const { return hello_; }

  void Send(const wire::Message& message, std::uint64_t request = 1) const;
  /// The next record; an empty optional when the runner hung up.
  std::optional<wire::Record> Receive() const;

  /// The next message of that type; others that come before it are kept for later calls.
  template <typename T>
  T Await() {
    for (auto kept = kept_.begin(); kept != kept_.end(); ++kept) {
      if (!std::holds_alternative<T>(kept->message)) continue;
      const wire::Record record = std::move(*kept);
      kept_.erase(kept);
      return Take<T>(record);
    }
    while (auto record = Receive()) {
      if (std::holds_alternative<T>(record->message)) return Take<T>(*record);
      kept_.push_back(std::move(*record));
    }
    ADD_FAILURE() << "the runner hung up";
    if constexpr (std::is_default_constructible_v<T>) {
      return T{};
    } else {
      return Error{ErrorCode::kUnavailable, "the runner hung up", {}};
    }
  }
  /// The request that the message of the last Await() answers.
  std::uint64_t answered() const { return answered_; }

  Result<void> Open(ChildSpec child, std::uint32_t number = 0);
  void Start(std::int64_t timeout_ns = 60'000'000'000, std::uint32_t padding_bytes = 0);
  /// Of the first or only run of what was started; the batch' error where it has none.
  Result<wire::RunFigures> Finish();
  /// All of it: open, start, finish.
  Result<wire::RunFigures> Run(ChildSpec child, std::int64_t timeout_ns = 60'000'000'000);
  /// Run() of a child that writes its stdout to the log; gives back that.
  std::string OutputOf(ChildSpec child);

  /// Closes this side and waits for the runner's end. @returns its exit code, or -signal.
  int Close();

 private:
  template <typename T>
  T Take(const wire::Record& record) {
    answered_ = record.request;
    return std::get<T>(record.message);
  }

  pid_t pid_ = 0;
  UniqueFd socket_;
  wire::HelloReply hello_;
  std::deque<wire::Record> kept_;
  std::uint64_t answered_ = 0;
};

std::string ReadFile(const std::string& path);

/// A FIFO whose write end a run's processes hold: reading it to the end proves that all are gone.
class Leash {
 public:
  explicit Leash(const TempFolder& folder);

  const std::string& path() const { return path_; }
  /// Waits for a line that a process writes into it, without its newline.
  std::string ReadLine() const;
  /// Waits until no process holds it any more.
  void AwaitEnd() const;

 private:
  std::string path_;
  UniqueFd read_end_;
};

}  // namespace benchd
