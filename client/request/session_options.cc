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
// Once for all arms, or once for each (spec_builder.cc).
constexpr OptionField RunHook(int field, OptionField::Format format) {
  return {Part::kHooks, field, Number::kDuration, nullptr, format};
}
constexpr OptionField Own(Part part, OptionField::Parse parse, OptionField::Format format) {
  return {part, 0, Number::kDuration, parse, format};
}
constexpr OptionField kElsewhere;
// What ran says which seed it had: who asks again gives that one.
constexpr OptionField kSeed{Part::kSession, Spec::kSeedFieldNumber, Number::kDuration, nullptr,
                            FormatNothing};
constexpr OptionField kInput{Part::kBenchmark, v1::Benchmark::kInputFieldNumber, Number::kDuration,
                             ParseInput};

// An option under one heading of the help. What more there is to say of it is added behind it:
// Repeatable(PerBenchmark(...)), and by InTables its help in `analyze`, where it is another one.
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
constexpr SessionOption InTables(SessionOption option, std::string_view help = {}) {
  option.help_of_table = help.empty() ? option.info.help : help;
  return option;
}
constexpr SessionOption OfWords(int words, SessionOption option, int numbers = 0) {
  option.info.words = words;
  option.info.numbers = numbers;
  return option;
}
// As hyperfine has it.
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
constexpr Under kChildren{"Commands and their surroundings"};
constexpr Under kCommits{"Commits"};
constexpr Under kMachine{"Machine"};
constexpr Under kQueue{"Queue"};

constexpr std::array kOptions = {
    InTables(
        PerBenchmark(kVerdict("margin", "P", Session(Spec::kMarginFieldNumber, Number::kMargin),
                              "smallest slowdown that counts: 2% = 0.02 (default 2%)"))),
    InTables(kVerdict("confidence", "P", Own(Part::kSession, ParseConfidence, FormatNothing),
                      "1 - alpha, of the whole session (default 99%)"),
             "1 - alpha, of all gates together (default 99%)"),
    InTables(kVerdict("alpha", "A", Session(Spec::kAlphaFieldNumber, Number::kProbability),
                      "probability of a wrong statement, instead of --confidence")),
    InTables(kVerdict("sided", "two|one", Session(Spec::kSidedFieldNumber),
                      "what alpha covers: both bounds, or each (default two)")),
    InTables(Repeatable(PerBenchmark(
                 kVerdict("metric", "NAME[:P%|:+ABS][:lower|:higher]",
                          Own(Part::kBenchmark, ParseGate, FormatGates),
                          "a metric that decides (default wall_time; with --parse every parsed "
                          "metric that has a direction); repeatable"))),
             "a column that decides (default wall_time, without it every column that has a "
             "direction); repeatable"),
    InTables(PerBenchmark(kVerdict("allow-missing", "",
                                   Benchmark(v1::Benchmark::kAllowMissingFieldNumber),
                                   "a metric that an arm lacks is a warning, not a regression"))),
    OneOf(
        "paired|welch|exact-t|fixed|layouts",
        InTables(kVerdict("method", "M", Session(Spec::kMethodFieldNumber),
                          "paired, welch, exact-t, fixed, or layouts: arms base/1, base/2 ... are "
                          "builds of base (default paired)"),
                 "paired, welch, exact-t, fixed or layouts; the last two look once (default "
                 "paired with a pair column, else fixed)")),
    OneOf("mean|hl|median|quantile:P|lognormal-mean|subselection",
          InTables(kVerdict("estimator", "E", Own(Part::kSession, ParseEstimator, FormatEstimator),
                            "mean, hl, median, quantile:P, lognormal-mean or subselection (default "
                            "mean)"))),
    OneOf("margin|precision:WIDTH",
          InTables(kVerdict("rule", "R", Own(Part::kSession, ParseRule, FormatRule),
                            "margin, or precision:WIDTH of the interval (default margin)"))),
    InTables(kVerdict("at-limit", "undecided|estimate", Limits(v1::Limits::kAtLimitFieldNumber),
                      "what an open verdict becomes at a limit (default undecided)"),
             "what an open verdict becomes after the last row (default undecided)"),
    kVerdict("fail-fast", "", Limits(v1::Limits::kFailFastFieldNumber),
             "stop at the first regression"),

    InTables(kRuns("schedule", "pairs|coin", Session(Spec::kScheduleFieldNumber),
                   "how the arms alternate (default pairs)"),
             "coin: the rows are no pairs, whatever a pair column says (default pairs)"),
    Short('w',
          kRuns("warmup", "N", Session(Spec::kWarmupFieldNumber), "discarded blocks (default 1)")),
    Short('m', InTables(kRuns("min-runs", "N", Limits(v1::Limits::kMinRunsFieldNumber),
                              "blocks before the first look (default 8)"),
                        "pairs before the first look (default 8)")),
    Short('M', InTables(kRuns("max-runs", "N", Limits(v1::Limits::kMaxRunsFieldNumber),
                              "blocks at most (default none)"),
                        "pairs at most: then fewer are needed (default none)")),
    Short('r',
          kRuns("runs", "N", Limits(v1::Limits::kRunsFieldNumber), "exactly N blocks, one look")),
    kRuns("max-time", "D", Limits(v1::Limits::kMaxTimeSecondsFieldNumber),
          "from the first measured run, as 30s or 10m (default 10m)"),
    kRuns("timeout", "D", Limits(v1::Limits::kTimeoutSecondsFieldNumber),
          "of one run; then it is killed and the session fails (default 5m)"),
    InTables(kRuns("seed", "N", kSeed,
                   "of the order and the environment padding (default random, recorded)"),
             "of what an estimator draws at random (default 0)"),
    InTables(kRuns("placebo", "", Session(Spec::kPlaceboFieldNumber),
                   "add a hidden copy of the reference as a candidate"),
             "the arm called placebo is compared and never gates"),

    PerBenchmark(kChildren("shell", "", Own(Part::kBenchmark, ParseShell, FormatShell),
                           "run the commands by `sh -c`")),
    Short('s', PerBenchmark(kChildren("setup", "C", Hook(v1::Hooks::kSetupFieldNumber),
                                      "command to run once before"))),
    Short('p',
          Repeatable(PerBenchmark(kChildren(
              "prepare", "C", RunHook(v1::Hooks::kPrepareFieldNumber, FormatPrepare),
              "command to run before every run; repeatable: one for each command, in order")))),
    Short('C', Repeatable(PerBenchmark(kChildren(
                   "conclude", "C", RunHook(v1::Hooks::kConcludeFieldNumber, FormatConclude),
                   "command to run after every run; repeatable: one for each command, in order")))),
    Short('c', PerBenchmark(kChildren("cleanup", "C", Hook(v1::Hooks::kCleanupFieldNumber),
                                      "command to run once at the end, however it ends"))),
    PerBenchmark(kChildren("cwd", "DIR", Own(Part::kBenchmark, ParseCwd, FormatCwd),
                           "where the commands run (default here)")),
    Repeatable(
        PerBenchmark(kChildren("env", "K=V", Own(Part::kBenchmark, ParseVariable, FormatNothing),
                               "add to the commands' environment; repeatable"))),
    PerBenchmark(kChildren("input", "FILE", kInput, "stdin of the commands (default null)")),
    PerBenchmark(
        kChildren("output", "null|log|FILE", Own(Part::kBenchmark, ParseOutput, FormatOutput),
                  "where stdout and stderr go; FILE has the stdout of the last run "
                  "(default null, /dev/null: grep and others that look do less work then)")),
    Short('i', PerBenchmark(kChildren("ignore-failure", "",
                                      Benchmark(v1::Benchmark::kIgnoreFailureFieldNumber),
                                      "a run that fails counts like any other"))),
    InTables(PerBenchmark(kChildren("accept-exit", "LIST",
                                    Own(Part::kBenchmark, ParseAcceptExit, FormatAcceptExit),
                                    "exit codes of a run that has not failed, as 0,3 (default 0)")),
             "exit codes of a run that has not failed, as 0,3 (default 0), where the table has "
             "exit codes"),
    OneOf("lines|google-benchmark|hyperfine|go|jmh|pytest-benchmark|bmf|mmtests",
          PerBenchmark(kChildren("parse", "FORMAT", Benchmark(v1::Benchmark::kParseFieldNumber),
                                 "take metrics from stdout: lines (`NAME VALUE [UNIT]`), "
                                 "google-benchmark, hyperfine, go, jmh, pytest-benchmark, bmf or "
                                 "mmtests"))),

    Repeatable(kSuite("only", "PATTERN", kElsewhere,
                      "only the benchmarks whose name matches, as 'parse*'; repeatable")),
    Short('L', OfWords(2, Repeatable(PerBenchmark(
                              kSuite("parameter-list", "NAME A,B", kElsewhere,
                                     "one benchmark for each value, which replaces {NAME} in "
                                     "commands; repeatable: all combinations"))))),
    Short('P', OfWords(4,
                       Repeatable(PerBenchmark(
                           kSuite("parameter-scan", "NAME MIN MAX STEP", kElsewhere,
                                  "the same for MIN, MIN + STEP, ... MAX; repeatable"))),
                       /*numbers=*/3)),
    kSuite("between", "NAME", kElsewhere,
           "compare the values of that parameter with each other: each is an arm of the one "
           "command, the first is the reference"),

    kCommits("git", "BASE..CANDIDATE", kElsewhere,
             "compare commits: COMMAND runs in a worktree of each; A...B: B against its common "
             "ancestor with A; BASE..WORKTREE: your working tree against BASE"),
    kCommits("same-is-pass", "", kElsewhere,
             "if both sides of --git are the same commit, measure nothing and pass (default: an "
             "error)"),
    kCommits("build", "C", kElsewhere,
             "command that builds each commit before it is run, by `sh -c`"),
    kCommits("layouts", "K", kElsewhere,
             "build each commit K times (4 to 32), with as many seeds in BENCHD_LAYOUT_SEED, and "
             "compare the "
             "builds: is it the code, or where the linker put it?"),

    kMachine("isolation", "strict|best-effort|off", Session(Spec::kIsolationFieldNumber),
             "how much of the machine to take (default best-effort)"),
    kMachine("machine-profile", "NAME", Session(Spec::kMachineProfileFieldNumber),
             "which settings (default default)"),
    kMachine("cpus", "LIST", Session(Spec::kCpusFieldNumber),
             "CPUs within the profile's, as 2-3,6"),

    kQueue("priority", "N", Session(Spec::kPriorityFieldNumber),
           "place in the queue; raising it is for admins (default 0)"),
    Repeatable(kQueue("label", "K=V", Own(Part::kSession, ParseLabel, FormatLabels),
                      "a mark that `list` can select by; repeatable")),
};

}  // namespace

std::span<const SessionOption> SessionOptions() { return kOptions; }

std::vector<OptionInfo> TableOptions() {
  std::vector<OptionInfo> options;
  for (const SessionOption& option : kOptions) {
    if (option.help_of_table.empty()) continue;
    options.push_back(option.info);
    options.back().help = option.help_of_table;
    // A table runs nothing.
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
