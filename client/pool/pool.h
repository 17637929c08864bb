#pragma once

#include <span>
#include <string>

#include "client/app/command.h"

namespace benchd::client {

/// Runs `compare --pool`.
///
/// @param known  the options of compare
Result<ExitCode> RunPool(const CommandContext& context, std::span<const OptionInfo> known);

/// Returns whether the argument of `cancel` is the folder of a pool. CancelPool() cancels its jobs.
bool IsPool(const std::string& word);
Result<ExitCode> CancelPool(const CommandContext& context);

}  // namespace benchd::client
