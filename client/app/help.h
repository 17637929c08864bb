#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/command.h"

namespace benchd::client {

/// Renders the output of `benchctl` without arguments: the usage and the most common commands.
std::string RenderUsage();

/// Renders `benchctl --help`: all commands.
std::string RenderHelp();

/// Renders `benchctl GROUP --help`: the commands of the group.
std::string RenderGroupHelp(std::string_view group);

/// Renders `benchctl COMMAND --help`: the usage, the description, the examples and the options by
/// group, 80 columns wide.
std::string RenderHelp(const Command& command);

/// Options grouped by heading, in the order in which the headings first occur.
using OptionGroups = std::vector<std::pair<std::string_view, std::vector<OptionInfo>>>;
OptionGroups ByGroup(const std::vector<OptionInfo>& options);

/// An exit code and its meaning.
struct ExitCodeText {
  int code;
  std::string_view text;
};
/// Returns the meanings of the exit codes, in ascending order of the codes.
std::span<const ExitCodeText> ExitCodeTexts();

}  // namespace benchd::client
