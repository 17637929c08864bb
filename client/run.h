#pragma once

#include <string>
#include <vector>

#include "client/exit_code.h"

namespace benchd::client {

/// benchctl from its words (without the program's name) to its exit code. Errors become `error:`
/// and `hint:` lines on stderr.
ExitCode RunBenchctl(const std::vector<std::string>& words);

/// "error: ..." and, where there is something to do, "hint: ..." on stderr: for a command that goes
/// on after it. What a command returns is printed by RunBenchctl.
void PrintError(const Error& error);

}  // namespace benchd::client
