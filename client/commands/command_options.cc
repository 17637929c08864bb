#include "client/commands/command_options.h"

#include "client/request/session_options.h"

namespace benchd::client {
namespace {

constexpr std::string_view kArms = "Arms";
constexpr std::string_view kPool = "Several machines";

void Append(std::vector<OptionInfo>* options, const std::vector<OptionInfo>& more) {
  options->insert(options->end(), more.begin(), more.end());
}

}  // namespace

std::vector<OptionInfo> ResultOptions() {
  return {{"verbose", 0, "", "every metric with means and deviations, every warning", kResult},
          {"quiet", 0, "", "the verdict alone", kResult},
          kTimeUnit};
}

std::vector<OptionInfo> CompareOptions(bool with_detach) {
  std::vector<OptionInfo> options = {
      Repeatable({"name", 'n', "NAME",
                  "name of an arm, in order; repeatable (default base, candidate, candidate-2...)",
                  kArms}),
      Repeatable(
          {"reference", 0, "NAME=CMD",
           "a reference system; repeatable; all commands are then candidates (default the first "
           "command)",
           kArms}),
      {"against", 0, "NAME",
       "the reference is what --save kept under that name, run again; without CANDIDATE the "
       "command "
       "that was saved, as it is now",
       kArms},
      {"benchmark", 0, "NAME",
       "name of the benchmark, under which `benchctl history` keeps it whatever its arguments "
       "(default main, with a history for each command)",
       kArms},
      {"file", 'f', "FILE", "read arms, benchmarks and defaults from TOML, - for stdin", kArms}};
  for (const SessionOption& option : SessionOptions()) options.push_back(option.info);
  if (!with_detach) return options;
  options.push_back(
      {"save", 0, "NAME",
       "when it is done, keep the candidate's program for --against; one command alone "
       "is kept without being run. What it loads or interprets is not kept",
       kArms});
  Append(&options, ResultOptions());
  Append(&options, ExportOptions(true));
  Append(&options,
         {{"pool", 0, "slurm[:PARTITION]",
           "on machines of Slurm, and one verdict of them all; needs --runs", kPool},
          {"machines", 0, "K", "how many of them (default 4)", kPool},
          {"pool-folder", 0, "DIR",
           "a folder that they share with this machine (default the working directory)", kPool},
          {"dry-run", 0, "", "print what sbatch would be given, and leave", kPool},
          {"detach", 0, "", "submit, print the session and leave", kThisCommand},
          {"show-output", 0, "",
           "print on stderr what the runs wrote, once they are over (implies --output log)",
           kThisCommand},
          {"bisect", 0, "",
           "one line and an exit code for `git bisect run`: 0 good, 1 bad, 125 undecided or failed "
           "(skip), 128 anything else (stop)",
           kThisCommand}});
  return options;
}

std::vector<OptionInfo> ExportOptions(bool of_session) {
  return {
      {"export-csv", 0, "FILE",
       of_session ? "write the runs to FILE, one row each"
                  : "with --parse, write the values to FILE as a table",
       kExports},
      {"export-json", 0, "FILE",
       of_session ? "write spec, result and runs to FILE" : "write the line of --json to FILE",
       kExports},
      {"export-markdown", 0, "[+]FILE",
       "write a comment for a pull request to FILE; with +, or if GITHUB_STEP_SUMMARY names it, "
       "append it",
       kExports},
      {"export-junit", 0, "FILE", "write JUnit's XML to FILE, a test case a gate", kExports},
      {"export-github", 0, "FILE", "write FILE for github-action-benchmark (customSmallerIsBetter)",
       kExports},
      {"export-bmf", 0, "FILE", "write Bencher Metric Format to FILE", kExports}};
}

// What RunCompare writes into the session, for RunBuildWorktrees.
std::vector<OptionInfo> WorktreeOptions() {
  return {{"root", 0, "DIR", "where worktrees are kept", kThisCommand},
          {"repository", 0, "DIR", "where objects and refs are", kThisCommand},
          {"build", 0, "C", "command that builds each, by `sh -c`", kThisCommand},
          Repeatable({"tree", 0, "COMMIT:KEY[:SEED]",
                      "a worktree that has to be there, and its BENCHD_LAYOUT_SEED; repeatable",
                      kThisCommand})};
}

std::vector<OptionInfo> AnalyzeOptions() {
  constexpr std::string_view kTable = "Table";
  constexpr std::string_view kShown = "What is shown";
  std::vector<OptionInfo> options = {
      Repeatable({"base", 0, "NAME", "the reference arm; repeatable (default by role, else base)",
                  kTable}),
      {"references", 0, "A,B", "several references: every other arm against each", kTable},
      Repeatable(
          {"column", 0, "NAME:ATTR[,ATTR...]",
           "what a column's values are: lower or higher (which is better), unit=U, step=Q (their "
           "resolution); repeatable",
           kTable}),
      {"parse", 0, "FORMAT",
       "FILEs are what a harness wrote: hyperfine, google-benchmark, go, pytest-benchmark, jmh, "
       "bmf, mmtests or lines",
       kTable},
      Repeatable(
          {"name", 'n', "NAME",
           "with --parse, the arm of a FILE, in order; repeatable (default the name of the file)",
           kTable}),
      Repeatable({"only", 0, "PATTERN",
                  "only benchmarks whose name matches, as 'parse*'; repeatable", kTable}),
      Repeatable({"label", 0, "K=V",
                  "only rows with V in column K, which is then no metric; repeatable", kTable}),
      Repeatable({"benchmark", 0, "NAME",
                  "the --metric options behind it are this benchmark's; repeatable", kTable})};
  Append(&options, TableOptions());
  options.push_back({"interval", 0, "classic",
                     "one look by Welch's interval over the base's mean, as cbdr prints it",
                     kShown});
  options.push_back({"stars", 0, "welch|mmtests",
                     "mmtests' table of every arm, starred by Welch's test or by mmtests' own rule",
                     kShown});
  options.push_back({"histogram", 0, "", "the values of every arm in common bins", kShown});
  Append(&options, ResultOptions());
  Append(&options, ExportOptions(false));
  return options;
}

std::vector<OptionInfo> SimilarityOptions() {
  return {{"threshold", 0, "T", "a mean above it speaks for dissimilar runs (default 0.25)",
           kThisCommand},
          {"variant", 0, "literal|shape",
           "which reading of the method m1 to m5 and the decision follow (default literal)",
           kThisCommand},
          {"shape", 0, "RxN", "the files are raw little-endian doubles: R runs of N values each",
           kThisCommand},
          {"cut", 0, "", "cut runs of unequal length to the shortest", kThisCommand}};
}

std::vector<OptionInfo> CalibrateOptions() {
  std::vector<OptionInfo> options = {
      {"for", 0, "D",
       "how long it measures, as 30s or 5m (default 1m; several settings: as long as that takes)",
       kThisCommand}};
  for (const char* name : {"isolation", "machine-profile", "cpus", "seed"}) {
    options.push_back(FindSessionOption(name)->info);
  }
  constexpr std::string_view kMachine = "Machine";
  options[1] = {"isolation", 0, "KIND[,KIND...]",
                "strict, best-effort or off (default best-effort); several are tried in turn, each "
                "against the first",
                kMachine};
  options[2] = {"machine-profile", 0, "NAME[,NAME...]",
                "which settings (default default); several are tried in turn", kMachine};
  options.push_back({"each", 0, "",
                     "try every single setting of the profile: each off while the others are on "
                     "(admins only)",
                     kMachine});
  return options;
}

}  // namespace benchd::client
