#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/command.h"

namespace benchd::client {

/// `benchctl` alone: how to go on.
std::string RenderUsage();

/// `benchctl --help`: the commands.
std::string RenderHelp();

/// `benchctl GROUP --help`: the commands whose names begin with that word.
std::string RenderGroupHelp(std::string_view group);

/// `benchctl COMMAND --help`: usage, description, examples and options by group, 80 columns wide.
std::string RenderHelp(const Command& command);

/// Options by their headings, in the order in which those come first.
using OptionGroups = std::vector<std::pair<std::string_view, std::vector<OptionInfo>>>;
OptionGroups ByGroup(const std::vector<OptionInfo>& options);

/// What the exit codes say, in ascending order.
struct ExitCodeText {
  int code;
  std::string_view text;
};
std::span<const ExitCodeText> ExitCodeTexts();

}  // namespace benchd::client
