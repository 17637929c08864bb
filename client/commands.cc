#include "client/commands.h"

#include "client/session_options.h"

namespace benchd::client {
namespace {

constexpr std::string_view kArms = "Arms";
constexpr std::string_view kThis = "This command";
constexpr std::string_view kEvery = "Every command";

std::vector<OptionInfo> CompareOptions(bool with_detach) {
  std::vector<OptionInfo> options = {
      {"name", 'n', "NAME",
       "name of an arm, in order; repeatable (default base, candidate, candidate-2...)", kArms},
      {"reference", 0, "NAME=CMD",
       "a reference system; repeatable; all commands are then candidates (default the first "
       "command)",
       kArms},
      {"file", 'f', "FILE", "read arms, benchmarks and defaults from TOML, - for stdin", kArms}};
  for (const SessionOption& option : SessionOptions()) options.push_back(option.info);
  if (!with_detach) return options;
  options.push_back({"detach", 0, "", "submit, print the session and leave", kThis});
  options.push_back(
      {"bisect", 0, "",
       "exit codes for `git bisect run`: 0 good, 1 bad, 125 undecided or failed (skip), "
       "128 anything else (stop)",
       kThis});
  return options;
}

// What RunCompare writes into the session, for RunBuildWorktrees.
std::vector<OptionInfo> WorktreeOptions() {
  return {{"root", 0, "DIR", "where worktrees are kept", kThis},
          {"repository", 0, "DIR", "where objects and refs are", kThis},
          {"build", 0, "C", "command that builds each, by `sh -c`", kThis},
          {"tree", 0, "COMMIT:KEY", "a worktree that has to be there; repeatable", kThis}};
}

std::vector<OptionInfo> AnalyzeOptions() {
  constexpr std::string_view kTable = "Table";
  constexpr std::string_view kShown = "What is shown";
  std::vector<OptionInfo> options = {
      {"base", 0, "NAME", "the reference arm; repeatable (default the first row's)", kTable},
      {"references", 0, "A,B", "several references: every other arm against each", kTable},
      {"column", 0, "NAME:ATTR[,ATTR...]",
       "what a column's values are: lower or higher (which is better), unit=U, step=Q (their "
       "resolution); repeatable",
       kTable}};
  for (const OptionInfo& option : TableOptions()) options.push_back(option);
  options.push_back({"interval", 0, "classic",
                     "one look by Welch's interval over the base's mean, as cbdr prints it",
                     kShown});
  options.push_back({"stars", 0, "welch|mmtests",
                     "mmtests' table of every arm, starred by Welch's test or by mmtests' own rule",
                     kShown});
  options.push_back({"histogram", 0, "", "the values of every arm in common bins", kShown});
  return options;
}

std::vector<OptionInfo> SimilarityOptions() {
  return {{"threshold", 0, "T", "a mean above it speaks for dissimilar runs (default 0.25)", kThis},
          {"variant", 0, "literal|shape",
           "which reading of the method m1 to m5 and the decision follow (default literal)", kThis},
          {"shape", 0, "RxN", "the files are raw little-endian doubles: R runs of N values each",
           kThis},
          {"cut", 0, "", "cut runs of unequal length to the shortest", kThis}};
}

std::vector<OptionInfo> CalibrateOptions() {
  std::vector<OptionInfo> options = {
      {"for", 0, "D", "how long it measures, as 30s or 5m (default 1m)", kThis}};
  for (const char* name : {"isolation", "machine-profile", "cpus"}) {
    options.push_back(FindSessionOption(name)->info);
  }
  return options;
}

const std::vector<OptionInfo>& EveryOption() {
  static const std::vector<OptionInfo> options = {
      {"json", 0, "", "one JSON object a line", kEvery},
      {"socket", 0, "PATH", "the daemon's socket (default BENCHD_SOCKET, the system's, your own)",
       kEvery},
      {"no-autostart", 0, "", "start no daemon when none runs", kEvery},
      {"help", 'h', "", "show this help", kEvery}};
  return options;
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      {"compare", "[OPTIONS] BASE CANDIDATE...", "compare commands to a verdict",
       CompareOptions(true), RunCompare},
      {"submit", "[OPTIONS] BASE CANDIDATE...", "the same without watching: compare --detach",
       CompareOptions(false), RunSubmit},
      {"watch", "[OPTIONS] ID", "watch a session to its end", {}, RunWatch},
      {"list",
       "[OPTIONS]",
       "list sessions",
       {{"all", 'a', "", "ended ones too", kThis},
        {"state", 0, "S", "queued, preparing, running, paused, done, failed or cancelled", kThis},
        {"label", 0, "K=V", "only sessions with this label; repeatable", kThis}},
       RunList},
      {"show",
       "[OPTIONS] ID",
       "show a session, and the commands that ask for it and compute it again",
       {{"log", 0, "", "with the output of its runs (--output log)", kThis}},
       RunShow},
      {"cancel", "[OPTIONS] ID", "end a queued or running session", {}, RunCancel},
      {"move",
       "ID --priority N [OPTIONS]",
       "give a queued session another priority",
       {{"priority", 0, "N", "higher ones run first; raising it is for admins", kThis}},
       RunMove},
      {"pause",
       "[OPTIONS]",
       "start no further session after the present one (for admins)",
       {},
       RunPause},
      {"resume", "[OPTIONS]", "take back pause and drain (for admins)", {}, RunResume},
      {"drain", "[OPTIONS]", "pause, and accept no more sessions (for admins)", {}, RunDrain},
      {"export",
       "[OPTIONS] ID",
       "print the runs of a session",
       {{"format", 0, "csv|json", "one row a run, or spec, result and runs (default csv)", kThis},
        {"with-warmup", 0, "", "warm-up runs too; in CSV their pair is empty", kThis}},
       RunExport},
      {"analyze", "[OPTIONS] FILE.csv|-", "analyze an export, or what was measured elsewhere",
       AnalyzeOptions(), RunAnalyze},
      {"similarity", "[OPTIONS] FILE...", "whether the runs of a benchmark resemble each other",
       SimilarityOptions(), RunSimilarity},
      {"agreement",
       "[OPTIONS] FILE.csv|-",
       "how far reviewers, or methods, agree: Fleiss' kappa",
       {{"truth", 0, "COLUMN", "hold every other column against this one", kThis},
        {"raters", 0, "A,B,...",
         "the columns that rate (default all, less a first one that names the subjects)", kThis}},
       RunAgreement},
      {"calibrate", "[OPTIONS] [COMMAND]", "measure how small a change this machine lets one see",
       CalibrateOptions(), RunCalibrate},
      {"machine status",
       "[OPTIONS] [PROFILE]",
       "show each machine setting: wanted, actual, held, why not",
       {},
       RunMachineStatus},
      {"machine doctor",
       "[OPTIONS]",
       "name what makes measurements noisy here, worst first",
       {},
       RunMachineDoctor},
      {"machine apply",
       "[OPTIONS] [PROFILE]",
       "take a profile's settings until restore (for admins)",
       {},
       RunMachineApply},
      {"machine restore",
       "[OPTIONS]",
       "give every machine setting back (for admins)",
       {},
       RunMachineRestore},
      {"machine reserve",
       "--for D [OPTIONS]",
       "have the machine to oneself: sessions wait",
       {{"for", 0, "D", "how long from when it is yours, as 10m; an hour at most", kThis}},
       RunMachineReserve},
      {"build-worktrees", "OPTIONS", "check out and build the commits of a session",
       WorktreeOptions(), RunBuildWorktrees, /*hidden=*/true},
      {"version", "[OPTIONS]", "print the versions of benchctl and of the daemon", {}, RunVersion},
  };
  return commands;
}

const Command* FindCommand(std::string_view name) {
  for (const Command& command : Commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string_view GroupOf(const Command& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string_view::npos ? std::string_view() : command.name.substr(0, space);
}

std::vector<OptionInfo> AllOptions(const Command& command) {
  std::vector<OptionInfo> options = command.options;
  options.insert(options.end(), EveryOption().begin(), EveryOption().end());
  return options;
}

Outcome<std::string> OneSession(const CommandContext& context, std::string_view command) {
  const std::vector<std::string>& words = context.arguments.positionals;
  const std::string usage =
      "write benchctl " + std::string(command) + " ID; benchctl list --all shows the IDs";
  if (words.empty() || words.front().empty()) {
    return UsageError(std::string(command) + ": no session: an ID is missing", usage);
  }
  if (words.size() > 1) return UsageError(words[1] + ": one session at a time", usage);
  return words.front();
}

Outcome<void> NoWords(const CommandContext& context, std::string_view command) {
  const std::vector<std::string>& words = context.arguments.positionals;
  if (words.empty()) return {};
  return UsageError(words.front() + ": " + std::string(command) + " takes options only");
}

}  // namespace benchd::client
