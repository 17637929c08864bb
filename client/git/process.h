#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// How a program is run that is waited for.
struct ProcessOrder {
  std::vector<std::string> words;  ///< the program, looked up in PATH, and its arguments
  std::string cwd;                 ///< empty: here
  std::map<std::string, std::string> environment;  ///< over ours
  std::string input;                               ///< its stdin; empty: /dev/null
  bool keeps_output = true;  ///< false: stdout and stderr are ours, and ProcessEnd has none
};

/// What became of it.
struct ProcessEnd {
  int code = 0;  ///< exit code; 128 + N when signal N ended it, as a shell says it
  std::string out;
  std::string err;
};

/// Runs a program to its end. Its output is kept in memory, whole: for programs that say little.
///
/// @errors (exit 2) it cannot be started; `message` is the program's name and why.
Result<ProcessEnd> RunProcess(const ProcessOrder& order);

/// Whether it is a file that this user may run.
bool IsExecutable(const std::string& path);

/// The path of the program of that name in the folder of this one; nothing where there is none.
std::optional<std::string> ProgramBeside(const std::string& name);

/// Waits until a child has ended; its exit code as ProcessEnd has it.
int WaitFor(pid_t pid);

/// `strings` as posix_spawn takes them, with a null pointer at the end; valid as long as they are.
std::vector<char*> ArgumentPointers(std::vector<std::string>& strings);

}  // namespace benchd::client
