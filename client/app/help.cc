#include "client/app/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "client/present/text.h"

namespace benchd::client {
namespace {

constexpr int kWidth = 80;
constexpr int kTextColumn = 30;

// Renders "  -n, --name NAME              name of an arm ...", with the text wrapped in its column.
std::string OptionLines(const OptionInfo& option) {
  std::string left = option.letter != 0 ? std::string("  -") + option.letter + ", " : "      ";
  left += "--" + std::string(option.name) + Placeholder(option);
  std::string text;
  if (Width(left) > kTextColumn - 2) {
    text = left + "\n";
    left.clear();
  }
  for (const std::string& line : WrapWords(option.help, kWidth - kTextColumn)) {
    text += PadRight(left, kTextColumn) + line + "\n";
    left.clear();
  }
  return text;
}

std::string CommandLines(std::string_view group) {
  Rows rows;
  for (const Command& command : Commands()) {
    // The help of a group also lists hidden commands.
    if (group.empty() ? command.hidden : GroupOf(command) != group) continue;
    rows.push_back({std::string(command.name), std::string(command.summary)});
  }
  return AlignColumns(rows, 3, 2);
}

std::string Paragraphs(std::string_view text) {
  std::string wrapped;
  for (const std::string& paragraph : Lines(text)) {
    wrapped += "\n";
    for (const std::string& line : WrapWords(paragraph, kWidth)) wrapped += line + "\n";
  }
  return wrapped;
}

std::string ExampleLines(const std::vector<Example>& examples) {
  std::string text;
  for (const Example& example : examples) {
    text += "  " + std::string(example.purpose) + "\n    " + std::string(example.line) + "\n";
  }
  return text.empty() ? text : "\nexamples:\n" + text;
}

std::string ExitCodeLines() {
  std::string text = "exit codes:";
  const char* between = " ";
  for (const ExitCodeText& exit : ExitCodeTexts()) {
    text += fmt::format("{}{} {}", between, exit.code, exit.text);
    between = ", ";
  }
  return Paragraphs(text);
}

}  // namespace

std::span<const ExitCodeText> ExitCodeTexts() {
  static constexpr std::array kCodes = {ExitCodeText{0, "pass"},
                                        ExitCodeText{1, "regression"},
                                        ExitCodeText{2, "usage error or invalid request"},
                                        ExitCodeText{3, "undecided"},
                                        ExitCodeText{4, "session failed"},
                                        ExitCodeText{5, "daemon unavailable or request refused"},
                                        ExitCodeText{6, "cancelled"},
                                        ExitCodeText{74, "output could not be written"},
                                        ExitCodeText{130, "interrupted"}};
  return kCodes;
}

OptionGroups ByGroup(const std::vector<OptionInfo>& options) {
  OptionGroups groups;
  for (const OptionInfo& option : options) {
    auto group = std::ranges::find(groups, option.group, &OptionGroups::value_type::first);
    if (group == groups.end()) group = groups.insert(groups.end(), {option.group, {}});
    group->second.push_back(option);
  }
  return groups;
}

std::string RenderUsage() {
  return "usage: benchctl COMMAND [OPTIONS]\n"
         "\n"
         "  benchctl compare 'sleep 0.1' 'sleep 0.11'  compare two commands\n"
         "  benchctl show                              show your newest session\n"
         "  benchctl list                              list queued and running sessions\n"
         "  benchctl machine doctor                    list sources of measurement noise\n"
         "  benchctl calibrate                         find the smallest detectable change\n"
         "\n"
         "`benchctl help` lists all commands, and `benchctl help compare` describes one.\n";
}

std::string RenderHelp() {
  return "usage: benchctl [OPTIONS] COMMAND [OPTIONS]\n" +
         Paragraphs(
             "Compares the performance of programs. The daemon benchd interleaves their runs, the "
             "confidence interval stays valid however often you look, and the exit code is the "
             "verdict.") +
         "\ncommands:\n" + CommandLines("") +
         "\n`benchctl help COMMAND` shows a command's options and examples.\n" + ExitCodeLines();
}

std::string RenderGroupHelp(std::string_view group) {
  const std::string name(group);
  return "usage: benchctl " + name + " COMMAND [OPTIONS]\n\ncommands:\n" + CommandLines(group) +
         "\n`benchctl help " + name + " COMMAND` shows a command's options and examples.\n";
}

std::string RenderHelp(const Command& command) {
  std::string text = "usage: benchctl " + std::string(command.name) + " " +
                     std::string(command.usage) + "\n\n" + std::string(command.summary) + "\n" +
                     Paragraphs(command.description) + ExampleLines(command.examples);
  for (const auto& [group, options] : ByGroup(AllOptions(command))) {
    text += "\n" + std::string(group) + ":\n";
    for (const OptionInfo& option : options) text += OptionLines(option);
  }
  return text;
}

}  // namespace benchd::client
