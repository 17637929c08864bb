#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// The name of a uid in the system's user database; "uid N" if it is not listed.
std::string UserName(std::uint32_t uid);

/// The value of an environment variable; empty if it is not set.
std::string Variable(const char* name);

/// $HOME, else the home directory in the user database; empty if there is none.
std::string HomeDirectory();

/// The directory for state of programs: $XDG_STATE_HOME, else ~/.local/state.
std::string StateHome();

/// The path of this benchctl; a newer version may have been installed there since it started.
///
/// @errors /proc/self/exe cannot be read
Result<std::string> OwnProgram();

/// Moves every thread of this process to `cpus`, so that benchctl does not disturb measurements.
/// Threads started later inherit the CPUs. An empty list, or CPUs that this process may not use,
/// change nothing.
void MoveToCpus(const std::vector<int>& cpus);

/// How many CPUs this thread may run on.
std::size_t CpusOfThisThread();

}  // namespace benchd::client
