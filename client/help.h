#pragma once

#include <string>

#include "client/commands.h"

namespace benchd::client {

/// `benchctl --help`: the commands.
std::string RenderHelp();

/// `benchctl COMMAND --help`: usage and options by group, 80 columns wide.
std::string RenderHelp(const Command& command);

}  // namespace benchd::client
