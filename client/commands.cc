#include "client/commands.h"

#include "client/command_options.h"
#include "client/quantity.h"

namespace benchd::client {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      {"compare", "[OPTIONS] BASE CANDIDATE...", "compare commands to a verdict", Words::kOwn,
       CompareOptions(true), RunCompare},
      {"submit", "[OPTIONS] BASE CANDIDATE...", "the same without watching: compare --detach",
       Words::kOwn, CompareOptions(false), RunSubmit},
      {"watch", "[OPTIONS] ID", "watch a session to its end", Words::kSession, ExportOptions(true),
       RunWatch},
      {"list",
       "[OPTIONS]",
       "list sessions",
       Words::kNone,
       {{"all", 'a', "", "every one, ended ones too", kThisCommand},
        {"state", 0, "S", "queued, preparing, running, paused, done, failed or cancelled",
         kThisCommand},
        {"label", 0, "K=V", "only sessions with this label; repeatable", kThisCommand}},
       RunList},
      {"show",
       "[OPTIONS] ID",
       "show a session, and the commands that ask for it and compute it again",
       Words::kSession,
       {{"log", 0, "", "with the output of its runs (--output log)", kThisCommand}},
       RunShow},
      {"cancel", "[OPTIONS] ID", "end a queued or running session", Words::kSession, {}, RunCancel},
      {"move",
       "ID --priority N [OPTIONS]",
       "give a queued session another priority",
       Words::kSession,
       {{"priority", 0, "N", "higher ones run first; raising it is for admins", kThisCommand}},
       RunMove},
      {"pause",
       "[OPTIONS]",
       "start no further session after the present one (for admins)",
       Words::kNone,
       {},
       RunPause},
      {"resume",
       "[OPTIONS]",
       "take back pause and drain (for admins)",
       Words::kNone,
       {},
       RunResume},
      {"drain",
       "[OPTIONS]",
       "pause, and accept no more sessions (for admins)",
       Words::kNone,
       {},
       RunDrain},
      {"export",
       "[OPTIONS] ID",
       "print the runs of a session, or its result for other programs",
       Words::kSession,
       {{"format", 0, "csv|json|markdown|junit|github|bmf",
         "csv: one row a run (the default); json: spec, result and runs; markdown: for a pull "
         "request; junit: a test case a gate; github: for github-action-benchmark; bmf: Bencher "
         "Metric Format",
         kThisCommand},
        {"with-warmup", 0, "", "csv, json: warm-up runs too; in CSV their pair is empty",
         kThisCommand}},
       RunExport},
      {"analyze", "[OPTIONS] FILE...|-", "analyze an export, or what was measured elsewhere",
       Words::kOwn, AnalyzeOptions(), RunAnalyze},
      {"similarity", "[OPTIONS] FILE...", "whether the runs of a benchmark resemble each other",
       Words::kOwn, SimilarityOptions(), RunSimilarity},
      {"agreement",
       "[OPTIONS] FILE.csv|-",
       "how far reviewers, or methods, agree: Fleiss' kappa",
       Words::kFile,
       {{"subjects", 0, "COLUMN", "the column that names the subjects (default none)",
         kThisCommand},
        {"truth", 0, "COLUMN", "hold every other column against this one", kThisCommand},
        {"raters", 0, "A,B,...", "the columns that rate (default all but the subjects')",
         kThisCommand}},
       RunAgreement},
      {"calibrate", "[OPTIONS] [COMMAND]", "measure how small a change this machine lets one see",
       Words::kOwn, CalibrateOptions(), RunCalibrate},
      {"machine status",
       "[OPTIONS] [PROFILE]",
       "show each machine setting: wanted, actual, held, why not",
       Words::kProfile,
       {},
       RunMachineStatus},
      {"machine doctor",
       "[OPTIONS]",
       "name what makes measurements noisy here, worst first",
       Words::kNone,
       {},
       RunMachineDoctor},
      {"machine apply",
       "[OPTIONS] [PROFILE]",
       "take a profile's settings until restore (for admins)",
       Words::kProfile,
       {},
       RunMachineApply},
      {"machine restore",
       "[OPTIONS]",
       "give every machine setting back (for admins)",
       Words::kNone,
       {},
       RunMachineRestore},
      {"machine reserve",
       "--for D [OPTIONS]",
       "have the machine to oneself: sessions wait",
       Words::kNone,
       {{"for", 0, "D", "how long from when it is yours, as 10m; an hour at most", kThisCommand}},
       RunMachineReserve},
      {"build-worktrees", "OPTIONS", "check out and build the commits of a session", Words::kOwn,
       WorktreeOptions(), RunBuildWorktrees, /*hidden=*/true},
      {"version",
       "[OPTIONS]",
       "print the versions of benchctl and of the daemon",
       Words::kNone,
       {},
       RunVersion},
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

namespace {

Result<std::string> ReadProfile(const std::string& command, const std::vector<std::string>& words) {
  const std::string usage = "write benchctl " + command + " [PROFILE]";
  if (words.size() > 1) return UsageError(words[1] + ": one profile at a time", usage);
  if (words.empty()) return std::string();
  if (words.front().empty()) return UsageError(command + ": the profile's name is empty", usage);
  if (!IsSendableText(words.front())) return UsageError(command + ": the name is not UTF-8", usage);
  return words.front();
}

// What is missing where there is no word, and what there are too many of.
Result<std::string> ReadOne(const std::vector<std::string>& words, const std::string& missing,
                            const std::string& one, const std::string& usage) {
  if (words.empty() || words.front().empty()) return UsageError(missing, usage);
  if (words.size() > 1) return UsageError(words[1] + ": one " + one + " at a time", usage);
  return words.front();
}

}  // namespace

Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words) {
  const std::string name(command.name);
  switch (command.words) {
    case Words::kNone:
      if (words.empty()) break;
      return UsageError(words.front() + ": " + name + " takes options only");
    case Words::kSession:
      return ReadOne(words, name + ": no session: an ID is missing", "session",
                     "write benchctl " + name + " ID; benchctl list --all shows the IDs");
    case Words::kProfile:
      return ReadProfile(name, words);
    case Words::kFile:
      return ReadOne(words, name + ": no ratings: a file is missing", "table",
                     "write benchctl " + name + " FILE.csv, or - for stdin");
    case Words::kOwn:
      break;
  }
  return std::string();
}

}  // namespace benchd::client
