#include "client/commands.h"

#include "client/command_options.h"

namespace benchd::client {

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
       {{"all", 'a', "", "every one, ended ones too", kThisCommand},
        {"state", 0, "S", "queued, preparing, running, paused, done, failed or cancelled",
         kThisCommand},
        {"label", 0, "K=V", "only sessions with this label; repeatable", kThisCommand}},
       RunList},
      {"show",
       "[OPTIONS] ID",
       "show a session, and the commands that ask for it and compute it again",
       {{"log", 0, "", "with the output of its runs (--output log)", kThisCommand}},
       RunShow},
      {"cancel", "[OPTIONS] ID", "end a queued or running session", {}, RunCancel},
      {"move",
       "ID --priority N [OPTIONS]",
       "give a queued session another priority",
       {{"priority", 0, "N", "higher ones run first; raising it is for admins", kThisCommand}},
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
       {{"format", 0, "csv|json", "one row a run, or spec, result and runs (default csv)",
         kThisCommand},
        {"with-warmup", 0, "", "warm-up runs too; in CSV their pair is empty", kThisCommand}},
       RunExport},
      {"analyze", "[OPTIONS] FILE.csv|-", "analyze an export, or what was measured elsewhere",
       AnalyzeOptions(), RunAnalyze},
      {"similarity", "[OPTIONS] FILE...", "whether the runs of a benchmark resemble each other",
       SimilarityOptions(), RunSimilarity},
      {"agreement",
       "[OPTIONS] FILE.csv|-",
       "how far reviewers, or methods, agree: Fleiss' kappa",
       {{"subjects", 0, "COLUMN", "the column that names the subjects (default none)",
         kThisCommand},
        {"truth", 0, "COLUMN", "hold every other column against this one", kThisCommand},
        {"raters", 0, "A,B,...", "the columns that rate (default all but the subjects')",
         kThisCommand}},
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
       {{"for", 0, "D", "how long from when it is yours, as 10m; an hour at most", kThisCommand}},
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
  return WithEveryOption(command.options);
}

Result<std::string> OneSession(const CommandContext& context, std::string_view command) {
  const std::vector<std::string>& words = context.arguments.positionals;
  const std::string usage =
      "write benchctl " + std::string(command) + " ID; benchctl list --all shows the IDs";
  if (words.empty() || words.front().empty()) {
    return UsageError(std::string(command) + ": no session: an ID is missing", usage);
  }
  if (words.size() > 1) return UsageError(words[1] + ": one session at a time", usage);
  return words.front();
}

Result<void> NoWords(const CommandContext& context, std::string_view command) {
  const std::vector<std::string>& words = context.arguments.positionals;
  if (words.empty()) return {};
  return UsageError(words.front() + ": " + std::string(command) + " takes options only");
}

}  // namespace benchd::client
