#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// Returns the name of a uid from the system's user database, or "uid N" if it is not listed.
std::string UserName(std::uint32_t uid);

/// Returns the value of an environment variable; empty if it is not set.
std::string Variable(const char* name);

/// Returns $HOME, else the home directory in the user database; empty if there is none.
std::string HomeDirectory();

/// Returns the directory for the state of programs: $XDG_STATE_HOME, else ~/.local/state.
std::string StateHome();

/// Returns the path of this benchctl. A newer version may have been installed there meanwhile.
///
/// @errors /proc/self/exe cannot be read
Result<std::string> OwnProgram();

/// Returns the number of CPUs on which this thread may run.
std::size_t CpusOfThisThread();

}  // namespace benchd::client
