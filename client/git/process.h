#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// How to run a program to its end.
struct ProcessOrder {
  std::vector<std::string> words;  ///< the program, looked up in PATH, and its arguments
  std::string cwd;                 ///< working directory; empty: that of this process
  std::map<std::string, std::string> environment;  ///< added to this process's own
  std::string input;                               ///< stdin; empty: /dev/null
  bool keeps_output = true;  ///< false: the program inherits stdout and stderr
};

/// How the program ended.
struct ProcessEnd {
  int code = 0;  ///< exit code; 128 + N if signal N ended it, as in a shell
  std::string out;
  std::string err;
};

/// Runs a program to its end. The whole output is kept in memory, so it must be small.
///
/// @errors (exit 2) the program cannot be started: "PROGRAM: REASON".
Result<ProcessEnd> RunProcess(const ProcessOrder& order);

/// Returns whether `path` is a file that this user may execute.
bool IsExecutable(const std::string& path);

/// Returns the path of the program `name` in the folder of this program, if it exists.
std::optional<std::string> ProgramBeside(const std::string& name);

/// Waits until a child has ended and returns its exit code in the form of ProcessEnd::code.
int WaitFor(pid_t pid);

/// Returns pointers to `strings` for posix_spawn, with a null pointer at the end. They are valid as
/// long as `strings` is.
std::vector<char*> ArgumentPointers(std::vector<std::string>& strings);

}  // namespace benchd::client
