#include "client/render/command_text.h"
#include "client/render/report.h"
#include "client/render/units.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

void AddLimits(const v1::Limits& limits, CommandText* line) {
  constexpr std::uint64_t kDefaultMinRuns = 8;
  constexpr double kDefaultMaxTime = 600;
  constexpr double kDefaultTimeout = 300;
  if (limits.has_min_runs() && limits.min_runs() != kDefaultMinRuns) {
    line->Option("--min-runs", std::to_string(limits.min_runs()));
  }
  if (limits.has_max_runs()) line->Option("--max-runs", std::to_string(limits.max_runs()));
  if (limits.has_runs()) line->Option("--runs", std::to_string(limits.runs()));
  if (limits.has_max_time_seconds() && limits.max_time_seconds() != kDefaultMaxTime) {
    line->Option("--max-time", FormatRoundTrip(limits.max_time_seconds()) + "s");
  }
  if (limits.has_timeout_seconds() && limits.timeout_seconds() != kDefaultTimeout) {
    line->Option("--timeout", FormatRoundTrip(limits.timeout_seconds()) + "s");
  }
  line->Option("--at-limit", AtLimitWord(limits.at_limit()), "undecided");
  line->Switch("--fail-fast", limits.fail_fast());
}

void AddGate(const v1::Gate& gate, double session_margin, CommandText* line) {
  std::string text = gate.metric();
  // The daemon records each gate with its margin, also when it is the session's.
  if (gate.margin_case() == v1::Gate::kRatio && gate.ratio() != session_margin) {
    text += ":" + FormatRoundTripPercent(gate.ratio());
  }
  if (gate.margin_case() == v1::Gate::kAbsolute) text += ":+" + FormatRoundTrip(gate.absolute());
  if (gate.better() != v1::BETTER_UNSPECIFIED) text += ":" + std::string(BetterWord(gate.better()));
  line->Option("--metric", text);
}

void AddSession(const v1::SessionSpec& spec, CommandText* line) {
  constexpr double kDefaultMargin = 0.02;
  constexpr double kDefaultAlpha = 0.01;
  if (spec.has_margin() && spec.margin() != kDefaultMargin) line->Number("--margin", spec.margin());
  if (spec.has_alpha() && spec.alpha() != kDefaultAlpha) line->Number("--alpha", spec.alpha());
  line->Option("--sided", SidedWord(spec.sided()), "two");
  line->Option("--method", MethodWord(spec.method()), "paired");
  line->Option("--estimator", EstimatorWord(spec.estimator()), "mean");
  if (spec.rule().precision_width() > 0) {
    line->Option("--rule", "precision:" + FormatRoundTrip(spec.rule().precision_width()));
  }
  AddLimits(spec.limits(), line);
  line->Option("--schedule", ScheduleWord(spec.schedule()), "pairs");
  if (spec.has_warmup() && spec.warmup() != 1)
    line->Option("--warmup", std::to_string(spec.warmup()));
  line->Switch("--placebo", spec.placebo());
  line->Option("--isolation", IsolationWord(spec.isolation()), "best-effort");
  if (!spec.machine_profile().empty())
    line->Option("--machine-profile", spec.machine_profile(), "default");
  line->Option("--cpus", spec.cpus());
}

void AddBenchmark(const v1::Benchmark& benchmark, double session_margin, CommandText* line) {
  for (const v1::Gate& gate : benchmark.gates()) AddGate(gate, session_margin, line);
  line->Option("--parse", benchmark.parse());
  line->Option("--setup", benchmark.hooks().setup());
  line->Option("--prepare", benchmark.hooks().prepare());
  line->Option("--conclude", benchmark.hooks().conclude());
  line->Option("--cleanup", benchmark.hooks().cleanup());
  line->Option("--input", benchmark.input());
  if (benchmark.output() == v1::OUTPUT_KIND_FILE) line->Option("--output", benchmark.output_path());
  line->Switch("--output log", benchmark.output() == v1::OUTPUT_KIND_LOG);
  line->Switch("--ignore-failure", benchmark.ignore_failure());
  if (benchmark.arms_size() > 0) {
    line->Option("--cwd", benchmark.arms(0).cwd());
    line->Switch("--shell", benchmark.arms(0).shell());
  }
}

// One reference leads the commands; several are options of their own.
void AddArms(const v1::Benchmark& benchmark, CommandText* line) {
  int references = 0;
  for (const v1::Arm& arm : benchmark.arms())
    references += arm.role() == v1::ARM_ROLE_REFERENCE ? 1 : 0;
  std::vector<const v1::Arm*> positional;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;  // --placebo adds it
    if (arm.role() != v1::ARM_ROLE_REFERENCE) {
      positional.push_back(&arm);
    } else if (references == 1) {
      positional.insert(positional.begin(), &arm);
    } else {
      line->Option("--reference", arm.name() + "=" + arm.command());
    }
  }
  for (const v1::Arm* arm : positional) line->Option("-n", arm->name());
  line->Word("--");
  for (const v1::Arm* arm : positional) line->Word(arm->command());
}

}  // namespace

std::string ReplayCommand(const v1::SessionSpec& spec, std::uint64_t seed) {
  if (spec.benchmarks_size() != 1) return "benchctl compare -f FILE --seed " + std::to_string(seed);
  CommandText line("benchctl compare --seed " + std::to_string(seed));
  AddSession(spec, &line);
  AddBenchmark(spec.benchmarks(0), spec.has_margin() ? spec.margin() : 0.02, &line);
  AddArms(spec.benchmarks(0), &line);
  return line.Take();
}

}  // namespace benchd::client
