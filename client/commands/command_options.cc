#include "client/commands/command_options.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "client/present/exports.h"
#include "client/request/session_options.h"

namespace benchd::client {
namespace {

constexpr std::string_view kArms = "Arms";
constexpr std::string_view kPool = "Several machines";

void Append(std::vector<OptionInfo>* options, const std::vector<OptionInfo>& more) {
  options->insert(options->end(), more.begin(), more.end());
}

// Returns `export-NAME` for each format. An option only has a view of its name.
const std::vector<std::string>& ExportOptionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const ExportFormat& format : ExportFormats()) {
      if (!format.of_stacks) made.push_back("export-" + std::string(format.name));
    }
    return made;
  }();
  return names;
}

}  // namespace

std::vector<OptionInfo> ResultOptions() {
  return {
      {"verbose", 0, "", "show every metric with means and deviations, and every warning", kResult},
      {"quiet", 0, "", "show only the verdict", kResult},
      kTimeUnit};
}

namespace {

// The options that `compare` and `measure` share beside those of a session.
constexpr OptionInfo kBenchmark = {
    "benchmark", 0, "NAME",
    "name of the benchmark in `benchctl history`, even if its arguments change (default: main, "
    "with one history per command)",
    kArms};
constexpr OptionInfo kFile = {"file", 'f', "FILE",
                              "read arms, benchmarks and defaults from a TOML file (- for stdin)",
                              kArms};
constexpr OptionInfo kDetach = {"detach", 0, "", "submit the session, print its ID and exit",
                                kThisCommand};
constexpr OptionInfo kShowOutput = {
    "show-output", 0, "",
    "print the output of all runs to stderr after the session (implies --output log)",
    kThisCommand};

}  // namespace

std::vector<OptionInfo> CompareOptions(bool with_detach) {
  std::vector<OptionInfo> options = {
      Repeatable({"name", 'n', "NAME",
                  "name of an arm, in order of the commands; repeatable (default: base, candidate, "
                  "candidate-2...)",
                  kArms}),
      Repeatable(
          {"reference", 0, "NAME=CMD",
           "a reference arm; repeatable; all positional commands are then candidates (default: "
           "the first command)",
           kArms}),
      {"against", 0, "NAME",
       "use the program that --save kept under that name as the reference; without CANDIDATE, "
       "compare it with the current version of the saved command",
       kArms},
      kBenchmark,
      kFile};
  for (const SessionOption& option : SessionOptions()) options.push_back(option.info);
  if (!with_detach) return options;
  options.push_back(
      {"save", 0, "NAME",
       "after the session, keep the candidate's program for --against, but not the files that it "
       "loads or interprets; a single command is kept without being run",
       kArms});
  Append(&options, ResultOptions());
  Append(&options, ExportOptions(true));
  Append(
      &options,
      {{"pool", 0, "slurm[:PARTITION]",
        "run on several machines of a Slurm cluster and give one verdict; requires --runs", kPool},
       {"machines", 0, "K", "number of machines (default: 4)", kPool},
       {"pool-folder", 0, "DIR",
        "directory that all machines share (default: the working directory)", kPool},
       {"dry-run", 0, "", "print the script for sbatch and exit", kPool},
       kDetach,
       kShowOutput,
       {"explain", 0, "",
        "after a regression or an improvement, find the functions that changed, as `benchctl "
        "explain` does, within the time limit of the session or 30 s",
        kThisCommand},
       {"bisect", 0, "",
        "print one line and exit as `git bisect run` expects: 0 good, 1 bad, 125 undecided or "
        "failed (skip), 128 anything else (stop)",
        kThisCommand}});
  return options;
}

namespace {

// The session options that mean something else, or have other values, without a comparison.
constexpr OptionInfo kOfMeasure[] = {
    {"confidence", 0, "P",
     "confidence of all intervals that are asked for together, 1 - alpha (default: 99%)", kResult},
    {"alpha", 0, "A",
     "accepted probability that any of these intervals misses its value, instead of --confidence",
     kResult},
    {"metric", 0, "NAME[:P%][:lower|:higher]",
     "measure this metric, or those that a pattern such as '*/sec/op' matches, to P or else to "
     "--precision (default: wall_time; with --parse, every parsed metric with a direction); "
     "repeatable",
     kResult},
    {"allow-missing", 0, "", "do not ask for a metric that an arm lacks", kResult},
    {"estimator", 0, "E", "mean, median or quantile:P (default: mean)", kResult},
    {"at-limit", 0, "undecided|estimate",
     "exit code if a limit is reached before the precision: undecided is 3, estimate is 0 "
     "(default: undecided)",
     kResult},
    {"between", 0, "NAME",
     "measure the values of that parameter in one session: each value is an arm of the only "
     "command",
     "Suites and parameters"},
};

OptionInfo OptionOfMeasure(OptionInfo option) {
  const auto own = std::ranges::find(kOfMeasure, option.name, &OptionInfo::name);
  if (own == std::end(kOfMeasure)) return option;
  option.value = own->value;
  option.help = own->help;
  option.group = own->group;
  if (option.name == "estimator") option.choices = "mean|median|quantile:P";
  return option;
}

}  // namespace

std::vector<OptionInfo> MeasureOptions() {
  std::vector<OptionInfo> options = {
      Repeatable({"name", 'n', "NAME",
                  "name of an arm, in order of the commands; repeatable (default: the name of its "
                  "program)",
                  kArms}),
      kBenchmark,
      kFile,
      {"precision", 0, "P",
       "stop when every interval that is asked for is at most this wide, from end to end, "
       "relative to its estimate (default: 1%; not with --runs)",
       kResult}};
  for (const SessionOption& option : SessionOptions()) {
    if (!option.only_compared) options.push_back(OptionOfMeasure(option.info));
  }
  Append(&options, ResultOptions());
  Append(&options, ExportOptions(true));
  Append(&options, {kDetach, kShowOutput});
  return options;
}

std::vector<OptionInfo> ExportOptions(bool of_session) {
  const std::vector<std::string>& names = ExportOptionNames();
  std::vector<OptionInfo> options;
  for (const ExportFormat& format : ExportFormats()) {
    if (format.of_stacks) continue;
    const bool own_help = !of_session && !format.table_help.empty();
    options.push_back({names[options.size()], 0, format.shorten == nullptr ? "FILE" : "[+]FILE",
                       own_help ? format.table_help : format.help, kExports});
  }
  return options;
}

// RunCompare writes these options into the session, and RunBuildWorktrees reads them.
std::vector<OptionInfo> WorktreeOptions() {
  return {
      {"root", 0, "DIR", "directory of the worktrees", kThisCommand},
      {"repository", 0, "DIR", "directory of objects and refs", kThisCommand},
      {"build", 0, "C", "command that builds each worktree, run with `sh -c`", kThisCommand},
      Repeatable({"tree", 0, "COMMIT:KEY[:SEED]",
                  "a worktree to provide, and its BENCHD_LAYOUT_SEED; repeatable", kThisCommand}),
      Repeatable({"second-tree", 0, "COMMIT:KEY[:SEED]",
                  "a worktree to provide instead if BENCHD_PHASE is confirming; repeatable",
                  kThisCommand})};
}

std::vector<OptionInfo> AnalyzeOptions() {
  constexpr std::string_view kTable = "Table";
  constexpr std::string_view kShown = "Display";
  std::vector<OptionInfo> options = {
      Repeatable({"base", 0, "NAME",
                  "a reference arm; repeatable (default: by the role column, else base)", kTable}),
      {"references", 0, "A,B", "compare every other arm with each of these reference arms", kTable},
      Repeatable(
          {"column", 0, "NAME:ATTR[,ATTR...]",
           "properties of a column: lower or higher (which is better), unit=U, step=Q (resolution "
           "of its values); repeatable",
           kTable}),
      {"parse", 0, "FORMAT",
       "format of the files: hyperfine, google-benchmark, go, pytest-benchmark, jmh, bmf, mmtests, "
       "libtest, criterion, catch2, nanobench, vitest, tinybench, mitata, benchmarkdotnet, pyperf, "
       "github-smaller, github-bigger, lines, an adapter such as wrk (`benchctl parse` lists "
       "them), or FILE.toml",
       kTable},
      Repeatable({"name", 'n', "NAME",
                  "with --parse, name of the arm in each FILE, in order; repeatable (default: the "
                  "file name)",
                  kTable}),
      Repeatable({"only", 0, "PATTERN",
                  "use only benchmarks whose name matches, such as 'parse*'; repeatable", kTable}),
      Repeatable({"label", 0, "K=V",
                  "use only rows with V in column K, which is then not a metric; repeatable",
                  kTable}),
      Repeatable({"benchmark", 0, "NAME",
                  "apply the --metric options that follow to this benchmark; repeatable", kTable})};
  Append(&options, TableOptions());
  options.push_back({"interval", 0, "classic",
                     "look once, with Welch's interval relative to the base's mean, as cbdr does",
                     kShown});
  options.push_back(
      {"stars", 0, "welch|mmtests",
       "print mmtests' table of every arm, with stars by Welch's test or mmtests' rule", kShown});
  options.push_back(
      {"histogram", 0, "", "print a histogram of every arm, all with the same bins", kShown});
  Append(&options, ResultOptions());
  Append(&options, ExportOptions(false));
  return options;
}

std::vector<OptionInfo> SimilarityOptions() {
  return {
      {"threshold", 0, "T",
       "a measure whose mean is above T indicates dissimilar runs (default: 0.25)", kThisCommand},
      {"variant", 0, "literal|shape",
       "variant of the method that computes m1 to m5 and decides (default: literal)", kThisCommand},
      {"shape", 0, "RxN", "read raw little-endian doubles: R runs of N values each", kThisCommand},
      {"cut", 0, "", "shorten all runs to the length of the shortest run", kThisCommand}};
}

std::vector<OptionInfo> CalibrateOptions() {
  std::vector<OptionInfo> options = {
      {"for", 0, "D",
       "how long to measure, such as 30s or 5m (default: 1m; with several settings, as needed)",
       kThisCommand}};
  for (const char* name : {"isolation", "machine-profile", "cpus", "seed"}) {
    options.push_back(FindSessionOption(name)->info);
  }
  constexpr std::string_view kMachine = "Machine";
  options[1] = {"isolation", 0, "KIND[,KIND...]",
                "strict, best-effort or off (default: best-effort); several kinds are compared "
                "with the first",
                kMachine};
  options[2] = {"machine-profile", 0, "NAME[,NAME...]",
                "profile of machine settings (default: \"default\"); several profiles are compared",
                kMachine};
  options.push_back({"each", 0, "",
                     "try each setting of the profile: switch it off while the others stay on "
                     "(admins only)",
                     kMachine});
  return options;
}

}  // namespace benchd::client
