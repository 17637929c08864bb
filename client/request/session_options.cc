#include "client/request/session_options.h"

#include <array>

namespace benchd::client {
namespace {

using Part = OptionField::Part;
using Number = OptionField::Number;
using Spec = v1::SessionSpec;

constexpr OptionField Session(int field, Number number = Number::kDuration) {
  return {Part::kSession, field, number};
}
constexpr OptionField Limits(int field) { return {Part::kLimits, field}; }
constexpr OptionField Benchmark(int field) { return {Part::kBenchmark, field}; }
constexpr OptionField Hook(int field) { return {Part::kHooks, field}; }
// Describes a hook that is given once for all arms, or once per arm.
constexpr OptionField RunHook(int field, OptionField::Format format) {
  return {Part::kHooks, field, Number::kDuration, nullptr, format};
}
constexpr OptionField Own(Part part, OptionField::Parse parse, OptionField::Format format) {
  return {part, 0, Number::kDuration, parse, format};
}
constexpr OptionField kElsewhere;
// The seed is not formatted, because ReplayCommand() adds the seed that the session recorded.
constexpr OptionField kSeed{Part::kSession, Spec::kSeedFieldNumber, Number::kDuration, nullptr,
                            FormatNothing};
constexpr OptionField kPassConfidence{Part::kSession, Spec::kPassConfidenceFieldNumber,
                                      Number::kProbability, ParsePassConfidence};
constexpr OptionField kParse{Part::kBenchmark, v1::Benchmark::kParseFieldNumber, Number::kDuration,
                             nullptr, FormatParse};
constexpr OptionField kInput{Part::kBenchmark, v1::Benchmark::kInputFieldNumber, Number::kDuration,
                             ParseInput, FormatInput};

// Creates options under one heading of the help. Wrappers add further properties, as in
// Repeatable(PerBenchmark(...)). InTables() adds the help text of `analyze`, if that differs.
struct Under {
  std::string_view group;

  constexpr SessionOption operator()(std::string_view name, std::string_view value,
                                     OptionField field, std::string_view help) const {
    return {{name, 0, value, help, group}, field};
  }
};

constexpr SessionOption Repeatable(SessionOption option) {
  option.info.repeatable = true;
  return option;
}
constexpr SessionOption PerBenchmark(SessionOption option) {
  option.per_benchmark = true;
  return option;
}
// Allows one value per arm (own_values.h).
constexpr SessionOption PerArm(SessionOption option) {
  option.per_arm = true;
  return Repeatable(PerBenchmark(option));
}
constexpr SessionOption Optional(SessionOption option) {
  option.info.optional = true;
  return option;
}
constexpr SessionOption InTables(SessionOption option, std::string_view help = {}) {
  option.help_of_table = help.empty() ? option.info.help : help;
  return option;
}
// Marks an option that only a comparison has, which `measure` therefore lacks.
constexpr SessionOption Compared(SessionOption option) {
  option.only_compared = true;
  return option;
}
// Allows true and false as values in a [[benchmark]].
constexpr SessionOption SwitchInBenchmark(SessionOption option) {
  option.switch_in_benchmark = true;
  return option;
}
constexpr SessionOption OfWords(int words, SessionOption option, int numbers = 0) {
  option.info.words = words;
  option.info.numbers = numbers;
  return option;
}
// Adds a short name. The short names are those of hyperfine.
constexpr SessionOption Short(char letter, SessionOption option) {
  option.info.letter = letter;
  return option;
}
constexpr SessionOption OneOf(std::string_view choices, SessionOption option) {
  option.info.choices = choices;
  return option;
}

constexpr Under kVerdict{"Verdict"};
constexpr Under kRuns{"Runs and limits"};
constexpr Under kSuite{"Suites and parameters"};
constexpr Under kChildren{"Execution of commands"};
constexpr Under kCommits{"Commits"};
constexpr Under kMachine{"Machine"};
constexpr Under kQueue{"Queue"};

constexpr std::array kOptions = {
    InTables(PerBenchmark(
        Compared(kVerdict("margin", "P", Session(Spec::kMarginFieldNumber, Number::kMargin),
                          "smallest slowdown that counts, as 2% or 0.02; -5% requires an "
                          "improvement of 5 % (default: 2%)")))),
    InTables(kVerdict("confidence", "P", Own(Part::kSession, ParseConfidence, FormatNothing),
                      "confidence of the whole session, 1 - alpha (default: 99%)"),
             "confidence of all gates together, 1 - alpha (default: 99%)"),
    InTables(kVerdict("alpha", "A", Session(Spec::kAlphaFieldNumber, Number::kProbability),
                      "accepted probability of a wrong statement, instead of --confidence")),
    InTables(
        Compared(kVerdict("pass-confidence", "P", kPassConfidence,
                          "confidence of a pass: the probability of a false pass is at most 1 - P "
                          "(default: that of a regression, 99.5%)"))),
    InTables(Compared(kVerdict("sided", "two|one", Session(Spec::kSidedFieldNumber),
                               "apply alpha to both bounds together, or to each (default: two)"))),
    InTables(Compared(
        kVerdict("error-rate", "family|fdr", Session(Spec::kErrorRateFieldNumber),
                 "with several gates, alpha bounds the probability of any wrong verdict, or "
                 "(fdr) the expected share of wrong ones among the regressions and among the "
                 "passes (default: family)"))),
    InTables(Repeatable(PerBenchmark(
                 kVerdict("metric", "NAME[:P%|:+ABS|:exact][:lower|:higher]",
                          Own(Part::kBenchmark, ParseGate, FormatGates),
                          "gate on this metric, or on those that a pattern such as '*/sec/op' "
                          "matches (default: wall_time; with --parse, every parsed metric with a "
                          "direction); repeatable"))),
             "gate on this column, or on those that a pattern such as '*/sec/op' matches "
             "(default: wall_time, else every column with a direction); repeatable"),
    InTables(PerBenchmark(
        kVerdict("allow-missing", "", Benchmark(v1::Benchmark::kAllowMissingFieldNumber),
                 "warn if an arm lacks a metric, instead of reporting a regression"))),
    OneOf("paired|welch|exact-t|fixed|layouts",
          InTables(
              Compared(kVerdict("method", "M", Session(Spec::kMethodFieldNumber),
                                "paired, welch, exact-t, fixed or layouts (default: paired); for "
                                "layouts, arms base/1, base/2 ... are builds of base")),
              "paired, welch, exact-t, fixed or layouts; the last two look once (default: "
              "paired with a pair column, else fixed)")),
    OneOf("mean|hl|median|quantile:P|lognormal-mean|subselection",
          InTables(kVerdict("estimator", "E", Own(Part::kSession, ParseEstimator, FormatEstimator),
                            "mean, hl, median, quantile:P, lognormal-mean or subselection "
                            "(default: mean)"))),
    OneOf("margin|precision:WIDTH",
          InTables(Compared(kVerdict("rule", "R", Own(Part::kSession, ParseRule, FormatRule),
                                     "margin, or precision:WIDTH to stop at that width of the "
                                     "interval (default: margin)")))),
    InTables(kVerdict("at-limit", "undecided|estimate", Limits(v1::Limits::kAtLimitFieldNumber),
                      "verdict if a limit is reached first (default: undecided)"),
             "verdict if the rows decide nothing (default: undecided)"),
    InTables(SwitchInBenchmark(Repeatable(PerBenchmark(Compared(kVerdict(
                 "control", "NAME", Own(Part::kBenchmark, ParseControl, FormatControl),
                 "this benchmark must not change: if it does, the machine changed, and the "
                 "verdict is undecided; repeatable"))))),
             "this benchmark or column must not change: if it does, the verdict is undecided; "
             "repeatable"),
    Compared(kVerdict("fail-fast", "", Limits(v1::Limits::kFailFastFieldNumber),
                      "stop at the first regression")),
    Compared(kVerdict(
        "confirm", "", Session(Spec::kConfirmFieldNumber),
        "compare gates that regressed once more, with fresh runs and builds; only what both "
        "phases find is a regression")),

    InTables(Compared(kRuns("schedule", "pairs|coin", Session(Spec::kScheduleFieldNumber),
                            "how the arms alternate (default: pairs)")),
             "coin treats rows as unpaired, even with a pair column (default: pairs)"),
    Short('w', kRuns("warmup", "N", Session(Spec::kWarmupFieldNumber),
                     "number of warm-up blocks (default: 1)")),
    Short('m', InTables(kRuns("min-runs", "N", Limits(v1::Limits::kMinRunsFieldNumber),
                              "blocks before the first look (default: 8)"),
                        "pairs before the first look (default: 8)")),
    Short('M', InTables(kRuns("max-runs", "N", Limits(v1::Limits::kMaxRunsFieldNumber),
                              "maximum number of blocks (default: none)"),
                        "maximum number of pairs; a limit reduces the pairs needed "
                        "(default: none)")),
    Short('r', kRuns("runs", "N", Limits(v1::Limits::kRunsFieldNumber),
                     "run exactly N blocks and look once")),
    kRuns("max-time", "D", Limits(v1::Limits::kMaxTimeSecondsFieldNumber),
          "time limit from the first measured run, such as 30s (default: 10m)"),
    kRuns("timeout", "D", Limits(v1::Limits::kTimeoutSecondsFieldNumber),
          "time limit of one run, after which the session fails (default: 5m)"),
    InTables(kRuns("seed", "N", kSeed,
                   "seed of the order and the environment padding (default: random, recorded)"),
             "seed of randomised estimators (default: 0)"),
    InTables(Compared(kRuns("placebo", "", Session(Spec::kPlaceboFieldNumber),
                            "add a hidden copy of the reference as a candidate")),
             "the arm called placebo is a control, which never gates"),
    Compared(kRuns("keep-all", "", Session(Spec::kKeepAllFieldNumber),
                   "run every arm until the end, even one whose gates are all decided")),
    OneOf("on|off",
          InTables(Compared(kRuns("early-looks", "on|off",
                                  Own(Part::kSession, ParseEarlyLooks, FormatEarlyLooks),
                                  "look at 3 to 7 blocks, too, whether an arm takes over 1.5 times "
                                  "as long as another (default: on if there are several "
                                  "candidates, else off)")),
                   "look at 3 to 7 pairs, too, whether an arm is over 1.5 times another (default: "
                   "on if there are several candidates in pairs, else off)")),

    Optional(
        PerArm(kChildren("shell", "PATH", Own(Part::kBenchmark, ParseShell, FormatShell),
                         "run the commands with `sh -c`, or with the -c of another shell, such "
                         "as --shell=bash (only after `=`); repeatable: one per command, in "
                         "order; none: no shell"))),
    Short('s', PerBenchmark(kChildren("setup", "C", Hook(v1::Hooks::kSetupFieldNumber),
                                      "command to run once before all runs"))),
    Short('p', PerArm(kChildren(
                   "prepare", "C", RunHook(v1::Hooks::kPrepareFieldNumber, FormatPrepare),
                   "command to run before every run; repeatable: one per command, in order"))),
    Short('C', PerArm(kChildren(
                   "conclude", "C", RunHook(v1::Hooks::kConcludeFieldNumber, FormatConclude),
                   "command to run after every run; repeatable: one per command, in order"))),
    Short('c', PerBenchmark(kChildren("cleanup", "C", Hook(v1::Hooks::kCleanupFieldNumber),
                                      "command to run once at the end, even after a failure"))),
    PerBenchmark(kChildren("cwd", "DIR", Own(Part::kBenchmark, ParseCwd, FormatCwd),
                           "working directory of the commands (default: the current one)")),
    PerArm(kChildren("env", "[ARM:]K=V", Own(Part::kBenchmark, ParseVariable, FormatNothing),
                     "add a variable to the commands' environment, or to that of one arm, such as "
                     "candidate:K=V; repeatable")),
    PerArm(kChildren("input", "FILE", kInput,
                     "stdin of the commands (default: null); repeatable: one per command, in "
                     "order")),
    PerBenchmark(
        kChildren("output", "null|pipe|log|FILE", Own(Part::kBenchmark, ParseOutput, FormatOutput),
                  "destination of stdout; FILE gets that of the last run, pipe discards it, and "
                  "log keeps it with stderr (default: null, which is /dev/null; tools such as grep "
                  "then do less work)")),
    PerBenchmark(kChildren("check-output", "", Benchmark(v1::Benchmark::kCheckOutputFieldNumber),
                           "fail if the arms do not all print the same stdout in every run")),
    Short('i', PerBenchmark(kChildren("ignore-failure", "",
                                      Benchmark(v1::Benchmark::kIgnoreFailureFieldNumber),
                                      "count failed runs like any other"))),
    InTables(PerBenchmark(kChildren("accept-exit", "LIST",
                                    Own(Part::kBenchmark, ParseAcceptExit, FormatAcceptExit),
                                    "exit codes that count as success, such as 0,3 (default: 0)")),
             "exit codes that count as success, such as 0,3, if the table has exit codes "
             "(default: 0)"),
    OneOf("lines|google-benchmark|hyperfine|go|jmh|pytest-benchmark|bmf|mmtests|libtest|criterion|"
          "catch2|nanobench|vitest|tinybench|mitata|benchmarkdotnet|pyperf|github-smaller|"
          "github-bigger|FILE.toml",
          PerBenchmark(
              kChildren("parse", "FORMAT", kParse,
                        "take metrics from the output: lines (`NAME VALUE [UNIT]`), "
                        "google-benchmark, hyperfine, go, jmh, pytest-benchmark, bmf, "
                        "mmtests, libtest, criterion, catch2, nanobench, vitest, "
                        "tinybench, mitata, benchmarkdotnet, pyperf, github-smaller, "
                        "github-bigger, an adapter such as wrk or fio (`benchctl parse` lists "
                        "them), or an adapter of your own, FILE.toml"))),
    PerBenchmark(kChildren(
        "parse-file", "PATH", Own(Part::kBenchmark, ParseResultFile, FormatResultFile),
        "with --parse, read the numbers from files that each run writes, such as results.json or "
        "'target/criterion/**/new/*.json'; files that match are removed before each run")),

    OneOf(
        "google-benchmark|go|catch2|pytest-benchmark|jmh|libtest|criterion|adapter",
        PerBenchmark(kSuite(
            "harness", "NAME",
            {Part::kBenchmark, v1::Benchmark::kHarnessFieldNumber, Number::kDuration, ParseHarness},
            "the commands are programs of google-benchmark, go, catch2, pytest-benchmark, jmh, "
            "libtest or criterion, or the adapter of --parse describes them: list their "
            "benchmarks, and measure each one by itself"))),
    PerBenchmark(kSuite("no-groups", "", Benchmark(v1::Benchmark::kNoGroupsFieldNumber),
                        "with --harness, always run each benchmark alone, even if its runs are "
                        "mostly the start of the program")),
    Repeatable(PerBenchmark(
        kSuite("only", "PATTERN", Own(Part::kBenchmark, ParseOnly, FormatOnly),
               "run only benchmarks whose name matches, such as 'parse*'; repeatable"))),
    Short('L', OfWords(2, Repeatable(PerBenchmark(
                              kSuite("parameter-list", "NAME A,B", kElsewhere,
                                     "run one benchmark per value, which replaces {NAME} in "
                                     "commands; repeatable: all combinations"))))),
    Short('P', OfWords(4,
                       Repeatable(PerBenchmark(
                           kSuite("parameter-scan", "NAME MIN MAX STEP", kElsewhere,
                                  "run one benchmark per value MIN, MIN + STEP, ... MAX; "
                                  "repeatable"))),
                       /*numbers=*/3)),
    kSuite("between", "NAME", kElsewhere,
           "compare the values of that parameter with each other: each value is an arm of the only "
           "command, and the first is the reference"),

    Compared(kCommits(
        "git", "BASE..CANDIDATE", kElsewhere,
        "compare commits: COMMAND runs in a worktree of each. A...B compares B with its common "
        "ancestor with A, and BASE..WORKTREE compares your working tree with BASE")),
    Compared(kCommits(
        "same-is-pass", "", kElsewhere,
        "if both sides of --git are the same commit, measure nothing and pass (default: an "
        "error)")),
    Compared(
        kCommits("build", "C", kElsewhere, "command that builds each commit, run with `sh -c`")),
    Compared(kCommits(
        "layouts", "K", kElsewhere,
        "build each commit K times (4 to 32), with different seeds in BENCHD_LAYOUT_SEED, and "
        "compare the "
        "builds, to separate the effect of the code from that of its memory layout")),

    kMachine("isolation", "strict|best-effort|off", Session(Spec::kIsolationFieldNumber),
             "how much of the machine to take (default: best-effort)"),
    kMachine("machine-profile", "NAME", Session(Spec::kMachineProfileFieldNumber),
             "profile of machine settings (default: \"default\")"),
    kMachine("cpus", "LIST", Session(Spec::kCpusFieldNumber),
             "use only these CPUs of the profile, such as 2-3,6"),

    kQueue("priority", "N", Session(Spec::kPriorityFieldNumber),
           "priority in the queue; only admins may raise it (default: 0)"),
    Repeatable(kQueue("label", "K=V", Own(Part::kSession, ParseLabel, FormatLabels),
                      "label by which `list` can select sessions; repeatable")),
};

}  // namespace

std::span<const SessionOption> SessionOptions() { return kOptions; }

std::vector<OptionInfo> TableOptions() {
  std::vector<OptionInfo> options;
  for (const SessionOption& option : kOptions) {
    if (option.help_of_table.empty()) continue;
    options.push_back(option.info);
    options.back().help = option.help_of_table;
    // `analyze` does not run commands, so their heading would be wrong.
    if (option.info.group == kChildren.group) options.back().group = kVerdict.group;
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
    const bool optional = option->info.optional;
    if (option->info.value.empty() || (optional && given.value.empty())) {
      list.push_back({"true", "--" + given.name});
    } else {
      list.push_back({given.value, "--" + given.name + (optional ? "=" : " ") + given.value});
    }
  }
  return values;
}

OptionValues Overlay(OptionValues base, const OptionValues& over) {
  for (const auto& [name, values] : over) base[name] = values;
  return base;
}

}  // namespace benchd::client
