#include <algorithm>

#include "client/commands.h"
#include "client/render/text.h"

namespace benchd::client {
namespace {

constexpr int kWidth = 80;
constexpr int kTextColumn = 30;

// "  -n, --name NAME              name of an arm ..." with the text wrapped below itself.
std::string OptionLines(const OptionInfo& option) {
  std::string left = option.letter != 0 ? std::string("  -") + option.letter + ", " : "      ";
  left += "--" + std::string(option.name);
  if (!option.value.empty()) left += " " + std::string(option.value);
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

std::vector<std::vector<std::string>> CommandRows(std::string_view group) {
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : Commands()) {
    if (command.hidden || (!group.empty() && GroupOf(command) != group)) continue;
    rows.push_back({std::string(command.name), std::string(command.summary)});
  }
  return rows;
}

}  // namespace

std::string RenderHelp() {
  std::string text =
      "usage: benchctl COMMAND [OPTIONS]\n\n"
      "Compares programs through benchd: interleaved runs, an interval that holds while it\n"
      "is watched, and a verdict as exit code.\n\ncommands:\n";
  text += AlignColumns(CommandRows(""), 3, 2);
  return text +
         "\n`benchctl COMMAND --help` lists a command's options.\n\n"
         "exit codes: 0 pass, 1 regression, 2 wrong usage, 3 undecided, 4 the session failed,\n"
         "5 no daemon or refused, 6 cancelled, 130 interrupted\n";
}

std::string RenderGroupHelp(std::string_view group) {
  const std::string name(group);
  return "usage: benchctl " + name + " COMMAND [OPTIONS]\n\ncommands:\n" +
         AlignColumns(CommandRows(group), 3, 2) + "\n`benchctl " + name +
         " COMMAND --help` lists a command's options.\n";
}

std::string RenderHelp(const Command& command) {
  std::string text = "usage: benchctl " + std::string(command.name) + " " +
                     std::string(command.usage) + "\n\n" + std::string(command.summary) + "\n";
  if (command.name == "compare" || command.name == "submit") {
    text +=
        "\nCommands are one string each, split by shell quoting rules and executed without a\n"
        "shell: benchctl compare 'gzip -1 -k f' 'gzip -9 -k f'\n"
        "\nTwo commits of one program: benchctl compare --git main..WORKTREE --build make -- "
        "./bench\n";
  }
  if (command.name == "similarity") {
    text +=
        "\nA file is CSV with a column a run, or rows `run,value`; JSON: an array with an array\n"
        "of numbers for each run, or JMH's own result (-rf json); or raw doubles with --shape.\n"
        "Several files are assessed side by side. Advice, never a gate: docs/similarity.md.\n";
  }
  if (command.name == "agreement") {
    text +=
        "\nCSV with a line of names, then a row a subject and a column a reviewer or method; a\n"
        "field is any word, such as similar or dissimilar.\n";
  }
  if (command.name == "analyze") {
    text +=
        "\nA table is CSV with a line of names: the first column is the arm, every further one\n"
        "a metric, except `benchmark`, `pair`, `order` and `started_at`. Rows are taken in their\n"
        "order: benchctl analyze --base v1 --metric latency:lower latency.csv\n"
        "With --parse, files are what a harness wrote, the base's first:\n"
        "benchctl analyze --parse hyperfine old.json new.json\n";
  }
  if (command.name == "calibrate") {
    text +=
        "\nCompares a program with itself. COMMAND is one string, as for compare; without one it "
        "is\n"
        "a shell that counts for about 10 ms.\n";
  }
  const std::vector<OptionInfo> options = AllOptions(command);
  std::vector<std::string_view> groups;
  for (const OptionInfo& option : options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  for (const std::string_view group : groups) {
    text += "\n" + std::string(group) + ":\n";
    for (const OptionInfo& option : options) {
      if (option.group == group) text += OptionLines(option);
    }
  }
  return text;
}

}  // namespace benchd::client
