#pragma once

#include <string>
#include <vector>

#include "client/exit_code.h"

namespace benchd::client {

/// benchctl from its words (without the program's name) to its exit code. Errors become `error:`
/// and `hint:` lines on stderr.
ExitCode RunBenchctl(const std::vector<std::string>& words);

}  // namespace benchd::client
