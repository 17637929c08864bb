#pragma once

#include <span>
#include <string>

#include "client/app/command.h"

namespace benchd::client {

/// compare --pool
///
/// @param known  the options of compare
Result<ExitCode> RunPool(const CommandContext& context, std::span<const OptionInfo> known);

/// Whether cancel's word is the folder of a pool, whose jobs CancelPool() gives to scancel.
bool IsPool(const std::string& word);
Result<ExitCode> CancelPool(const CommandContext& context);

}  // namespace benchd::client
