#include "client/render/replay.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "client/git/worktree_plan.h"
#include "client/render/command_text.h"
#include "client/render/report.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/table_options.h"

namespace benchd::client {
namespace {

constexpr std::uint64_t kDefaultMinRuns = 8;

using Words = std::vector<std::string>;

void AddOnce(Words& list, const std::string& word) {
  if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

// The value of --metric for a gate with everything said: nothing is left to defaults.
std::string GateText(const v1::Comparison& gate) {
  std::string text = gate.metric();
  if (gate.margin_case() == v1::Comparison::kMarginRatio) {
    text += ":" + FormatRoundTripPercent(gate.margin_ratio());
  } else if (gate.margin_case() == v1::Comparison::kMarginAbsolute) {
    text += ":+" + FormatRoundTrip(gate.margin_absolute());
  }
  if (gate.better() != v1::BETTER_UNSPECIFIED) text += ":" + std::string(Word(gate.better()));
  return text;
}

Words GateWords(const v1::Update& report, const std::string& benchmark) {
  Words gates;
  for (const v1::Comparison& c : report.comparisons()) {
    if (c.role() == v1::COMPARISON_ROLE_GATE && c.benchmark() == benchmark) {
      AddOnce(gates, GateText(c));
    }
  }
  return gates;
}

Words ReferencesOf(const v1::Benchmark& benchmark) {
  Words references;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_REFERENCE) references.push_back(arm.name());
  }
  return references;
}

std::string WhyNot(const v1::Session& session) {
  const v1::SessionSpec& spec = session.spec();
  const v1::Benchmark& first = spec.benchmarks(0);
  for (const v1::Benchmark& other : spec.benchmarks()) {
    if (GateWords(session.report(), other.name()) != GateWords(session.report(), first.name())) {
      return "its benchmarks have different gates";
    }
    if (ReferencesOf(other) != ReferencesOf(first))
      return "its benchmarks have different references";
  }
  if (spec.estimator().kind() == v1::ESTIMATOR_KIND_SUBSELECTION) {
    return "subselection needs the samples inside each run, a table has one value a run";
  }
  for (const v1::Warning& warning : session.report().warnings()) {
    if (warning.code() == "runs_incomplete") return "it ended before its one look";
  }
  return "";
}

void AddReferenceOption(const Words& references, CommandText* line) {
  const bool list = references.size() > 1 && std::ranges::none_of(references, [](const auto& name) {
                      return name.find(',') != std::string::npos;
                    });
  if (!list) {
    for (const std::string& name : references) line->Option("--base", name);
    return;
  }
  std::string joined = references.front();
  for (std::size_t i = 1; i < references.size(); ++i) joined += "," + references[i];
  line->Option("--references", joined);
}

bool IsUnpaired(const v1::SessionSpec& spec) {
  return spec.method() == v1::METHOD_WELCH || spec.schedule() == v1::SCHEDULE_KIND_COIN;
}

// One look: asked for by --runs, or all that --max-runs leaves room for.
bool LooksOnce(const v1::SessionSpec& spec) {
  const v1::Limits& limits = spec.limits();
  if (limits.has_runs() || spec.method() == v1::METHOD_FIXED) return true;
  if (!limits.has_max_runs() || spec.method() == v1::METHOD_EXACT_T) return false;
  return limits.max_runs() <= std::max(kDefaultMinRuns, limits.min_runs());
}

void AddLooks(const v1::SessionSpec& spec, CommandText* line) {
  const v1::Limits& limits = spec.limits();
  if (LooksOnce(spec)) {
    line->Option("--method", "fixed");
    if (IsUnpaired(spec)) line->Option("--schedule", "coin");
    return;
  }
  line->Option("--method", Word(spec.method()));
  line->Option("--schedule", Word(spec.schedule()), "pairs");
  if (limits.has_min_runs() && limits.min_runs() != kDefaultMinRuns) {
    line->Option("--min-runs", std::to_string(limits.min_runs()));
  }
  if (limits.has_max_runs()) line->Option("--max-runs", std::to_string(limits.max_runs()));
}

// Under --fail-fast a regression ends the session before its limit says anything.
bool ReachedItsLimit(const v1::Session& session) {
  const v1::Update& report = session.report();
  return !session.spec().limits().fail_fast() || report.verdict() != v1::VERDICT_REGRESSION ||
         report.basis() == v1::BASIS_ESTIMATE;
}

void AddStatistics(const v1::Session& session, CommandText* line) {
  const v1::SessionSpec& spec = session.spec();
  AddLooks(spec, line);
  line->Option("--estimator", EstimatorWord(spec.estimator()), "mean");
  if (spec.rule().precision_width() > 0) {
    line->Option("--rule", "precision:" + FormatRoundTrip(spec.rule().precision_width()));
  }
  if (spec.has_alpha()) line->Number("--alpha", spec.alpha());
  line->Option("--sided", Word(spec.sided()), "two");
  line->Switch("--placebo", spec.placebo());
  if (ReachedItsLimit(session)) {
    line->Option("--at-limit", Word(spec.limits().at_limit()), "undecided");
  }
  // Its bootstrap draws.
  if (spec.estimator().kind() == v1::ESTIMATOR_KIND_QUANTILE) {
    line->Option("--seed", std::to_string(session.started().seed()));
  }
}

}  // namespace

AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns) {
  if (session.spec().benchmarks().empty() || session.report().comparisons().empty()) return {};
  if (std::string why = WhyNot(session); !why.empty()) return {"", std::move(why)};
  const v1::Benchmark& benchmark = session.spec().benchmarks(0);
  CommandText line("benchctl export " + Printable(session.session()) +
                   " --format csv | benchctl analyze -");
  AddReferenceOption(ReferencesOf(benchmark), &line);
  AddStatistics(session, &line);
  for (const std::string& gate : GateWords(session.report(), benchmark.name())) {
    line.Option("--metric", gate);
  }
  for (const TableColumn& column : columns) line.Option("--column", FormatColumn(column));
  return {line.Take(), ""};
}

namespace {

void AddLimits(const v1::Limits& limits, CommandText* line) {
  constexpr std::uint64_t kAnalyzeMinRuns = 8;
  constexpr double kDefaultMaxTime = 600;
  constexpr double kDefaultTimeout = 300;
  if (limits.has_min_runs() && limits.min_runs() != kAnalyzeMinRuns) {
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
  line->Option("--at-limit", Word(limits.at_limit()), "undecided");
  line->Switch("--fail-fast", limits.fail_fast());
}

void AddGateOption(const v1::Gate& gate, double session_margin, CommandText* line) {
  std::string text = gate.metric();
  // The daemon records each gate with its margin, also when it is the session's.
  if (gate.margin_case() == v1::Gate::kRatio && gate.ratio() != session_margin) {
    text += ":" + FormatRoundTripPercent(gate.ratio());
  }
  if (gate.margin_case() == v1::Gate::kAbsolute) text += ":+" + FormatRoundTrip(gate.absolute());
  if (gate.better() != v1::BETTER_UNSPECIFIED) text += ":" + std::string(Word(gate.better()));
  line->Option("--metric", text);
}

void AddSession(const v1::SessionSpec& spec, CommandText* line) {
  constexpr double kDefaultMargin = 0.02;
  constexpr double kDefaultAlpha = 0.01;
  if (spec.has_margin() && spec.margin() != kDefaultMargin) {
    line->Option("--margin", FormatRoundTripPercent(spec.margin()));
  }
  if (spec.has_alpha() && spec.alpha() != kDefaultAlpha) line->Number("--alpha", spec.alpha());
  line->Option("--sided", Word(spec.sided()), "two");
  line->Option("--method", Word(spec.method()), "paired");
  line->Option("--estimator", EstimatorWord(spec.estimator()), "mean");
  if (spec.rule().precision_width() > 0) {
    line->Option("--rule", "precision:" + FormatRoundTrip(spec.rule().precision_width()));
  }
  AddLimits(spec.limits(), line);
  line->Option("--schedule", Word(spec.schedule()), "pairs");
  if (spec.has_warmup() && spec.warmup() != 1)
    line->Option("--warmup", std::to_string(spec.warmup()));
  line->Switch("--placebo", spec.placebo());
  line->Option("--isolation", Word(spec.isolation()), "best-effort");
  if (!spec.machine_profile().empty())
    line->Option("--machine-profile", spec.machine_profile(), "default");
  line->Option("--cpus", spec.cpus());
}

void AddBenchmark(const v1::Benchmark& benchmark, double session_margin, CommandText* line) {
  for (const v1::Gate& gate : benchmark.gates()) AddGateOption(gate, session_margin, line);
  line->Option("--parse", benchmark.parse());
  line->Option("--setup", benchmark.hooks().setup());
  line->Option("--prepare", benchmark.hooks().prepare());
  line->Option("--conclude", benchmark.hooks().conclude());
  line->Option("--cleanup", benchmark.hooks().cleanup());
  line->Option("--input", benchmark.input());
  if (benchmark.output() == v1::OUTPUT_KIND_FILE) line->Option("--output", benchmark.output_path());
  line->Switch("--output log", benchmark.output() == v1::OUTPUT_KIND_LOG);
  line->Switch("--ignore-failure", benchmark.ignore_failure());
  line->Switch("--shell", benchmark.arms_size() > 0 && benchmark.arms(0).shell());
}

// One reference leads the commands; several are options of their own.
void AddArms(const v1::Benchmark& benchmark, CommandText* line) {
  if (benchmark.arms_size() > 0) line->Option("--cwd", benchmark.arms(0).cwd());
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

// What --git took: two commits, one command that differs at most in where they are.
struct CommitReplay {
  WorktreePlan plan;
  std::string command;  // with {dir} again
  std::string cwd;      // below the worktrees
};

std::string WithDir(std::string command, const std::string& dir) {
  constexpr std::string_view kMark = "{dir}";
  for (std::size_t at = command.find(dir); at != std::string::npos;
       at = command.find(dir, at + kMark.size())) {
    command.replace(at, dir.size(), kMark);
  }
  return command;
}

std::optional<CommitReplay> CommitsOf(const v1::Benchmark& benchmark) {
  const auto plan = ParseBuildCommandLine(benchmark.hooks().build());
  if (!plan) return std::nullopt;
  CommitReplay replay{*plan, "", ""};
  std::size_t i = 0;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
    if (i >= plan->trees.size() || !arm.has_commit()) return std::nullopt;
    const std::string dir = WorktreePlaces(plan->root, plan->trees[i]).built;
    const std::string command = WithDir(arm.command(), dir);
    const std::string cwd = arm.cwd().starts_with(dir + "/") ? arm.cwd().substr(dir.size() + 1)
                            : arm.cwd() == dir               ? ""
                                                             : arm.cwd();
    if (i++ > 0 && (command != replay.command || cwd != replay.cwd)) return std::nullopt;
    replay.command = command;
    replay.cwd = cwd;
  }
  return i == 2 ? std::optional(replay) : std::nullopt;
}

// The repository that the worktrees belong to; a bare one is where it is.
std::string FolderOf(const std::string& repository) {
  constexpr std::string_view kInside = "/.git";
  return repository.ends_with(kInside) ? repository.substr(0, repository.size() - kInside.size())
                                       : repository;
}

void AddGitOptions(const CommitReplay& replay, const v1::Benchmark& benchmark, CommandText* line) {
  line->Option("--cwd", replay.cwd);
  line->Option("--git", replay.plan.trees[0].commit + ".." + replay.plan.trees[1].commit);
  line->Option("--build", replay.plan.build);
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() != v1::ARM_ROLE_PLACEBO) line->Option("-n", arm.name());
  }
  line->Word("--");
  line->Word(replay.command);
}

}  // namespace

std::string ReplayCommand(const v1::SessionSpec& spec, std::uint64_t seed) {
  if (spec.benchmarks_size() != 1) return "benchctl compare -f FILE --seed " + std::to_string(seed);
  const v1::Benchmark& benchmark = spec.benchmarks(0);
  const std::optional<CommitReplay> commits = CommitsOf(benchmark);
  const std::string start = "benchctl compare --seed " + std::to_string(seed);
  CommandText line(
      commits ? "cd " + ShellQuoted(FolderOf(commits->plan.repository)) + " && " + start : start);
  AddSession(spec, &line);
  AddBenchmark(benchmark, spec.has_margin() ? spec.margin() : 0.02, &line);
  if (commits) {
    AddGitOptions(*commits, benchmark, &line);
  } else {
    AddArms(benchmark, &line);
  }
  return line.Take();
}

}  // namespace benchd::client
