#pragma once

#include <span>
#include <string>

#include "client/app/command.h"

namespace benchd::client {

/// Runs `compare --pool`.
///
/// @param known  the options of compare
Result<ExitCode> RunPool(const CommandContext& context, std::span<const OptionInfo> known);

/// Whether the argument of `cancel` is the folder of a pool, whose jobs CancelPool() cancels.
bool IsPool(const std::string& word);
Result<ExitCode> CancelPool(const CommandContext& context);

}  // namespace benchd::client
