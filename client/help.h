#pragma once

#include <string>
#include <string_view>

#include "client/commands.h"

namespace benchd::client {

/// `benchctl --help`: the commands.
std::string RenderHelp();

/// `benchctl GROUP --help`: the commands whose names begin with that word.
std::string RenderGroupHelp(std::string_view group);

/// `benchctl COMMAND --help`: usage and options by group, 80 columns wide.
std::string RenderHelp(const Command& command);

}  // namespace benchd::client
