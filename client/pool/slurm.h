#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"

namespace benchd::client {

// What is said to Slurm and what it answers, as text. Pure.

/// More machines than that are no pool; Slurm's own limit for an array (MaxArraySize) is usually
/// lower.
inline constexpr std::size_t kMostMachines = 10'000;

/// `compare --pool slurm[:PARTITION] --machines K`.
struct PoolOrder {
  std::string partition;  ///< empty: Slurm's default
  std::size_t machines = 0;
  std::string program;             ///< benchctl, by its path here
  std::string folder;              ///< of this comparison, absolute; nodes and login share it
  std::string cwd;                 ///< where tasks begin
  std::vector<std::string> words;  ///< of `compare`, for each task
};

/// Partition and machines of a command line with --pool, and the words that its tasks get: all of
/// it but what belongs to the pool.
///
/// @param known  the options of compare
/// @errors (exit 2) a pool that is not Slurm's, no number of machines, no --runs, or what makes
///         sense on one machine only (--detach, --bisect, --host, exports).
Result<PoolOrder> ReadPoolOrder(const ParsedArguments& arguments,
                                std::span<const OptionInfo> known);

/// Whether sbatch would find both folders of an order, which its script names.
///
/// @errors (exit 2) one of them has a control character, a quote, a backslash or %: lines of the
///         script could end where they should not, or name another file.
Result<void> CheckPoolFolders(const PoolOrder& order);

/// What sbatch is given: an array of one task a machine.
///
/// @param order  one whose folders have been checked
std::string BatchScript(const PoolOrder& order);

/// How Slurm says that the tasks of a pool stand.
struct SlurmView {
  std::size_t pending = 0;  ///< records: those that wait are one
  std::size_t running = 0;
  std::string reason;                ///< why those that wait do
  std::map<int, std::string> ended;  ///< by task, those that have ended: "FAILED"
};

/// Reads `squeue --json` for the given jobs (arrays).
///
/// Of Slurm 22.05 to 24.11: a number is one, or an object with `number`; a state is a word, or a
/// list of them.
///
/// @errors no JSON of squeue's
Result<SlurmView> ReadSqueue(std::string_view json, const std::vector<std::string>& jobs);

/// What a task has left in the folder.
struct TaskState {
  enum class Kind { kRunning, kDone, kTaken, kFailed };
  int task = 0;
  std::string node;
  Kind kind = Kind::kRunning;
  int exit_code = 0;   ///< of compare, once it has ended
  std::string update;  ///< the newest line of `compare --json`; may be empty
  bool operator==(const TaskState&) const = default;
};

/// One line of JSON, and back.
std::string TaskStateText(const TaskState& state);
/// @errors no state of a task
Result<TaskState> ReadTaskState(std::string_view text);

/// "node3  running  8 runs  +0.3 % (-0.7 … +0.9 %)": the first gate's newest interval.
std::string TaskLine(const TaskState& state);

/// The exit code of a task, of what compare ended with: 0 where the machine has its export,
/// kTaskRequeue for what another try may mend, else compare's own.
int TaskExit(int compare, int restarts);
/// EX_TEMPFAIL: what RequeueExit= of slurm.conf may name. compare never ends with it.
inline constexpr int kTaskRequeue = 75;
/// A site that requeues by exit code does so without end: after that many tries a task fails.
inline constexpr int kMostRestarts = 3;

}  // namespace benchd::client
