#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/git/process.h"
#include "client/link/host.h"
#include "client/link/step_aside.h"
#include "client/pool/pool_folder.h"
#include "client/pool/slurm.h"
#include "client/present/json_value.h"
#include "client/request/quantity.h"
#include "client/terminal/interrupts.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

using TaskClock = std::chrono::steady_clock;

/// A child process whose output is read. It starts with an empty signal mask.
struct Spawned {
  pid_t pid = -1;
  UniqueFd lines;
};

Result<Spawned> SpawnReading(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return UsageError(std::string("pipe: ") + strerror(errno));
  Spawned spawned{-1, UniqueFd(ends[0])};
  const UniqueFd theirs(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawn(&spawned.pid, words.front().c_str(), &actions, &attributes,
                                ArgumentPointers(words).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return UsageError(words.front() + ": " + std::strerror(error));
  return spawned;
}

/// Returns whether a line of `compare --json` is an update or the verdict.
bool HasComparisons(const std::string& line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  return json.is_object() && json.contains("comparisons");
}

/// The task for one machine of a pool. It claims the machine, measures, and keeps the folder up to
/// date.
class PoolTask {
 public:
  PoolTask(PoolFolder folder, TaskState state)
      : folder_(std::move(folder)), state_(std::move(state)) {}

  ExitCode Run(const std::vector<std::string>& words, const LinkOptions& link) {
    StepAside(link);  // its threads inherit the current signal mask
    if (folder_.HasExport(state_.task)) return ExitCode::kPass;  // requeued after it was done
    if (!folder_.Claim(state_.node, state_.task)) return End(TaskState::Kind::kTaken, 0);
    Write();
    const int code = Measure(words);
    const int restarts = std::atoi(Variable("SLURM_RESTART_COUNT").c_str());
    const int exit = TaskExit(code, restarts);
    const bool done = exit == 0 && folder_.TakeExport(state_.task);
    return End(done ? TaskState::Kind::kDone : TaskState::Kind::kFailed, code, exit);
  }

 private:
  // Records the end of the task. A task has failed if a signal ended it or it has no export.
  ExitCode End(TaskState::Kind kind, int code, int exit = 0) {
    state_.kind = kind;
    state_.exit_code = code;
    Write();
    return static_cast<ExitCode>(exit);
  }

  int Measure(const std::vector<std::string>& words) {
    auto spawned = SpawnReading(words);
    if (!spawned) {
      std::cerr << "error: " << spawned.error().message << "\n";
      return static_cast<int>(ExitCode::kUsage);
    }
    // Slurm sends SIGTERM before the time limit and on scancel; compare then cancels its session.
    interrupts_.React({.on_first = [pid = spawned->pid] { kill(pid, SIGTERM); }});
    Read(spawned->lines.get());
    const int code = WaitFor(spawned->pid);
    interrupts_.React({.on_first = [] {}});
    return code;
  }

  // Writes at most every five seconds: a thousand machines may share the file server.
  void Read(int fd) {
    constexpr auto kPeriod = std::chrono::seconds(5);
    auto written = TaskClock::now() - kPeriod;
    std::string text;
    std::array<char, 64 * 1024> bytes;
    while (true) {
      const ssize_t size = read(fd, bytes.data(), bytes.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return;
      text.append(bytes.data(), static_cast<std::size_t>(size));
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        std::string line = text.substr(0, end);
        if (HasComparisons(line)) state_.update = std::move(line);
        text.erase(0, end + 1);
      }
      if (TaskClock::now() - written < kPeriod) continue;
      written = TaskClock::now();
      Write();
    }
  }

  void Write() {
    auto written = folder_.Write(state_);
    if (!written) std::cerr << "warning: " << written.error().message << "\n";
  }

  Interrupts interrupts_;
  PoolFolder folder_;
  TaskState state_;
};

// Slurm runs `pool-task FOLDER TASK compare OPTIONS -- COMMANDS` on each machine.
Result<ExitCode> RunPoolTask(const CommandContext& context) {
  const std::vector<std::string>& words = context.arguments.positionals;
  const auto task = ParseCount(words.size() > 3 ? words[1] : "");
  if (!task || *task == 0 || *task > kMostMachines) {
    return UsageError("pool-task: only Slurm runs this command",
                      "write benchctl compare --pool slurm");
  }
  PoolFolder folder(words[0]);
  if (!folder.IsShared()) {
    return UsageError(words[0] + ": not the same folder as on the login node",
                      "choose a folder that all nodes share: --pool-folder DIR");
  }
  TRY(auto program, OwnProgram());
  TaskState state;
  state.task = static_cast<int>(*task);
  state.node = Variable("SLURMD_NODENAME");
  std::vector<std::string> compare = {program, "compare", "--json",
                                      "--export-json=" + folder.NewExport(state.task)};
  compare.insert(compare.end(), words.begin() + 3, words.end());
  return PoolTask(std::move(folder), std::move(state)).Run(compare, context.link);
}

}  // namespace

Command PoolTaskCommand() {
  return {.name = "pool-task",
          .usage = "FOLDER TASK compare [OPTIONS] COMMAND...",
          .summary = "measure on one machine of a pool",
          .words = Words::kOwn,
          .run = RunPoolTask,
          .hidden = true};
}

}  // namespace benchd::client
