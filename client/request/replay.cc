#include "client/request/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "client/git/worktree_plan.h"
#include "client/present/measurement.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/session_options.h"
#include "client/request/table_options.h"
#include "core/analysis/control_names.h"
#include "core/base/printable.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/model/session_spec.h"
#include "core/model/verdict_reason.h"

namespace benchd::client {
namespace {

constexpr std::uint64_t kDefaultMinRuns = 8;

using TextList = std::vector<std::string>;

// Builds a command line that can be pasted into a shell.
class CommandText {
 public:
  explicit CommandText(std::string start) : text_(std::move(start)) {}

  void Switch(const char* name, bool on) {
    if (on) text_ += std::string(" ") + name;
  }
  // Adds an option unless its value is the default.
  void Option(const char* name, std::string_view value, std::string_view usual = "") {
    if (value != usual) text_ += std::string(" ") + name + " " + PastedWord(value);
  }
  // Adds an option whose value must follow "=".
  void Joined(const std::string& name, std::string_view value) {
    text_ += " " + name + "=" + PastedWord(value);
  }
  void Word(const std::string& word) { text_ += " " + PastedWord(word); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddOption(const SessionOption& option, const OptionSource& source, CommandText* line) {
  const std::string name = "--" + std::string(option.info.name);
  for (const std::string& text : FormatOption(option.field, source)) {
    if (option.info.value.empty() || (option.info.optional && text == "true")) {
      line->Switch(name.c_str(), true);
    } else if (option.info.optional) {
      line->Joined(name, text);
    } else {
      line->Option(name.c_str(), text);
    }
  }
}

void AddOnce(TextList& list, const std::string& word) {
  if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

// Returns whether the gate is exact although nobody asked for it: a count of work without a margin
// that was decided on constant values. Its margin is that of the session.
bool IsExactByDefault(const v1::Comparison& gate) {
  return gate.basis() == v1::BASIS_EXACT && !gate.exact();
}

// Returns the margin of the gates that are exact by default. Returns nothing if there are none, or
// if their margins differ.
std::optional<double> MarginOfDefaults(const v1::Update& report) {
  std::optional<double> margin;
  for (const v1::Comparison* gate : GatesOf(report)) {
    if (!IsExactByDefault(*gate)) continue;
    if (margin && *margin != gate->margin_ratio()) return std::nullopt;
    margin = gate->margin_ratio();
  }
  return margin;
}

// Returns the complete text of a gate. It relies on a default only if the gate is exact by default.
std::string DecidingGateText(const v1::Comparison& comparison, bool by_default) {
  v1::Gate gate;
  gate.set_metric(comparison.metric());
  gate.set_better(comparison.better());
  if (IsExactByDefault(comparison) && by_default) return GateText(gate);
  gate.set_exact(comparison.exact() || IsExactByDefault(comparison));
  if (comparison.margin_case() == v1::Comparison::kMarginRatio) {
    gate.set_ratio(comparison.margin_ratio());
  } else if (comparison.margin_case() == v1::Comparison::kMarginAbsolute) {
    gate.set_absolute(comparison.margin_absolute());
  }
  return GateText(gate);
}

TextList GateWords(const v1::Update& report, const std::string& benchmark) {
  const bool by_default = MarginOfDefaults(report).has_value();
  TextList gates;
  for (const v1::Comparison* gate : GatesOf(report)) {
    if (gate->benchmark() == benchmark) AddOnce(gates, DecidingGateText(*gate, by_default));
  }
  return gates;
}

TextList ReferencesOf(const v1::Benchmark& benchmark) {
  TextList references;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_REFERENCE) references.push_back(arm.name());
  }
  return references;
}

// Returns whether a gate is about a benchmark that some arm lacks, so that it has no runs.
bool LacksABenchmark(const v1::Session& session) {
  const auto& benchmarks = session.spec().benchmarks();
  return std::ranges::any_of(
      session.report().comparisons(), [&benchmarks](const v1::Comparison& comparison) {
        const auto is_its = [&comparison](const v1::Benchmark& one) {
          return (one.name().empty() ? "main" : one.name()) == comparison.benchmark();
        };
        return std::ranges::none_of(benchmarks, is_its);
      });
}

std::string WhyNot(const v1::Session& session) {
  const v1::SessionSpec& spec = session.spec();
  if (LacksABenchmark(session)) return "an arm lacks a benchmark, which a table cannot state";
  if (spec.estimator().kind() == v1::ESTIMATOR_KIND_SUBSELECTION) {
    return "subselection needs the samples inside each run, but a table has one value per run";
  }
  for (const v1::Warning& warning : session.report().warnings()) {
    if (warning.code() == "runs_incomplete") return "it ended before its only look";
  }
  const auto accepts_the_same = [&spec](const v1::Benchmark& one) {
    return std::ranges::equal(one.accept_exit(), spec.benchmarks(0).accept_exit());
  };
  if (!std::ranges::all_of(spec.benchmarks(), accepts_the_same)) {
    return "its benchmarks accept different exit codes, but --accept-exit applies to a whole table";
  }
  const bool by_default = std::ranges::all_of(
      spec.benchmarks(), [](const v1::Benchmark& one) { return one.gates().empty(); });
  for (const v1::Comparison& one : session.report().comparisons()) {
    const bool of_zero = one.reason() == Reason("left_zero") ||
                         one.reason() == Reason("fell_to_zero") ||
                         one.reason() == Reason("no_ratio");
    if (by_default && of_zero) return "a metric became a gate by default when it left 0";
    if (IsOfLateGate(one.reason())) return "a metric became a gate only when it was printed";
  }
  return "";
}

// Adds the references, unless they differ between benchmarks: then the export states them.
void AddReferenceOption(const v1::SessionSpec& spec, CommandText* line) {
  const TextList references = ReferencesOf(spec.benchmarks(0));
  for (const v1::Benchmark& other : spec.benchmarks()) {
    if (ReferencesOf(other) != references) return;
  }
  const bool list = references.size() > 1 && std::ranges::none_of(references, [](const auto& name) {
                      return name.find(',') != std::string::npos;
                    });
  if (!list) {
    for (const std::string& name : references) line->Option("--base", name);
    return;
  }
  line->Option("--references", Join(references, ","));
}

bool NamesBenchmark(const std::string& control, const v1::Benchmark& benchmark) {
  return NamesControl(control, benchmark.name()) ||
         (!benchmark.inner().empty() && NamesControl(control, benchmark.inner()));
}

// Returns whether the name stands for something in the output of the benchmark.
bool NamesMetric(const std::string& control, const v1::Benchmark& benchmark,
                 const v1::Update& report) {
  return std::ranges::any_of(report.comparisons(), [&](const v1::Comparison& one) {
    return one.benchmark() == benchmark.name() && one.control() != v1::CONTROL_STATE_UNSPECIFIED &&
           NamesControl(control, one.metric());
  });
}

bool IsUnpaired(const v1::SessionSpec& spec) {
  return spec.method() == v1::METHOD_WELCH || spec.schedule() == v1::SCHEDULE_KIND_COIN;
}

// Returns whether there is only one look, because of --runs or because --max-runs allows only one.
bool LooksOnce(const v1::SessionSpec& spec) {
  const v1::Limits& limits = spec.limits();
  if (limits.has_runs() || spec.method() == v1::METHOD_FIXED) return true;
  if (!limits.has_max_runs() || spec.method() == v1::METHOD_EXACT_T) return false;
  return limits.max_runs() <= std::max(kDefaultMinRuns, limits.min_runs());
}

// Adds the gates once if all benchmarks share them, else after the name of each benchmark.
void AddGateOptions(const v1::Session& session, CommandText* line) {
  if (const std::optional<double> margin = MarginOfDefaults(session.report())) {
    line->Option("--margin", FormatRoundTripPercent(*margin), "2%");
  }
  const auto& benchmarks = session.spec().benchmarks();
  const auto words_of = [&session](const v1::Benchmark& benchmark) {
    return GateWords(session.report(), benchmark.name());
  };
  const TextList first = words_of(benchmarks[0]);
  const bool same = std::ranges::all_of(
      benchmarks, [&](const v1::Benchmark& other) { return words_of(other) == first; });
  for (const v1::Benchmark& benchmark : benchmarks) {
    const TextList gates = words_of(benchmark);
    if (gates.empty()) continue;
    if (!same) line->Option("--benchmark", benchmark.name());
    for (const std::string& gate : gates) line->Option("--metric", gate);
    if (same) return;
  }
}

// Adds the named session options with the values of the spec.
void AddOptions(const v1::SessionSpec& spec, std::initializer_list<std::string_view> names,
                CommandText* line) {
  for (const std::string_view name : names) {
    AddOption(*FindSessionOption(name), {spec, spec.benchmarks(0)}, line);
  }
}

void AddLooks(const v1::SessionSpec& spec, CommandText* line) {
  if (spec.method() == v1::METHOD_LAYOUTS) {
    line->Option("--method", Word(spec.method()));
    return;
  }
  if (LooksOnce(spec)) {
    line->Option("--method", "fixed");
    if (IsUnpaired(spec)) line->Option("--schedule", "coin");
    return;
  }
  line->Option("--method", Word(spec.method()));
  AddOptions(spec, {"schedule", "min-runs", "max-runs", "early-looks"}, line);
}

// Returns whether the session reached its limit. With --fail-fast, a regression may end it earlier.
bool ReachedItsLimit(const v1::Session& session) {
  const v1::Update& report = session.report();
  // A control that changed withdraws the regression with which the session ended.
  const bool regressed = report.verdict() == v1::VERDICT_REGRESSION ||
                         (report.control_changed() &&
                          std::ranges::any_of(report.comparisons(), [](const v1::Comparison& one) {
                            return one.verdict() == v1::VERDICT_REGRESSION;
                          }));
  return !session.spec().limits().fail_fast() || !regressed || report.basis() == v1::BASIS_ESTIMATE;
}

void AddStatistics(const v1::Session& session, CommandText* line) {
  const v1::SessionSpec& spec = session.spec();
  AddLooks(spec, line);
  AddOptions(spec, {"estimator", "rule"}, line);
  if (spec.has_alpha()) line->Option("--alpha", FormatRoundTrip(spec.alpha()));
  AddOptions(spec, {"pass-confidence", "sided", "error-rate", "placebo", "accept-exit"}, line);
  for (const std::string& name : ControlNamesOf(session)) line->Option("--control", name);
  if (ReachedItsLimit(session)) AddOptions(spec, {"at-limit"}, line);
  // The bootstrap of a quantile depends on the seed.
  if (spec.estimator().kind() == v1::ESTIMATOR_KIND_QUANTILE) {
    line->Option("--seed", std::to_string(session.started().seed()));
  }
}

}  // namespace

std::vector<std::string> ControlNamesOf(const v1::Session& session) {
  TextList names;
  for (const v1::Benchmark& benchmark : session.spec().benchmarks()) {
    const auto names_it = [&benchmark](const std::string& control) {
      return NamesBenchmark(control, benchmark);
    };
    if (benchmark.control() || std::ranges::any_of(benchmark.controls(), names_it)) {
      AddOnce(names, benchmark.name());
      continue;
    }
    for (const std::string& control : benchmark.controls()) {
      if (NamesMetric(control, benchmark, session.report())) AddOnce(names, control);
    }
  }
  return names;
}

AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns) {
  if (session.spec().benchmarks().empty() || session.report().comparisons().empty()) return {};
  if (session.spec().has_profile()) return {"", "its runs were sampled"};
  if (std::string why = WhyNot(session); !why.empty()) return {"", std::move(why)};
  CommandText line("benchctl export " + Printable(session.session()) +
                   " --format csv | benchctl analyze -");
  AddReferenceOption(session.spec(), &line);
  AddStatistics(session, &line);
  AddGateOptions(session, &line);
  for (const TableColumn& column : columns) line.Option("--column", FormatColumn(column));
  return {line.Take(), ""};
}

namespace {

// Returns whether options can express the shells and variables of the arms: the values of variables
// are not known here, and hooks run in the shell of the arms.
bool OptionsCanSay(const v1::Benchmark& benchmark) {
  return ShellOf(benchmark.hooks()) == ShellForHooks(benchmark) &&
         std::ranges::none_of(benchmark.arms(),
                              [](const v1::Arm& arm) { return arm.env_size() > 0; });
}

// Returns whether a command line without commits can express the arms: they share one cwd, and the
// references come first.
bool CommandLineCanSay(const v1::Benchmark& benchmark) {
  const v1::Arm& first = benchmark.arms(0);
  const v1::Hooks& hooks = benchmark.hooks();
  if (!hooks.cwd().empty() && hooks.cwd() != first.cwd()) return false;
  const TextList references = ReferencesOf(benchmark);
  for (int i = 0; i < benchmark.arms_size(); ++i) {
    const v1::Arm& arm = benchmark.arms(i);
    if (arm.cwd() != first.cwd()) return false;
    const bool reference = arm.role() == v1::ARM_ROLE_REFERENCE;
    if (reference != (static_cast<std::size_t>(i) < references.size())) return false;
    // `--reference NAME=COMMAND` is split at the first `=`.
    if (reference && references.size() > 1 && arm.name().find('=') != std::string::npos)
      return false;
  }
  return true;
}

// Adds the arms. A single reference is the first command; several become --reference options.
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
  if (!benchmark.name().empty()) line->Option("--benchmark", benchmark.name(), "main");
  line->Word("--");
  for (const v1::Arm* arm : positional) line->Word(arm->command());
}

// A session of --git: two commits and one command, which differ only in the worktree.
struct CommitReplay {
  v1::BuildPlan plan;
  std::string command;  // with {dir} restored
  std::string cwd;      // relative to the worktree
  int layouts = 1;      // builds of each commit
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
  if (!benchmark.hooks().has_build_plan()) return std::nullopt;
  const v1::BuildPlan& plan = benchmark.hooks().build_plan();
  CommitReplay replay{plan, "", ""};
  int i = 0;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
    if (i >= plan.trees_size() || !arm.has_commit()) return std::nullopt;
    const WorktreeOrder tree{plan.trees(i).commit(), plan.trees(i).key(), ""};
    const std::string dir = WorktreePlaces(plan.root(), tree).built;
    const std::string command = WithDir(arm.command(), dir);
    const std::string cwd = arm.cwd().starts_with(dir + "/") ? arm.cwd().substr(dir.size() + 1)
                            : arm.cwd() == dir               ? ""
                                                             : arm.cwd();
    if (i++ > 0 && (command != replay.command || cwd != replay.cwd)) return std::nullopt;
    replay.command = command;
    replay.cwd = cwd;
  }
  replay.layouts = i / 2;
  // All layouts of the first commit come first, then those of the second.
  for (int tree = 0; tree < i; ++tree) {
    const int first = tree < replay.layouts ? 0 : replay.layouts;
    if (plan.trees(tree).commit() != plan.trees(first).commit()) return std::nullopt;
  }
  return i >= 2 && i % 2 == 0 ? std::optional(replay) : std::nullopt;
}

// Returns the folder of a repository: the parent of `.git`, or the bare repository itself.
std::string FolderOf(const std::string& repository) {
  constexpr std::string_view kInside = "/.git";
  return repository.ends_with(kInside) ? repository.substr(0, repository.size() - kInside.size())
                                       : repository;
}

void AddGitOptions(const CommitReplay& replay, const v1::Benchmark& benchmark, CommandText* line) {
  line->Option("--cwd", replay.cwd);
  line->Option("--git", replay.plan.trees().begin()->commit() + ".." +
                            replay.plan.trees().rbegin()->commit());
  line->Option("--build", replay.plan.build());
  if (replay.layouts > 1) line->Option("--layouts", std::to_string(replay.layouts));
  TextList names;
  for (const v1::Arm& arm : benchmark.arms()) {
    if (arm.role() == v1::ARM_ROLE_PLACEBO) continue;
    const auto layout = replay.layouts > 1 ? LayoutOf(arm.name()) : std::nullopt;
    AddOnce(names, layout ? layout->group : arm.name());
  }
  for (const std::string& name : names) line->Option("-n", name);
  if (!benchmark.name().empty()) line->Option("--benchmark", benchmark.name(), "main");
  line->Word("--");
  line->Word(replay.command);
}

// Returns the benchmark that was submitted, if the session consists of it, or of the benchmarks
// that were found in its programs.
std::optional<v1::Benchmark> OnlySubmitted(const v1::SessionSpec& spec) {
  if (spec.benchmarks().empty()) return std::nullopt;
  v1::Benchmark submitted = spec.benchmarks(0);
  if (submitted.inner().empty()) {
    return spec.benchmarks_size() == 1 ? std::optional(submitted) : std::nullopt;
  }
  const bool is_main = submitted.name() == submitted.inner();
  for (const v1::Benchmark& other : spec.benchmarks()) {
    // Only a session of one submitted benchmark leaves out its name.
    if (!is_main || other.name() != other.inner()) return std::nullopt;
  }
  submitted.set_name("main");
  submitted.clear_inner();
  return submitted;
}

// Adds the precision of a measurement, which is its rule.
void AddPrecision(const v1::SessionSpec& spec, CommandText* line) {
  const double width = spec.rule().precision_width();
  if (width > 0) line->Option("--precision", FormatRoundTripPercent(width), "1%");
}

}  // namespace

namespace {

// Returns the command that explains the same session in the same way.
std::string ExplainCommandOf(const v1::SessionSpec& spec) {
  const v1::Profile& profile = spec.profile();
  CommandText line("benchctl explain");
  if (profile.frequency_hz() > 0) {
    line.Option("--frequency", std::to_string(profile.frequency_hz()), "1000");
  }
  if (profile.call_graph() == v1::CALL_GRAPH_DWARF) line.Option("--call-graph", "dwarf");
  if (spec.limits().has_runs()) line.Option("--runs", std::to_string(spec.limits().runs()));
  line.Word(profile.explains());
  return line.Take();
}

}  // namespace

std::string ReplayCommand(const v1::SessionSpec& spec, std::uint64_t seed, ReplayPlace place) {
  if (spec.has_profile() && !spec.profile().explains().empty()) return ExplainCommandOf(spec);
  const bool measures = Measures(spec);
  const std::string start =
      fmt::format("benchctl {} --seed {}", measures ? "measure" : "compare", seed);
  const std::string as_asked =
      start + " " + (spec.invocation().empty() ? "-f FILE" : Printable(spec.invocation()));
  const std::optional<v1::Benchmark> submitted = OnlySubmitted(spec);
  if (!submitted || !OptionsCanSay(*submitted)) return as_asked;
  const v1::Benchmark& benchmark = *submitted;
  const std::optional<CommitReplay> commits = CommitsOf(benchmark);
  if (!commits && !CommandLineCanSay(benchmark)) return as_asked;
  // Commits that came as a bundle must be requested from the clone that sent them.
  const bool here = place == ReplayPlace::kHere && commits && !commits->plan.from_bundle();
  CommandText line(here ? "cd " + PastedWord(FolderOf(commits->plan.repository())) + " && " + start
                        : start);
  for (const SessionOption& option : SessionOptions()) {
    if (commits && option.info.name == "cwd") continue;  // AddGitOptions() adds it
    if (measures && option.info.name == "rule") {
      AddPrecision(spec, &line);
      continue;
    }
    if (commits && commits->layouts > 1 && option.info.name == "method") continue;  // --layouts
    AddOption(option, {spec, benchmark}, &line);
  }
  if (commits) {
    AddGitOptions(*commits, benchmark, &line);
  } else {
    AddArms(benchmark, &line);
  }
  return line.Take();
}

}  // namespace benchd::client
