#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// The name of a uid in the system's user database, "uid N" where it has none.
std::string UserName(std::uint32_t uid);

/// A variable of the environment; empty where it is not set.
std::string Variable(const char* name);

/// $HOME, else what the user database says; empty where neither knows.
std::string HomeDirectory();

/// Where programs keep what they know: $XDG_STATE_HOME, else ~/.local/state.
std::string StateHome();

/// The path of this benchctl, which may have been replaced by a newer one.
///
/// @errors /proc does not tell
Result<std::string> OwnProgram();

/// Moves every thread of this process to `cpus`, so that benchctl never runs where something is
/// measured; threads started later inherit it. An empty list, or CPUs that are not ours, change
/// nothing.
void MoveToCpus(const std::vector<int>& cpus);

/// How many CPUs this thread may run on.
std::size_t CpusOfThisThread();

}  // namespace benchd::client
