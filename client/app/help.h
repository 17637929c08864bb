#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/command.h"

namespace benchd::client {

/// `benchctl` without arguments: the usage and the most common commands.
std::string RenderUsage();

/// `benchctl --help`: the commands.
std::string RenderHelp();

/// `benchctl GROUP --help`: the commands of the group.
std::string RenderGroupHelp(std::string_view group);

/// `benchctl COMMAND --help`: usage, description, examples and options by group, 80 columns wide.
std::string RenderHelp(const Command& command);

/// Options grouped by heading, in the order in which the headings first occur.
using OptionGroups = std::vector<std::pair<std::string_view, std::vector<OptionInfo>>>;
OptionGroups ByGroup(const std::vector<OptionInfo>& options);

/// The meanings of the exit codes, in ascending order.
struct ExitCodeText {
  int code;
  std::string_view text;
};
std::span<const ExitCodeText> ExitCodeTexts();

}  // namespace benchd::client
