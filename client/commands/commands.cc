#include "client/commands/commands.h"

#include <algorithm>

#include "client/commands/command_options.h"
#include "client/request/quantity.h"

namespace benchd::client {

const std::vector<Command>& Commands() {
  static const std::vector<OptionInfo> kNoOptions;
  static const std::vector<Command> commands = {
      {"compare", "[OPTIONS] BASE CANDIDATE...", "compare two or more commands to a verdict",
       Words::kOwn, RunCompare, CompareOptions(true)},
      {"submit", "[OPTIONS] BASE CANDIDATE...", "the same without watching: compare --detach",
       Words::kOwn, RunSubmit, CompareOptions(false)},
      {"watch", "[OPTIONS] [ID]", "watch a session (or your newest) to its end",
       Words::kSessionOrNewest, RunWatch, WatchOptions()},
      {"list",
       "[OPTIONS]",
       "list sessions",
       Words::kNone,
       RunList,
       {{"all", 'a', "", "finished sessions too, and not just the newest 20", kThisCommand},
        {.name = "state",
         .value = "STATE",
         .help = "only sessions in this state: queued, preparing, running, paused, done, failed or "
                 "cancelled",
         .group = kThisCommand,
         .choices = "queued|preparing|running|paused|done|failed|cancelled"},
        Repeatable(
            {"label", 0, "K=V", "only sessions with this label; repeatable", kThisCommand})}},
      {"show", "[OPTIONS] [ID]", "show a session (or your newest) and how to repeat it",
       Words::kSessionOrNewest, RunShow, ShowOptions()},
      {"history", "[OPTIONS] [BENCHMARK]", "show a benchmark's verdicts and since when it changed",
       Words::kBenchmark, RunHistory, HistoryOptions()},
      {"cancel", "[OPTIONS] ID", "cancel a queued or running session", Words::kSession, RunCancel},
      {"move",
       "ID --priority N [OPTIONS]",
       "change the priority of a queued session",
       Words::kSession,
       RunMove,
       {{"priority", 0, "N", "higher priorities run first; only admins may raise it",
         kThisCommand}}},
      {"pause", "[OPTIONS]", "start no further session after the running one (admins only)",
       Words::kNone, RunPause},
      {"resume", "[OPTIONS]", "undo pause and drain (admins only)", Words::kNone, RunResume},
      {"drain", "[OPTIONS]", "pause and refuse new sessions (admins only)", Words::kNone, RunDrain},
      {"export",
       "[OPTIONS] [ID]",
       "print the runs or the result of a session (or your newest)",
       Words::kSessionOrNewest,
       RunExport,
       {{"format", 0, "csv|json|markdown|junit|github|bmf",
         "csv: one row a run (the default); json: spec, result and runs; markdown: for a pull "
         "request; junit: a test case a gate; github: for github-action-benchmark; bmf: Bencher "
         "Metric Format",
         kThisCommand},
        {"with-warmup", 0, "", "csv, json: warm-up runs too; in CSV their pair is empty",
         kThisCommand}}},
      {"report", "[OPTIONS] [ID|FILE]...",
       "write an HTML page about sessions (or your newest) or tables", Words::kOwn, RunReport,
       ReportOptionInfos()},
      {"analyze", "[OPTIONS] FILE...|-", "analyze exported runs or other measurements", Words::kOwn,
       RunAnalyze, AnalyzeOptions()},
      {"similarity", "[OPTIONS] FILE...", "assess how similar the runs of a benchmark are",
       Words::kOwn, RunSimilarity, SimilarityOptions()},
      {"agreement",
       "[OPTIONS] FILE.csv|-",
       "measure how well raters agree (Fleiss' kappa)",
       Words::kFile,
       RunAgreement,
       {{"subjects", 0, "COLUMN", "the column that names the subjects (default none)",
         kThisCommand},
        {"truth", 0, "COLUMN", "compare every other column with this one", kThisCommand},
        {"raters", 0, "A,B,...", "the raters' columns (default all but the subjects')",
         kThisCommand}}},
      {"combine",
       "[OPTIONS] EXPORT...",
       "combine sessions of one comparison from several machines",
       Words::kOwn,
       RunCombine,
       {{"expect-machines", 0, "K", "an error, and no verdict, with fewer complete machines",
         kThisCommand}}},
      {"calibrate", "[OPTIONS] [COMMAND]", "measure the smallest change this machine can detect",
       Words::kOwn, RunCalibrate, CalibrateOptions()},
      {"arm list", "[OPTIONS]", "list the programs that compare --save has kept", Words::kNone,
       RunArmList},
      {"arm remove", "[OPTIONS] NAME", "remove a program that compare --save has kept", Words::kArm,
       RunArmRemove},
      {"machine status", "[OPTIONS] [PROFILE]",
       "show each machine setting: wanted, actual, held, and why not", Words::kProfile,
       RunMachineStatus},
      {"machine doctor", "[OPTIONS]", "list what makes measurements noisy, worst first",
       Words::kNone, RunMachineDoctor},
      {"machine apply", "[OPTIONS] [PROFILE]",
       "apply a profile's settings until restored (admins only)", Words::kProfile, RunMachineApply},
      {"machine restore", "[OPTIONS]", "restore all machine settings (admins only)", Words::kNone,
       RunMachineRestore},
      {"machine reserve",
       "--for D [OPTIONS]",
       "reserve the machine for yourself; sessions wait",
       Words::kNone,
       RunMachineReserve,
       {{"for", 0, "D", "for how long once it is yours, such as 10m; at most an hour",
         kThisCommand}}},
      {"top",
       "[OPTIONS]",
       "show machine, running session and queue, live",
       Words::kNone,
       RunTop,
       {{"count", 0, "N", "end after N seconds (default never)", kThisCommand}}},
      {"build-worktrees", "OPTIONS", "check out and build the commits of a session", Words::kOwn,
       RunBuildWorktrees, WorktreeOptions(), /*hidden=*/true},
      {"dial-stdio", "", "connect stdin and stdout with the daemon", Words::kNone, RunDialStdio,
       kNoOptions, /*hidden=*/true},
      {"pool-task", "FOLDER TASK compare [OPTIONS] COMMAND...", "measure on one machine of a pool",
       Words::kOwn, RunPoolTask, kNoOptions, /*hidden=*/true},
      {"version", "[OPTIONS]", "print the versions of benchctl and of the daemon", Words::kNone,
       RunVersion},
      {"help", "[COMMAND]", "show the help of benchctl or of a command", Words::kOwn, RunHelp},
      {"generate man", "DIR", "write the manual pages", Words::kOwn, RunGenerateManual, kNoOptions,
       /*hidden=*/true},
      {"generate completions", "DIR", "write the completions of the shells", Words::kOwn,
       RunGenerateCompletions, kNoOptions, /*hidden=*/true},
  };
  return commands;
}

const Command* FindCommand(std::string_view name) {
  const auto found = std::ranges::find(Commands(), name, &Command::name);
  return found == Commands().end() ? nullptr : &*found;
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
  if (words.front().empty()) return UsageError(command + ": empty profile name", usage);
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
      return ReadOne(words, name + ": missing session ID", "session",
                     "write benchctl " + name + " ID; benchctl list --all shows the IDs");
    case Words::kSessionOrNewest:
      if (words.empty()) break;
      return ReadOne(words, name + ": the session's ID is empty", "session",
                     "write benchctl " + name + " [ID]; benchctl list --all shows the IDs");
    case Words::kProfile:
      return ReadProfile(name, words);
    case Words::kArm:
      return ReadOne(words, name + ": missing name", "stored arm",
                     "write benchctl " + name + " NAME; benchctl arm list shows the names");
    case Words::kBenchmark:
      if (words.empty()) break;
      return ReadOne(words, name + ": empty benchmark name", "benchmark",
                     "write benchctl " + name + " [BENCHMARK]; without one it lists them");
    case Words::kFile:
      return ReadOne(words, name + ": missing file", "table",
                     "write benchctl " + name + " FILE.csv, or - for stdin");
    case Words::kOwn:
      break;
  }
  return std::string();
}

}  // namespace benchd::client
