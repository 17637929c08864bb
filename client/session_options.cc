#include "client/session_options.h"

#include <array>

namespace benchd::client {
namespace {

constexpr std::string_view kVerdict = "Verdict";
constexpr std::string_view kRuns = "Runs and limits";
constexpr std::string_view kSuite = "Suites and parameters";
constexpr std::string_view kChildren = "Commands and their surroundings";
constexpr std::string_view kCommits = "Commits";
constexpr std::string_view kMachine = "Machine";
constexpr std::string_view kQueue = "Queue";

constexpr bool kRepeatable = true;
constexpr bool kPerBenchmark = true;

constexpr std::string_view kMargin = "smallest slowdown that counts: 2% = 0.02 (default 2%)";
constexpr std::string_view kAlpha = "probability of a wrong statement, instead of --confidence";
constexpr std::string_view kSided = "what alpha covers: both bounds, or each (default two)";
constexpr std::string_view kEstimator =
    "mean, hl, median, quantile:P, lognormal-mean or subselection (default mean)";
constexpr std::string_view kRule = "margin, or precision:WIDTH of the interval (default margin)";

using Part = OptionField::Part;
using Number = OptionField::Number;

constexpr OptionField Session(int field, Number number = Number::kDuration) {
  return {Part::kSession, field, number};
}
constexpr OptionField Limits(int field) { return {Part::kLimits, field}; }
constexpr OptionField Benchmark(int field) { return {Part::kBenchmark, field}; }
constexpr OptionField Hook(int field) { return {Part::kHooks, field}; }
constexpr OptionField Own(Part part, OptionField::Parse parse, OptionField::Format format) {
  return {part, 0, Number::kDuration, parse, format};
}
constexpr OptionField kElsewhere;
// What ran says which seed it had: who asks again gives that one.
constexpr OptionField kSeed{Part::kSession, v1::SessionSpec::kSeedFieldNumber, Number::kDuration,
                            nullptr, FormatNothing};
constexpr OptionField kInput{Part::kBenchmark, v1::Benchmark::kInputFieldNumber, Number::kDuration,
                             ParseInput};

constexpr std::array kOptions = {
    SessionOption{{"margin", 0, "P", kMargin, kVerdict},
                  Session(v1::SessionSpec::kMarginFieldNumber, Number::kMargin),
                  false,
                  kPerBenchmark,
                  kMargin},
    SessionOption{{"confidence", 0, "P", "1 - alpha, of the whole session (default 99%)", kVerdict},
                  Own(Part::kSession, ParseConfidence, FormatNothing),
                  false,
                  false,
                  "1 - alpha, of all gates together (default 99%)"},
    SessionOption{{"alpha", 0, "A", kAlpha, kVerdict},
                  Session(v1::SessionSpec::kAlphaFieldNumber, Number::kProbability),
                  false,
                  false,
                  kAlpha},
    SessionOption{{"sided", 0, "two|one", kSided, kVerdict},
                  Session(v1::SessionSpec::kSidedFieldNumber),
                  false,
                  false,
                  kSided},
    SessionOption{
        {"metric", 0, "NAME[:P%|:+ABS][:lower|:higher]",
         "a metric that decides (default wall_time; with --parse every parsed metric that has "
         "a direction); repeatable",
         kVerdict},
        Own(Part::kBenchmark, ParseGate, FormatGates),
        kRepeatable,
        kPerBenchmark,
        "a column that decides (default wall_time, without it every column that has a direction); "
        "repeatable"},
    SessionOption{{"method", 0, "M", "paired, welch, exact-t or fixed (default paired)", kVerdict},
                  Session(v1::SessionSpec::kMethodFieldNumber),
                  false,
                  false,
                  "paired, welch, exact-t or fixed: one look (default paired with a pair column, "
                  "else fixed)"},
    SessionOption{{"estimator", 0, "E", kEstimator, kVerdict},
                  Own(Part::kSession, ParseEstimator, FormatEstimator),
                  false,
                  false,
                  kEstimator},
    SessionOption{{"rule", 0, "R", kRule, kVerdict},
                  Own(Part::kSession, ParseRule, FormatRule),
                  false,
                  false,
                  kRule},
    SessionOption{{"at-limit", 0, "undecided|estimate",
                   "what an open verdict becomes at a limit (default undecided)", kVerdict},
                  Limits(v1::Limits::kAtLimitFieldNumber),
                  false,
                  false,
                  "what an open verdict becomes after the last row (default undecided)"},
    SessionOption{{"fail-fast", 0, "", "stop at the first regression", kVerdict},
                  Limits(v1::Limits::kFailFastFieldNumber)},

    SessionOption{{"schedule", 0, "pairs|coin", "how the arms alternate (default pairs)", kRuns},
                  Session(v1::SessionSpec::kScheduleFieldNumber),
                  false,
                  false,
                  "coin: the rows are no pairs, whatever a pair column says (default pairs)"},
    SessionOption{{"warmup", 0, "N", "discarded blocks (default 1)", kRuns},
                  Session(v1::SessionSpec::kWarmupFieldNumber)},
    SessionOption{{"min-runs", 0, "N", "blocks before the first look (default 8)", kRuns},
                  Limits(v1::Limits::kMinRunsFieldNumber),
                  false,
                  false,
                  "pairs before the first look (default 8)"},
    SessionOption{{"max-runs", 0, "N", "blocks at most (default none)", kRuns},
                  Limits(v1::Limits::kMaxRunsFieldNumber),
                  false,
                  false,
                  "pairs at most: then fewer are needed (default none)"},
    SessionOption{{"runs", 0, "N", "exactly N blocks, one look", kRuns},
                  Limits(v1::Limits::kRunsFieldNumber)},
    SessionOption{
        {"max-time", 0, "D", "from the first measured run, as 30s or 10m (default 10m)", kRuns},
        Limits(v1::Limits::kMaxTimeSecondsFieldNumber)},
    SessionOption{{"timeout", 0, "D",
                   "of one run; then it is killed and the session fails (default 5m)", kRuns},
                  Limits(v1::Limits::kTimeoutSecondsFieldNumber)},
    SessionOption{{"seed", 0, "N",
                   "of the order and the environment padding (default random, recorded)", kRuns},
                  kSeed,
                  false,
                  false,
                  "of what an estimator draws at random (default 0)"},
    SessionOption{{"placebo", 0, "", "add a hidden copy of the reference as a candidate", kRuns},
                  Session(v1::SessionSpec::kPlaceboFieldNumber),
                  false,
                  false,
                  "the arm called placebo is compared and never gates"},

    SessionOption{{"shell", 0, "", "run the commands by `sh -c`", kChildren},
                  Own(Part::kBenchmark, ParseShell, FormatShell),
                  false,
                  kPerBenchmark},
    SessionOption{{"setup", 0, "C", "command once before", kChildren},
                  Hook(v1::Hooks::kSetupFieldNumber),
                  false,
                  kPerBenchmark},
    SessionOption{{"prepare", 0, "C", "command before every run", kChildren},
                  Hook(v1::Hooks::kPrepareFieldNumber),
                  false,
                  kPerBenchmark},
    SessionOption{{"conclude", 0, "C", "command after every run", kChildren},
                  Hook(v1::Hooks::kConcludeFieldNumber),
                  false,
                  kPerBenchmark},
    SessionOption{{"cleanup", 0, "C", "command once after any end", kChildren},
                  Hook(v1::Hooks::kCleanupFieldNumber),
                  false,
                  kPerBenchmark},
    SessionOption{{"cwd", 0, "DIR", "where the commands run (default here)", kChildren},
                  Own(Part::kBenchmark, ParseCwd, FormatCwd),
                  false,
                  kPerBenchmark},
    SessionOption{{"env", 0, "K=V", "add to the commands' environment; repeatable", kChildren},
                  Own(Part::kBenchmark, ParseVariable, FormatNothing),
                  kRepeatable,
                  kPerBenchmark},
    SessionOption{{"input", 0, "FILE", "stdin of the commands (default null)", kChildren},
                  kInput,
                  false,
                  kPerBenchmark},
    SessionOption{
        {"output", 0, "null|log|FILE", "where stdout and stderr go (default null)", kChildren},
        Own(Part::kBenchmark, ParseOutput, FormatOutput),
        false,
        kPerBenchmark},
    SessionOption{{"ignore-failure", 0, "", "a run that fails counts like any other", kChildren},
                  Benchmark(v1::Benchmark::kIgnoreFailureFieldNumber),
                  false,
                  kPerBenchmark},
    SessionOption{
        {"parse", 0, "FORMAT",
         "take metrics from stdout: lines (`NAME VALUE [UNIT]`), google-benchmark, hyperfine, go, "
         "jmh, pytest-benchmark, bmf or mmtests",
         kChildren},
        Benchmark(v1::Benchmark::kParseFieldNumber),
        false,
        kPerBenchmark},

    SessionOption{{"only", 0, "PATTERN",
                   "only the benchmarks whose name matches, as 'parse*'; repeatable", kSuite},
                  kElsewhere,
                  kRepeatable},
    SessionOption{{"parameter-list", 0, "NAME A,B",
                   "a benchmark for each value, which stands in commands for {NAME}; repeatable: "
                   "all combinations",
                   kSuite, 2},
                  kElsewhere,
                  kRepeatable,
                  kPerBenchmark},
    SessionOption{{"parameter-scan", 0, "NAME MIN MAX STEP",
                   "the same for MIN, MIN + STEP, ... MAX; repeatable", kSuite, 4},
                  kElsewhere,
                  kRepeatable,
                  kPerBenchmark},

    SessionOption{{"git", 0, "BASE..CANDIDATE",
                   "the arms are commits, each in a worktree of its own, and COMMAND runs in both; "
                   "A...B: B against where it left A; BASE..WORKTREE: the files as they lie there",
                   kCommits},
                  kElsewhere},
    SessionOption{{"build", 0, "C",
                   "command that builds each of them, by `sh -c`, before it is run", kCommits},
                  kElsewhere},

    SessionOption{{"isolation", 0, "strict|best-effort|off",
                   "how much of the machine to take (default best-effort)", kMachine},
                  Session(v1::SessionSpec::kIsolationFieldNumber)},
    SessionOption{{"machine-profile", 0, "NAME", "which settings (default default)", kMachine},
                  Session(v1::SessionSpec::kMachineProfileFieldNumber)},
    SessionOption{{"cpus", 0, "LIST", "CPUs within the profile's, as 2-3,6", kMachine},
                  Session(v1::SessionSpec::kCpusFieldNumber)},

    SessionOption{
        {"priority", 0, "N", "place in the queue; raising it is for admins (default 0)", kQueue},
        Session(v1::SessionSpec::kPriorityFieldNumber)},
    SessionOption{{"label", 0, "K=V", "a mark that `list` can select by; repeatable", kQueue},
                  Own(Part::kSession, ParseLabel, FormatLabels),
                  kRepeatable},
};

}  // namespace

std::span<const SessionOption> SessionOptions() { return kOptions; }

std::vector<OptionInfo> TableOptions() {
  std::vector<OptionInfo> options;
  for (const SessionOption& option : kOptions) {
    if (option.help_of_table.empty()) continue;
    options.push_back(option.info);
    options.back().help = option.help_of_table;
  }
  return options;
}

const SessionOption* FindSessionOption(std::string_view name) {
  for (const SessionOption& option : kOptions) {
    if (option.info.name == name) return &option;
  }
  return nullptr;
}

OptionValues CollectSessionOptions(const ParsedArguments& arguments) {
  OptionValues values;
  for (const GivenOption& given : arguments.options) {
    const SessionOption* option = FindSessionOption(given.name);
    if (option == nullptr) continue;
    std::vector<OptionValue>& list = values[given.name];
    if (!option->repeatable) list.clear();
    if (option->info.value.empty()) {
      list.push_back({"true", "--" + given.name});
    } else {
      list.push_back({given.value, "--" + given.name + " " + given.value});
    }
  }
  return values;
}

OptionValues Overlay(OptionValues base, const OptionValues& over) {
  for (const auto& [name, values] : over) base[name] = values;
  return base;
}

}  // namespace benchd::client
