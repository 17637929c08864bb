#include "client/pool/pool.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "client/app/output.h"
#include "client/git/process.h"
#include "client/link/host.h"
#include "client/pool/pool_folder.h"
#include "client/pool/slurm.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

// Runs a command of Slurm. Its errors are one line that names the command.
Result<std::string> AskSlurm(std::vector<std::string> words) {
  const std::string command = words.front();
  auto end = RunProcess({.words = std::move(words)});
  if (!end) {
    return ConnectionError(end.error().message,
                           "--pool slurm needs Slurm's commands in PATH, on a login node");
  }
  if (end->code == 0) return std::move(end->out);
  const std::vector<std::string> lines = Lines(end->err);
  return ConnectionError(lines.empty() ? fmt::format("{}: exit code {}", command, end->code)
                                       : Printable(lines.back()));
}

Result<std::string> Scancel(const std::vector<std::string>& jobs) {
  std::vector<std::string> words = {"scancel"};
  words.insert(words.end(), jobs.begin(), jobs.end());
  return AskSlurm(std::move(words));
}

/// Submits the tasks of a pool, waits until they have ended, and combines their exports.
class SlurmPool {
 public:
  SlurmPool(PoolOrder order, PoolFolder folder, bool json)
      : order_(std::move(order)), folder_(std::move(folder)), json_(json) {}

  Result<ExitCode> Run() {
    interrupts_.React({.on_first = [] {}});  // from now on, an interrupt cancels the tasks
    auto submitted = Submit({});
    if (!submitted) {
      folder_.Remove();
      return std::move(submitted).error();
    }
    PrintToStderr("pool " + folder_.path() + ": Slurm job " + jobs_.front() + ", " +
                  Counted(order_.machines, "machine"));
    constexpr int kRounds = 3;
    for (int round = 0;; ++round) {
      TRY_VOID(AwaitEnd());
      if (interrupts_.interrupted()) return CancelAll();
      const std::string again = Displaced();
      if (again.empty() || round == kRounds) break;
      auto resubmitted =
          Submit({"--array=" + again, "--exclude=" + Join(folder_.ClaimedNodes(), ",")});
      if (resubmitted) continue;
      PrintToStderr("no other machine for task " + again + ": " + resubmitted.error().message);
      break;
    }
    return Conclude();
  }

 private:
  Result<void> Submit(std::vector<std::string> more) {
    std::vector<std::string> words = {"sbatch", "--parsable"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(folder_.path() + "/job.sh");
    TRY(auto said, AskSlurm(std::move(words)));
    jobs_.push_back(said.substr(0, said.find_first_of(";\n")));  // JOB[;CLUSTER]
    folder_.AddJob(jobs_.back());  // lets `benchctl cancel FOLDER` find the job
    return {};
  }

  // Returns the tasks that ran on a node that another task had claimed.
  std::string Displaced() const {
    std::vector<std::string> tasks;
    for (const TaskState& state : folder_.ReadStates(order_.machines)) {
      if (state.kind == TaskState::Kind::kTaken) tasks.push_back(std::to_string(state.task));
    }
    return Join(tasks, ",");
  }

  // Waits until Slurm reports no live task twice in a row: the task of a failed node counts as
  // ended for a moment before Slurm requeues it.
  Result<void> AwaitEnd() {
    constexpr auto kPeriod = std::chrono::seconds(3);
    constexpr int kMostFailures = 100;  // five minutes without Slurm
    for (int quiet = 0, failures = 0; quiet < 2 && !interrupts_.interrupted();) {
      interrupts_.Wait(kPeriod);
      auto view = Look();
      if (!view && ++failures == kMostFailures) return std::move(view).error();
      if (!view) {
        if (failures == 1) PrintToStderr(view.error().message + "; trying again");
        continue;
      }
      failures = 0;
      quiet = view->pending + view->running == 0 ? quiet + 1 : 0;
      for (const auto& [task, state] : view->ended) ended_[task] = state;
      PrintProgress(*view);
    }
    return {};
  }

  Result<SlurmView> Look() const {
    auto said = AskSlurm({"squeue", "--json", "--states=all", "--jobs=" + Join(jobs_, ",")});
    // The job ended so long ago that Slurm has forgotten it (MinJobAge).
    const bool forgotten =
        !said && said.error().message.find("Invalid job id") != std::string::npos;
    if (forgotten) return SlurmView();
    if (!said) return std::move(said).error();
    return ReadSqueue(*said, jobs_);
  }

  // Prints new states of machines, and why tasks are waiting.
  void PrintProgress(const SlurmView& view) {
    for (const TaskState& state : folder_.ReadStates(order_.machines)) {
      const std::string line = TaskLine(state);
      std::string& told = told_[state.task];
      if (line != told) PrintToStderr(line);
      told = line;
    }
    std::string waits;
    if (view.pending > 0) waits = "waiting for Slurm: " + Printable(view.reason);
    if (waits != waits_ && !waits.empty()) PrintToStderr(waits);
    waits_ = waits;
  }

  ExitCode CancelAll() {
    auto cancelled = Scancel(jobs_);
    PrintToStderr(cancelled ? "cancelled Slurm job " + Join(jobs_, ", ")
                            : "cannot cancel: " + cancelled.error().message);
    return ExitCode::kInterrupted;
  }

  Result<ExitCode> Conclude() {
    std::vector<std::string> words = {order_.program, "combine",
                                      fmt::format("--expect-machines={}", order_.machines)};
    if (json_) words.push_back("--json");
    const std::size_t options = words.size();
    for (int task = 1; task <= static_cast<int>(order_.machines); ++task) {
      if (folder_.HasExport(task)) {
        words.push_back(std::filesystem::path(folder_.Export(task)).filename().string());
      } else {
        ReportMissing(task);
      }
    }
    if (words.size() == options) return NoExport();
    TRY(auto end,
        RunProcess({.words = std::move(words), .cwd = folder_.path(), .keeps_output = false}));
    return static_cast<ExitCode>(end.code);
  }

  void ReportMissing(int task) const {
    const auto ended = ended_.find(task);
    std::cerr << "warning: no result from task " << task
              << (ended == ended_.end() ? "" : ": Slurm reports " + Printable(ended->second))
              << "; see " << folder_.path() << "/task-" << task << ".log\n";
  }

  Result<ExitCode> NoExport() const {
    if (folder_.ReadStates(order_.machines).empty()) {
      return ConnectionError(folder_.path() + ": no task has written to it",
                             "name a folder that the nodes share with this machine: "
                             "--pool-folder DIR");
    }
    return ConnectionError("pool: no machine produced a result",
                           "see the logs in " + folder_.path());
  }

  Interrupts interrupts_;
  const PoolOrder order_;
  const PoolFolder folder_;
  const bool json_;
  std::vector<std::string> jobs_;
  std::map<int, std::string> ended_;  ///< final state in Slurm, by task
  std::map<int, std::string> told_;
  std::string waits_;
};

}  // namespace

Result<ExitCode> RunPool(const CommandContext& context, std::span<const OptionInfo> known) {
  TRY(auto order, ReadPoolOrder(context.arguments, known));
  TRY(auto program, OwnProgram());
  order.program = std::move(program);
  std::error_code error;
  order.cwd = std::filesystem::current_path(error).string();
  const std::string* given = LastValue(context.arguments, "pool-folder");
  const std::string parent = given != nullptr ? *given : order.cwd;
  order.folder = PoolFolder::Pattern(parent);
  TRY_VOID(CheckPoolFolders(order));
  if (IsGiven(context.arguments, "dry-run")) {
    std::cout << BatchScript(order);
    return ExitCode::kPass;
  }
  TRY(auto folder, PoolFolder::Make(parent));
  order.folder = folder.path();
  TRY(auto script, NewFile::Prepare(folder.path() + "/job.sh"));
  TRY_VOID(script.Write(BatchScript(order)));
  return SlurmPool(std::move(order), std::move(folder), context.json).Run();
}

bool IsPool(const std::string& word) {
  return PoolFolder(word).Name().starts_with(kPoolPrefix) && !PoolFolder(word).Jobs().empty();
}

Result<ExitCode> CancelPool(const CommandContext& context) {
  const PoolFolder folder(context.word);
  const std::vector<std::string> jobs = folder.Jobs();
  TRY_VOID(Scancel(jobs));
  if (context.json) {
    std::cout << CancelJson(folder.Name(), v1::SESSION_STATE_CANCELLED, Now()) << "\n";
  } else {
    std::cout << "cancelled Slurm job " << Join(jobs, ", ") << "\n";
  }
  return ExitCode::kPass;
}

}  // namespace benchd::client
