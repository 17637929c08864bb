#include <algorithm>
#include <array>

#include "client/commands/commands.h"
#include "client/present/text.h"

namespace benchd::client {
namespace {

constexpr std::string_view kAdmins =
    "Admins are root and the members of the group that the daemon's configuration names "
    "(benchd-admin).";

const std::vector<CommandHelp>& Texts() {
  static const std::vector<CommandHelp> texts = {
      {"compare",
       "Runs the commands interleaved until it is clear whether a candidate is slower than the "
       "base by more than the margin, and exits with the verdict: 0 pass, 1 regression, "
       "3 undecided.\n"
       "Each command is one string. It is split by shell quoting rules and executed without a "
       "shell; --shell runs it by `sh -c`, and without it unquoted shell syntax such as <, |, "
       "$HOME "
       "or *.txt is refused. Of several commands the first is the base, and each "
       "other one is compared with it.",
       {{"Does level 9 take more than 2 % longer than level 1?",
         "benchctl compare 'gzip -1 -k -f data' 'gzip -9 -k -f data'"},
        {"Gate on CPU time with a margin of 1 %, for two minutes at most:",
         "benchctl compare --metric cpu_time:1% --max-time 2m ./old ./new"},
        {"The last tag against the working tree, built by make:",
         "benchctl compare --git v1.5..WORKTREE --build make -- ./bench --filter parse"},
        {"Keep today's program:", "benchctl compare --save main './bench --filter parse'"},
        {"After the next build, compare with it:", "benchctl compare --against main"},
        {"Is it the code, or where the linker put it? Eight builds of each commit:",
         "benchctl compare --git v1.5..WORKTREE --build make --layouts 8 -- ./bench"},
        {"A suite of benchmarks from a file, only those that match:",
         "benchctl compare -f suite.toml --only 'parse*'"},
        {"On another machine, through ssh:",
         "benchctl compare --host ssh://ci@bench7 'a/bench' 'b/bench'"},
        {"One verdict from eight machines of a Slurm cluster:",
         "benchctl compare --pool slurm:bench --machines 8 --runs 30 ./old ./new"}}},
      {"submit",
       "Puts a session into the queue, prints its ID and exits without waiting for the verdict. "
       "It takes the options of `compare`.",
       {{"Compare later what is built now, and say what it was:",
         "benchctl submit --label branch=main ./old ./new"}}},
      {"watch",
       "Follows a session until it ends and exits as `compare` does. Ctrl-C stops watching; the "
       "session goes on.",
       {{"Reattach to a session:", "benchctl watch k3x9m2pq"}}},
      {"list",
       "Lists queued and running sessions, the newest first. Of other users' sessions only the "
       "ID, the user and the state are shown.",
       {{"What was compared on this branch?", "benchctl list --all --label branch=main"},
        {"The IDs of failed sessions, for a script:", "benchctl list --state failed --json"}}},
      {"show",
       "Shows what was asked, what was measured, how the machine was set up, and the commands "
       "that run the session again or compute its numbers again.",
       {{"Show a session together with the output of its runs:", "benchctl show --log k3x9m2pq"}}},
      {"history",
       "Without BENCHMARK, lists the benchmarks of your sessions: how many verdicts each has, the "
       "newest, and the newest step in its values. With one, shows its verdicts, oldest first, and "
       "between them the steps: places where the values changed for good.\n"
       "Verdicts stay when their sessions are deleted. Sessions without a suite belong to the "
       "benchmark `main`, where each command has a history of its own.\n"
       "Steps are searched for by E-divisive means, only among entries that were measured on the "
       "same machine with the same kernel and settings. Where one of these changed, a line says "
       "so.",
       {{"Since when is the parser slower?", "benchctl history parse"},
        {"All change points of the last 500 verdicts, for a script:",
         "benchctl history parse --last 500 --json"},
        {"A page to look at:", "benchctl history parse -o history.html"},
        {"What several machines have sent to a database:",
         "benchctl history parse --database postgresql://db.example.com/bench"}}},
      {"cancel",
       "Cancels a session. One that is running stops at once; its cleanup commands still run. "
       "You may cancel your own sessions, admins may cancel any. Of `compare --pool slurm`, name "
       "the folder: it is scancel of all its tasks.",
       {{"Cancel a session by the beginning of its ID:", "benchctl cancel k3x9"},
        {"Cancel a comparison on Slurm's machines:", "benchctl cancel benchd-pool-k3Xw2a"}}},
      {"move",
       "Sets the priority of a queued session. Sessions with a higher priority run first; "
       "everyone may lower the priority of their own.",
       {{"Let everybody else go first:", "benchctl move k3x9m2pq --priority -1"}}},
      {"pause", kAdmins, {{"Keep the machine free after the present session:", "benchctl pause"}}},
      {"resume", kAdmins, {{"Let the queue go on:", "benchctl resume"}}},
      {"drain", kAdmins, {{"Empty the queue before maintenance:", "benchctl drain"}}},
      {"export",
       "Prints the runs of a session to stdout, for other tools and for `benchctl analyze`.",
       {{"Keep the measurements of a session:", "benchctl export k3x9m2pq > runs.csv"}}},
      {"report",
       "Writes one HTML page that needs no network and no script: the verdict, every comparison "
       "against its margin, the runs of both arms, the machine, and how to run it again.\n"
       "A word with a dot or a slash is a file: JSON as `export --format json` writes it, or a "
       "table as `analyze` reads it, with the options below for tables. No daemon is needed then. "
       "Several are sections of one page.",
       {{"A page about your newest session:", "benchctl report -o report.html"},
        {"Two sessions, of two machines perhaps, side by side:",
         "benchctl report k3x9m2pq other.json -o report.html"},
        {"A picture for a pull request:",
         "benchctl report k3x9m2pq --svg wall_time -o wall_time.svg"}}},
      {"analyze",
       "Computes the same statistics as `compare` from a table, without a daemon.\n"
       "A table is CSV with a header: the first column names the arm, every other column is a "
       "metric, except `role`, `benchmark`, `pair`, `order`, `started_at` and `exit_code`. Rows "
       "are "
       "analyzed in the order of the file.\n"
       "With --parse, files are what a harness wrote, the base's first: one look at runs that were "
       "not interleaved.",
       {{"Analyze what a session has measured:", "benchctl export k3x9m2pq | benchctl analyze -"},
        {"Latencies measured elsewhere, lower is better:",
         "benchctl analyze --base v1 --metric latency:lower latency.csv"},
        {"What hyperfine has written, before and after:",
         "benchctl analyze --parse hyperfine old.json new.json"}}},
      {"similarity",
       "A file is CSV with one column per run, or with rows `run,value`; or JSON, an array of "
       "numbers for each run or JMH's own result (-rf json); or raw doubles with --shape. Several "
       "files are assessed side by side.\n"
       "The result is advice and never decides a gate; see docs/similarity.md.",
       {{"Do the runs of a benchmark resemble each other?", "benchctl similarity runs.csv"},
        {"Ten runs of 3000 raw doubles each:", "benchctl similarity --shape 10x3000 runs.f64"}}},
      {"agreement",
       "Reads CSV with a header, one row per subject and one column per rater; a rating may be "
       "any word, such as similar or dissimilar.",
       {{"How well do two methods agree with the reviewers?",
         "benchctl agreement --subjects name --truth reviewers ratings.csv"}}},
      {"combine",
       "Reads what `export --format json` wrote of the same comparison on several machines and "
       "gives "
       "one verdict: the machine is the unit, so it takes four machines, however many runs each "
       "has. Exit codes are those of `compare`; under four machines there is a table and no "
       "verdict "
       "(3).\n"
       "A session is counted once, several of one machine are averaged, and an export that was cut "
       "off or has no verdict is named and left out. Give each machine a fixed number of runs "
       "(--runs N).",
       {{"Is it slower, whatever the machine?",
         "benchctl combine node1.json node2.json node3.json node4.json"},
        {"In a job whose machines may fail:", "benchctl combine --expect-machines 8 node*.json"}}},
      {"calibrate",
       "Compares a program with itself. COMMAND is one string, as in `compare`; without it a "
       "shell that counts for about 10 ms is measured.\n"
       "With several kinds of isolation or several machine profiles, or --each, it tries them: "
       "short "
       "sessions under each in random order, ten of each at least. The spread of runs is compared, "
       "and a sentence says which to make the default. Everything is given back after each.",
       {{"Which change could be detected in a minute?", "benchctl calibrate"},
        {"Does isolation help on this machine?",
         "benchctl calibrate --isolation off,best-effort,strict"},
        {"Which of its settings do?", "benchctl calibrate --each"},
        {"The same for a program of your own, in five minutes:",
         "benchctl calibrate --for 5m './bench --filter parse'"}}},
      {"arm list",
       "A stored arm is a copy of a program with its SHA-256, its command and where it ran. "
       "`compare --against NAME` runs it again, interleaved with the candidate.",
       {{"What is there to compare with?", "benchctl arm list"}}},
      {"arm remove", "Removes the copy.", {{"Forget one:", "benchctl arm remove main"}}},
      {"top",
       "Shows the machine, the settings that are held, the running session with its intervals, and "
       "the queue, until `q` or Ctrl-C. It is redrawn with every event and once a second; where "
       "stdout is no terminal, it is one line a second.\n"
       "What happens to your own session is told by its stream; the daemon is asked for the rest "
       "every 30 seconds while that runs, since every question disturbs a run, else every two.",
       {{"Watch the machine:", "benchctl top"},
        {"How the queue stands, for a script:", "benchctl top --count 1 --json"}}},
      {"machine status",
       "Shows the settings of the machine that the profile PROFILE asks for (default: default).",
       {{"What would the profile `strict` hold here?", "benchctl machine status strict"}}},
      {"machine doctor",
       "Observes the machine for a moment and lists what disturbs measurements, each with a "
       "remedy.",
       {{"Why are the results noisy?", "benchctl machine doctor"}}},
      {"machine apply",
       kAdmins,
       {{"Hold the settings of a profile beyond sessions:", "benchctl machine apply strict"}}},
      {"machine restore", kAdmins, {{"Undo `machine apply`:", "benchctl machine restore"}}},
      {"machine reserve",
       "Waits for its turn, then holds the machine until the time is over or Ctrl-C gives it "
       "back. Sessions wait meanwhile.",
       {{"Half an hour for work by hand:", "benchctl machine reserve --for 30m"}}},
      {"version", "Starts no daemon.", {{"Which versions are these?", "benchctl version"}}},
      {"help",
       "`benchctl COMMAND --help` shows the same.",
       {{"The options of a command:", "benchctl help compare"},
        {"The commands of a group:", "benchctl help machine"}}},
  };
  return texts;
}

}  // namespace

const CommandHelp& TextOf(const Command& command) {
  static const CommandHelp kNone;
  const auto found = std::ranges::find(Texts(), command.name, &CommandHelp::command);
  return found == Texts().end() ? kNone : *found;
}

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

std::string CommandLines(std::string_view group) {
  Rows rows;
  for (const Command& command : Commands()) {
    // Who asks for a group by its name knows it.
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
    text += between + std::to_string(exit.code) + " " + std::string(exit.text);
    between = ", ";
  }
  return Paragraphs(text);
}

}  // namespace

std::span<const ExitCodeText> ExitCodeTexts() {
  static constexpr std::array kCodes = {ExitCodeText{0, "pass"},
                                        ExitCodeText{1, "regression"},
                                        ExitCodeText{2, "wrong usage or an invalid request"},
                                        ExitCodeText{3, "undecided"},
                                        ExitCodeText{4, "the session failed"},
                                        ExitCodeText{5, "no daemon, or it refused"},
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
         "       benchctl compare [OPTIONS] 'BASE' 'CANDIDATE'...\n"
         "`benchctl help` lists the commands.\n";
}

std::string RenderHelp() {
  return "usage: benchctl [OPTIONS] COMMAND [OPTIONS]\n" +
         Paragraphs(
             "Compares programs by means of benchd: interleaved runs, a confidence interval that "
             "stays valid while it is watched, and the verdict as exit code.") +
         "\ncommands:\n" + CommandLines("") +
         "\n`benchctl help COMMAND` shows a command's options and examples.\n" + ExitCodeLines();
}

std::string RenderGroupHelp(std::string_view group) {
  const std::string name(group);
  return "usage: benchctl " + name + " COMMAND [OPTIONS]\n\ncommands:\n" + CommandLines(group) +
         "\n`benchctl help " + name + " COMMAND` shows a command's options and examples.\n";
}

std::string RenderHelp(const Command& command) {
  const CommandHelp& about = TextOf(command);
  std::string text = "usage: benchctl " + std::string(command.name) + " " +
                     std::string(command.usage) + "\n\n" + std::string(command.summary) + "\n" +
                     Paragraphs(about.description) + ExampleLines(about.examples);
  for (const auto& [group, options] : ByGroup(AllOptions(command))) {
    text += "\n" + std::string(group) + ":\n";
    for (const OptionInfo& option : options) text += OptionLines(option);
  }
  return text;
}

}  // namespace benchd::client
