#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
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

/// The test's own user, as a session's caller.
Caller OwnCaller();
/// Another user, in two more groups. Only a root test can run children as this user.
Caller NobodyCaller();

/// The path of the runner under test.
std::string RunnerPath();
/// Drops root privileges, in a forked child only.
void BecomeNobody();

/// Makes a system call return an error in this process and its descendants, like the filters of
/// some containers. In a forked child only.
void ForbidCall(long number, int error);

/// The ids with which a test's runner is started.
enum class RunnerIds { kOwn, kNobody };
/// Empty, or why a runner cannot be started with those ids here.
std::string CannotStartAs(RunnerIds ids);

/// The identity of a file as benchd-helper would return it, without the digest.
ProgramIdentity IdentityOf(const std::string& path);

/// A child that runs `argv`, whose first word is an absolute path.
ChildSpec ChildOf(std::vector<std::string> argv);
/// A child that runs a script of /bin/sh.
ChildSpec ScriptOf(const std::string& script);

/// A batch of these children, each in a block of its own.
Batch BatchOf(const std::vector<std::uint32_t>& children);

/// The children of a process, from the kernel's own list. A pass over /proc would take as long as a
/// helper keeps its first nice value.
std::vector<pid_t> ChildrenOf(pid_t parent);

/// A real benchd-runner on a socketpair, and a way to talk to it. Killed with the object.
class RunnerProcess {
 public:
  /// Calls `prepare` in the new process, before its ids change and the program starts. Adds
  /// `options` to its command line.
  explicit RunnerProcess(RunnerIds ids = RunnerIds::kOwn, void (*prepare)() = nullptr,
                         const std::vector<std::string>& options = {},
                         const std::string& program = RunnerPath());
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;
  ~RunnerProcess();

  pid_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  const wire::HelloReply& hello() const { return hello_; }

  void Send(const wire::Message& message, std::uint64_t request = 1) const;
  /// The next record; an empty optional if the runner has disconnected.
  std::optional<wire::Record> Receive() const;

  /// The next message of that type. Earlier messages are kept for later calls.
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
  /// The number of the request that the last Await() answered.
  std::uint64_t answered() const { return answered_; }

  Result<void> Open(ChildSpec child, std::uint32_t number = 0);
  void Start(std::int64_t timeout_ns = 60'000'000'000, std::uint32_t padding_bytes = 0);
  /// The figures of the first or only run; the error of the batch if there are none.
  Result<wire::RunFigures> Finish();
  /// Opens, starts and finishes a child.
  Result<wire::RunFigures> Run(ChildSpec child, std::int64_t timeout_ns = 60'000'000'000);
  /// Runs a child whose stdout goes to the log, and returns the log.
  std::string OutputOf(ChildSpec child);

  /// Closes this side and waits for the end of the runner. @returns its exit code, or -signal.
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

/// A FIFO whose write end the processes of a run hold. Reading it to the end proves that all of
/// them have exited.
class Leash {
 public:
  explicit Leash(const TempFolder& folder);

  const std::string& path() const { return path_; }
  /// Waits for a line that a process writes into it. Returns it without the newline.
  std::string ReadLine() const;
  /// Waits until no process holds it.
  void AwaitEnd() const;

 private:
  std::string path_;
  UniqueFd read_end_;
};

}  // namespace benchd
