#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"

namespace benchd::client {

// The text that is sent to Slurm and the text that Slurm returns. Pure.

/// The largest number of machines in a pool. Slurm's own limit for an array (MaxArraySize) is
/// usually lower.
inline constexpr std::size_t kMostMachines = 10'000;

/// A request of `compare --pool slurm[:PARTITION] --machines K`.
struct PoolOrder {
  std::string partition;  ///< empty: Slurm's default
  std::size_t machines = 0;
  std::string program;             ///< path of benchctl on this machine
  std::string folder;              ///< absolute; shared by the nodes and the login node
  std::string cwd;                 ///< working directory of the tasks
  std::vector<std::string> words;  ///< arguments of `compare` for each task
};

/// Reads a command line with --pool: the partition, the number of machines, and the arguments of
/// the tasks, which are all except the options of the pool.
///
/// @param known  the options of compare
/// @errors (exit 2) an unknown kind of pool, an invalid number of machines, a missing --runs, or an
///         option that works on one machine only (--detach, --bisect, --host, exports).
Result<PoolOrder> ReadPoolOrder(const ParsedArguments& arguments,
                                std::span<const OptionInfo> known);

/// Checks that sbatch would read both folders of an order unchanged from the script.
///
/// @errors (exit 2) one of them contains a control character, a quote, a backslash or %, which
///         could end a line of the script early or name another file.
Result<void> CheckPoolFolders(const PoolOrder& order);

/// Returns the script for sbatch: a job array with one task per machine.
///
/// @param order  must have passed CheckPoolFolders()
std::string BatchScript(const PoolOrder& order);

/// The states that Slurm reports for the tasks of a pool.
struct SlurmView {
  std::size_t pending = 0;  ///< number of records; Slurm lists waiting tasks as one
  std::size_t running = 0;
  std::string reason;                ///< why tasks are pending
  std::map<int, std::string> ended;  ///< states of ended tasks, by task: "FAILED"
};

/// Reads the output of `squeue --json` for the given jobs (arrays).
///
/// Supports Slurm 22.05 to 24.11: a number is a plain number or an object with `number`; a state is
/// a word or a list of words.
///
/// @errors unexpected output
Result<SlurmView> ReadSqueue(std::string_view json, const std::vector<std::string>& jobs);

/// The state that a task writes to the folder.
struct TaskState {
  enum class Kind { kRunning, kDone, kTaken, kFailed };
  int task = 0;
  std::string node;
  Kind kind = Kind::kRunning;
  int exit_code = 0;   ///< exit code of compare, once it has ended
  std::string update;  ///< the newest line of `compare --json`; may be empty
  bool operator==(const TaskState&) const = default;
};

/// Converts a state to one line of JSON, and back.
std::string TaskStateText(const TaskState& state);
/// @errors the text is not a task state
Result<TaskState> ReadTaskState(std::string_view text);

/// Returns the state with the newest interval of the first gate, such as "node3  running  8 runs
/// +0.3 % (-0.7 % to +0.9 %)".
std::string TaskLine(const TaskState& state);

/// Returns the exit code of a task for the exit code of compare: 0 if there is an export,
/// kTaskRequeue if another attempt may succeed, else that of compare.
int TaskExit(int compare, int restarts);
/// EX_TEMPFAIL, for RequeueExit= in slurm.conf. compare itself never exits with this code.
inline constexpr int kTaskRequeue = 75;
/// RequeueExit= does not limit restarts, so a task fails after this many.
inline constexpr int kMostRestarts = 3;

}  // namespace benchd::client
