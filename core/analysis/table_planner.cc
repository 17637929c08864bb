#include "core/analysis/table_planner.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "core/analysis/controls.h"
#include "core/analysis/gate_names.h"
#include "core/analysis/table_warnings.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

constexpr std::size_t kNamesInAList = 20;
constexpr std::string_view kTableGate = "wall_time";
constexpr std::string_view kTableBase = "base";
constexpr std::string_view kOnlyBenchmark = "main";
constexpr std::size_t kBenchmarksOfAnArm = 5;

std::string JoinedNames(const std::vector<std::string>& names, const std::string& between = ", ") {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kNamesInAList) return list + between + "...";
    list.append(i > 0 ? between : "").append(names[i]);
  }
  return list;
}

std::string MetricNames(const std::vector<MetricInfo>& metrics) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metrics) names.push_back(metric.name);
  return JoinedNames(names);
}

using Roles = std::vector<std::optional<ArmRole>>;  // by arm

std::optional<ArmRole> RoleIn(const Roles& roles, std::size_t arm) {
  return arm < roles.size() ? roles[arm] : std::nullopt;
}

bool NamesReferences(const MeasurementTable& table) {
  return std::any_of(table.roles.begin(), table.roles.end(), [](const Roles& roles) {
    return std::find(roles.begin(), roles.end(), std::optional(ArmRole::kReference)) != roles.end();
  });
}

bool HasRows(const BenchmarkShape& benchmark, std::size_t arm) {
  const auto& counts = benchmark.arms.counts();
  return arm < counts.size() && counts[arm] > 0;
}

MetricInfo* Find(std::vector<MetricInfo>& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&name](const MetricInfo& info) { return info.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

Error NoSuchColumn(std::string_view option, const std::string& name,
                   const std::vector<MetricInfo>& metrics) {
  return InvalidArgument(std::string(option) + " " + name,
                         "the table has no such column (it has " + MetricNames(metrics) + ")",
                         "name one of these");
}

// Applies the options about columns. The unit and direction of a built-in metric are known, but its
// step may depend on the machine (the tick of user_time). A column option changes only the
// properties that it states.
bool IsAsKnown(const TableColumn& column, const MetricInfo& builtin) {
  return (column.unit.empty() || column.unit == builtin.unit) &&
         (!column.better || column.better == builtin.better);
}

Result<void> ApplyColumns(const std::vector<TableColumn>& columns,
                          std::vector<MetricInfo>& metrics) {
  std::set<std::string> seen;
  for (const TableColumn& column : columns) {
    const std::string field = "column " + column.metric;
    MetricInfo* info = Find(metrics, column.metric);
    if (info == nullptr) return NoSuchColumn("column", column.metric, metrics);
    const MetricInfo* builtin = FindBuiltinMetric(column.metric);
    if (builtin != nullptr && !IsAsKnown(column, *builtin)) {
      return InvalidArgument(field, "is a built-in metric, whose meaning is fixed",
                             "rename the column if it means something else");
    }
    if (!seen.insert(column.metric).second) {
      return InvalidArgument(field, "described twice", "keep one of the two");
    }
    if (column.resolution && !(std::isfinite(*column.resolution) && *column.resolution > 0)) {
      return InvalidArgument(field, "its step must be a finite number above 0",
                             "omit it to use the last printed digit");
    }
    if (builtin == nullptr) {
      info->unit = column.unit;
      info->better = column.better;
    }
    if (column.resolution) info->resolution = *column.resolution;
  }
  return {};
}

// Returns whether an estimator takes one look at a table unless a method is named. The error of
// lognormal-mean and of subselections is known only for one look, and a quantile has a shorter
// interval there.
bool LooksOnce(const Estimator& estimator) {
  return estimator.kind == EstimatorKind::kQuantile ||
         estimator.kind == EstimatorKind::kLognormalMean ||
         estimator.kind == EstimatorKind::kSubselection;
}

Result<void> CheckClassic(const TableOptions& options) {
  if (options.method.value_or(Method::kFixed) != Method::kFixed) {
    return InvalidArgument("interval", "classic is a method of its own: one look at all rows",
                           "omit --method");
  }
  if (options.spec.estimator.kind != EstimatorKind::kMean) {
    return InvalidArgument("interval", "classic compares means", "omit --estimator");
  }
  if (options.spec.pass_confidence) {
    return InvalidArgument("interval", "both ends of classic have the same confidence",
                           "omit --pass-confidence");
  }
  return {};
}

Method ChooseMethod(const MeasurementTable& table, const TableOptions& options) {
  if (options.method) return *options.method;
  if (options.classic_interval) return Method::kFixed;
  if (options.spec.schedule.kind == ScheduleKind::kCoin) return Method::kWelch;
  if (table.has_pairs && !LooksOnce(options.spec.estimator)) return Method::kPaired;
  return Method::kFixed;
}

// Returns whether arms are independent as in a session, because of the method or because the arm of
// each run is drawn.
bool IsUnpaired(const SessionSpec& spec) {
  return spec.method == Method::kWelch || spec.method == Method::kLayouts ||
         spec.schedule.kind == ScheduleKind::kCoin;
}

Grouping ChooseGrouping(const MeasurementTable& table, const TableOptions& options,
                        const SessionSpec& spec) {
  if (!IsUnpaired(spec)) return table.has_pairs ? Grouping::kPairs : Grouping::kTurns;
  return table.has_pairs && !options.classic_interval ? Grouping::kStretches : Grouping::kEachRow;
}

// Returns the options of a session that apply to a table. All other options are meaningless here.
Result<SessionSpec> SpecWithoutBenchmarks(const MeasurementTable& table,
                                          const TableOptions& options) {
  const SessionSpec& wanted = options.spec;
  if (options.classic_interval) {
    TRY_VOID(CheckClassic(options));
  }
  if (wanted.limits.runs) {
    return InvalidArgument("runs", "a table has a fixed number of rows",
                           "use --method fixed for one look at all of them");
  }
  SessionSpec spec;
  spec.method = ChooseMethod(table, options);
  const bool looks_once = spec.method == Method::kFixed;
  if (looks_once && wanted.limits.max_runs) {
    return InvalidArgument("max-runs", "needs a method that looks repeatedly",
                           "omit it, or name the method");
  }
  spec.estimator = wanted.estimator;
  spec.rule = wanted.rule;
  spec.alpha = wanted.alpha;
  spec.pass_confidence = wanted.pass_confidence;
  spec.default_margin = wanted.default_margin;
  spec.sided = wanted.sided;
  spec.error_rate = wanted.error_rate;
  spec.limits.min_runs = wanted.limits.min_runs;
  spec.limits.max_runs = wanted.limits.max_runs;
  spec.limits.at_limit = wanted.limits.at_limit;
  spec.limits.fail_fast = wanted.limits.fail_fast;
  spec.schedule.kind = wanted.schedule.kind;
  const bool nothing_pairs = !table.has_pairs || options.classic_interval;
  if (looks_once && nothing_pairs) spec.schedule.kind = ScheduleKind::kCoin;
  spec.seed = wanted.seed;
  return spec;
}

class Planner {
 public:
  Planner(const MeasurementTable& table, const TableOptions& options)
      : table_(table), shapes_(ShapesOf(table)) {
    references_ = options.references;
    if (!options.spec.benchmarks.empty()) {
      wanted_ = options.spec.benchmarks.front().gates;
      allow_missing_ = options.spec.benchmarks.front().allow_missing;
      accept_exit_ = options.spec.benchmarks.front().accept_exit;
      controls_ = options.spec.benchmarks.front().controls;
      // On a command line, true is a name like any other.
      if (options.spec.benchmarks.front().control) controls_.emplace_back("true");
    }
    wanted_of_ = options.gates_of;
  }

  Result<TablePlan> Plan(const TableOptions& options) {
    TRY(SessionSpec spec, SpecWithoutBenchmarks(table_, options));
    plan_.spec = std::move(spec);
    plan_.grouping = ChooseGrouping(table_, options, plan_.spec);
    has_placebo_ = options.spec.placebo;
    plan_.metrics = table_.metrics;
    TRY_VOID(ApplyColumns(options.columns, plan_.metrics));
    TRY_VOID(FindReferences());
    TRY_VOID(CheckReferences());
    TRY_VOID(FindGates());
    if (!accept_exit_.empty() && !table_.exit_code.HasAny()) {
      return InvalidArgument("accept-exit", "the table does not state how runs ended",
                             "omit it, or add a column exit_code");
    }
    TRY_VOID(SelectBenchmarks(options.only));
    TRY_VOID(CheckControlNames());
    NoteOpponents();
    plan_.by_number.resize(table_.benchmarks.size());
    for (std::size_t b = 0; b < table_.benchmarks.size(); ++b) {
      if (plan_.wanted[b]) TakeBenchmark(b);
    }
    if (plan_.benchmarks.empty() || !any_pair_) return NothingInCommon();
    if (std::ranges::all_of(plan_.spec.benchmarks, IsControl)) return OnlyControls();
    if (comparisons_ > kMaxTableComparisons) {
      return InvalidArgument(
          "table",
          fmt::format("{} comparisons, over the limit of {}", comparisons_, kMaxTableComparisons),
          "omit columns, or analyze fewer benchmarks at a time");
    }
    plan_.spec.confirm = table_.HasPhases();
    plan_.spec.early_looks = options.spec.early_looks.value_or(EarlyLooksByDefault(plan_.spec));
    plan_.warnings = ShapeWarnings(table_, shapes_, plan_);
    return std::move(plan_);
  }

 private:
  using Places = std::vector<std::size_t>;  // benchmarks of the table

  // A gate of a list, and a metric that it matches.
  struct Match {
    std::size_t gate = 0;
    std::size_t benchmark = 0;
    std::size_t metric = 0;
  };

  // The reference is not guessed, because a guess would reverse the comparison for half of all
  // users.
  Result<void> FindReferences() {
    by_role_ = references_.empty() && NamesReferences(table_);
    if (by_role_ || !references_.empty()) return {};
    if (std::find(table_.arms.begin(), table_.arms.end(), kTableBase) == table_.arms.end()) {
      return InvalidArgument(
          "table",
          "the table does not state its reference (arms: " + JoinedNames(table_.arms) + ")",
          "name it: --base NAME");
    }
    references_.emplace_back(kTableBase);
    return {};
  }

  Result<void> CheckReferences() const {
    std::set<std::string> seen;
    for (const std::string& reference : references_) {
      if (!seen.insert(reference).second) {
        return InvalidArgument("references", "'" + reference + "' is named twice", {});
      }
    }
    if (seen.size() == table_.arms.size()) {
      return InvalidArgument("references", "every arm is a reference, so there is no candidate",
                             "name fewer references");
    }
    return {};
  }

  // Finds the metrics of the gates. The benchmarks of a harness file are inner benchmarks, which a
  // session sees in one output, so a gate is matched with all of them together. The benchmarks of
  // any other table are those of a suite, and are matched one by one.
  Result<void> FindGates() {
    Places all(table_.benchmarks.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<Places> together;
    if (table_.from_harness) together.push_back(all);
    for (const std::size_t b : all) {
      if (!table_.from_harness) together.push_back({b});
    }
    gates_in_.resize(table_.benchmarks.size());
    lacks_reference_.resize(table_.benchmarks.size());
    for (const Places& benchmarks : together) {
      for (const Match& one : MatchIn(benchmarks, wanted_)) TakeMatch(one);
    }
    for (const Gate& gate : wanted_) {
      const bool any = std::ranges::any_of(together, [&](const Places& benchmarks) {
        return !MatchIn(benchmarks, std::span(&gate, 1)).empty();
      });
      if (!any) return NoSuchColumn("metric", gate.metric, plan_.metrics);
    }
    return CheckOwnGates();
  }

  Result<void> CheckOwnGates() const {
    for (const auto& [benchmark, gates] : wanted_of_) {
      if (std::find(table_.benchmarks.begin(), table_.benchmarks.end(), benchmark) ==
          table_.benchmarks.end()) {
        return NoSuchBenchmark("benchmark", benchmark);
      }
      const auto number = static_cast<std::size_t>(
          std::find(table_.benchmarks.begin(), table_.benchmarks.end(), benchmark) -
          table_.benchmarks.begin());
      // The direction applies only to this benchmark.
      for (const Gate& gate : gates) {
        if (!MatchIn({number}, std::span(&gate, 1)).empty()) continue;
        return NoSuchColumn("metric", gate.metric, plan_.metrics);
      }
    }
    return {};
  }

  // Returns the metrics of these benchmarks that the gates match, as in a session.
  std::vector<Match> MatchIn(const Places& benchmarks, std::span<const Gate> gates) const {
    std::vector<NameableMetric> names;
    std::vector<Match> places;
    for (const std::size_t b : benchmarks) {
      const bool has_inner = table_.from_harness && table_.benchmarks[b] != kOnlyBenchmark;
      for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
        if (!shapes_[b].values[m].IsAny()) continue;
        const std::string& name = plan_.metrics[m].name;
        names.push_back({.inner = has_inner ? std::string_view(table_.benchmarks[b]) : "",
                         .name = name,
                         .builtin = !table_.from_harness && FindBuiltinMetric(name) != nullptr,
                         .in_reference = IsInReference(b, m)});
        places.push_back({.benchmark = b, .metric = m});
      }
    }
    std::vector<Match> matches;
    for (const GatedMetric& one : MatchGates(gates, names)) {
      matches.push_back(places[one.metric]);
      matches.back().gate = one.gate;
    }
    return matches;
  }

  bool IsInReference(std::size_t benchmark, std::size_t metric) const {
    const std::vector<std::size_t> references = ReferencesOf(table_.roles[benchmark]);
    return std::ranges::any_of(references, [&](std::size_t arm) {
      const std::vector<bool>& shown = shapes_[benchmark].shown[metric];
      return arm < shown.size() && shown[arm];
    });
  }

  void TakeMatch(const Match& match) {
    const Gate& gate = wanted_[match.gate];
    MetricInfo& metric = plan_.metrics[match.metric];
    if (gate.better) metric.better = gate.better;
    std::vector<Gate>& gates = gates_in_[match.benchmark];
    gates.push_back(gate);
    gates.back().metric = metric.name;
    if (!IsInReference(match.benchmark, match.metric)) lacks_reference_[match.benchmark] = true;
  }

  // Returns the gates of a benchmark. If there are none, it returns one that does not match any
  // metric, so that default gates do not replace it.
  std::vector<Gate> NamedGates(std::size_t benchmark) const {
    if (!gates_in_[benchmark].empty()) return gates_in_[benchmark];
    Gate elsewhere = wanted_.front();
    elsewhere.metric = table_.benchmarks[benchmark] + "/" + elsewhere.metric;
    return {elsewhere};
  }

  std::vector<Gate> NamedGates(std::size_t benchmark, const std::vector<Gate>& own) const {
    std::vector<Gate> gates;
    for (const Match& one : MatchIn({benchmark}, own)) {
      gates.push_back(own[one.gate]);
      gates.back().metric = plan_.metrics[one.metric].name;
    }
    return gates.empty() ? own : gates;
  }

  // Returns an error that lists the benchmarks of each arm. Their names usually differ in a part
  // that describes how they were measured.
  Error NothingInCommon() const {
    std::vector<std::string> arms;
    for (std::size_t arm = 0; arm < table_.arms.size(); ++arm) {
      std::vector<std::string> benchmarks;
      for (std::size_t b = 0; b < table_.benchmarks.size(); ++b) {
        if (HasRows(shapes_[b], arm)) benchmarks.push_back(table_.benchmarks[b]);
      }
      if (benchmarks.size() > kBenchmarksOfAnArm) {
        benchmarks.resize(kBenchmarksOfAnArm);
        benchmarks.emplace_back("...");
      }
      if (!benchmarks.empty()) arms.push_back(table_.arms[arm] + " has " + Join(benchmarks, ", "));
    }
    return InvalidArgument(
        "table",
        "no benchmark has rows of a reference and of another arm: " + JoinedNames(arms, "; "),
        table_.from_harness ? "measure both arms under the same names"
                            : "name the reference: --base NAME");
  }

  Error NoSuchBenchmark(std::string_view option, const std::string& name) const {
    return InvalidArgument(
        std::string(option) + " " + name,
        "no benchmark matches (available: " + JoinedNames(table_.benchmarks) + ")",
        "name one of these");
  }

  Result<void> SelectBenchmarks(const std::vector<std::string>& patterns) {
    plan_.wanted.assign(table_.benchmarks.size(), patterns.empty());
    for (const std::string& pattern : patterns) {
      bool any = false;
      for (std::size_t b = 0; b < table_.benchmarks.size(); ++b) {
        if (fnmatch(pattern.c_str(), table_.benchmarks[b].c_str(), 0) != 0) continue;
        plan_.wanted[b] = true;
        any = true;
      }
      if (!any) return NoSuchBenchmark("only", pattern);
    }
    return {};
  }

  // Checks the names of controls by the benchmarks and columns of the table.
  Result<void> CheckControlNames() const {
    for (const std::string& name : controls_) {
      const auto stands_for = [&name](const std::string& text) { return NamesControl(name, text); };
      if (std::ranges::any_of(table_.benchmarks, stands_for)) continue;
      if (std::ranges::any_of(plan_.metrics, stands_for, &MetricInfo::name)) continue;
      return UnknownControl(name, table_.benchmarks);
    }
    return {};
  }

  std::vector<std::size_t> ReferencesOf(const Roles& roles) const {
    std::vector<std::size_t> references;
    for (const std::string& name : references_) {
      const auto found = std::find(table_.arms.begin(), table_.arms.end(), name);
      references.push_back(static_cast<std::size_t>(found - table_.arms.begin()));
    }
    for (std::size_t arm = 0; by_role_ && arm < table_.arms.size(); ++arm) {
      if (RoleIn(roles, arm) == ArmRole::kReference) references.push_back(arm);
    }
    return references;
  }

  // The order is: references in the order of the option or of appearance, then the other arms in
  // order of appearance.
  void TakeBenchmark(std::size_t b) {
    const BenchmarkShape& from = shapes_[b];
    const Roles& roles = table_.roles[b];
    PlannedBenchmark planned{b, from.pairs_in_stretches, {}, {}, {}, {}, {}};
    planned.arms.resize(table_.arms.size());
    Benchmark benchmark;
    benchmark.name = table_.benchmarks[b];
    const std::vector<std::size_t> named = ReferencesOf(roles);
    const auto own = wanted_of_.find(benchmark.name);
    const auto add = [&](std::size_t arm, ArmRole role) {
      // A new benchmark may lack a reference, unless a gate requests a metric that only it has.
      if (!HasRows(from, arm)) {
        const bool told = role == ArmRole::kReference
                              ? own != wanted_of_.end() || lacks_reference_[b]
                              : IsMissed(b, arm, named, role);
        if (told && allow_missing_) planned.missed.push_back(arm);
        if (!told || allow_missing_) return;
      }
      planned.arms[arm] = static_cast<std::uint32_t>(benchmark.arms.size());
      Arm added;
      added.name = table_.arms[arm];
      added.role = role;
      benchmark.arms.push_back(std::move(added));
    };
    for (const std::size_t arm : named) add(arm, ArmRole::kReference);
    const std::size_t references = benchmark.arms.size();
    for (std::size_t arm = 0; arm < table_.arms.size(); ++arm) {
      if (std::find(named.begin(), named.end(), arm) != named.end()) continue;
      add(arm, IsPlacebo(roles, arm) ? ArmRole::kPlacebo : ArmRole::kCandidate);
    }
    const std::vector<std::size_t> candidates = ArmsWithRole(benchmark, ArmRole::kCandidate);
    if (references == 0 || candidates.empty()) return;
    bool of_reference = false;
    bool of_candidate = false;
    for (std::size_t arm = 0; arm < table_.arms.size(); ++arm) {
      if (!planned.arms[arm] || !HasRows(from, arm)) continue;
      (*planned.arms[arm] < references ? of_reference : of_candidate) = true;
    }
    any_pair_ = any_pair_ || (of_reference && of_candidate);
    for (std::size_t m = 0; m < from.values.size(); ++m) {
      if (from.values[m].IsAny()) planned.metrics.push_back(m);
    }
    planned.values = from.values;
    planned.shown = from.shown;
    if (table_.from_harness) benchmark.parse = "harness";  // then metrics are never built-in
    benchmark.allow_missing = allow_missing_;
    benchmark.accept_exit = accept_exit_;
    benchmark.controls = controls_;
    benchmark.gates = own != wanted_of_.end() ? NamedGates(b, own->second)
                      : wanted_.empty()       ? DefaultGates(from, named)
                                              : NamedGates(b);
    comparisons_ += references * (benchmark.arms.size() - references) * planned.metrics.size();
    plan_.by_number[b] = plan_.benchmarks.size();
    plan_.benchmarks.push_back(std::move(planned));
    plan_.spec.benchmarks.push_back(std::move(benchmark));
  }

  bool IsPlacebo(const Roles& roles, std::size_t arm) const {
    return RoleIn(roles, arm) == ArmRole::kPlacebo ||
           (has_placebo_ && table_.arms[arm] == kPlaceboName);
  }

  // Records which candidates have rows in the same benchmark as which references. Not needed for
  // harness files.
  void NoteOpponents() {
    if (table_.from_harness) return;
    for (std::size_t b = 0; b < table_.benchmarks.size(); ++b) {
      const std::vector<std::size_t> references = ReferencesOf(table_.roles[b]);
      for (std::size_t arm = 0; arm < table_.arms.size(); ++arm) {
        if (!HasRows(shapes_[b], arm) || IsPlacebo(table_.roles[b], arm)) continue;
        for (const std::size_t reference : references) {
          if (HasRows(shapes_[b], reference)) opponents_.emplace(arm, reference);
        }
      }
    }
  }

  // Returns whether a candidate should have rows in this benchmark, but does not have any. Each
  // file of a harness should contain all benchmarks, and the only candidate of a table should have
  // rows in all benchmarks. One of several candidates should have rows in the benchmarks of a
  // reference with which it is compared elsewhere.
  bool IsMissed(std::size_t b, std::size_t arm, const std::vector<std::size_t>& references,
                ArmRole role) const {
    if (role != ArmRole::kCandidate || arm >= table_.arms.size()) return false;
    if (table_.from_harness || table_.arms.size() == references.size() + 1) return true;
    return std::ranges::any_of(references, [&](std::size_t reference) {
      return HasRows(shapes_[b], reference) && opponents_.contains({arm, reference});
    });
  }

  // Returns the default gates. For a harness the list is empty, because PlanGates() chooses the
  // metrics that have a ratio, as in a session.
  std::vector<Gate> DefaultGates(const BenchmarkShape& benchmark,
                                 const std::vector<std::size_t>& references) const {
    std::vector<Gate> gates;
    if (table_.from_harness) return gates;
    for (std::size_t m = 0; m < plan_.metrics.size(); ++m) {
      const MetricInfo& info = plan_.metrics[m];
      const bool has_reference =
          std::ranges::any_of(references, [&](std::size_t arm) { return benchmark.shown[m][arm]; });
      if (!has_reference || !info.better || info.by_name_only) continue;
      const Gate gate{.metric = info.name,
                      .margin = plan_.spec.default_margin,
                      .better = {},
                      .margin_implied = true};
      if (info.name == kTableGate) return {gate};
      gates.push_back(gate);
    }
    return gates;
  }

  const MeasurementTable& table_;
  std::vector<BenchmarkShape> shapes_;                       // by benchmark of the table
  std::set<std::pair<std::size_t, std::size_t>> opponents_;  // pairs of candidate and reference
  std::vector<std::string> references_;
  std::vector<Gate> wanted_;
  std::map<std::string, std::vector<Gate>> wanted_of_;  // by benchmark
  std::vector<std::vector<Gate>> gates_in_;  // gates of wanted_ by benchmark, with their metrics
  std::vector<bool> lacks_reference_;        // a gate requests a metric that no reference has
  TablePlan plan_;
  std::size_t comparisons_ = 0;
  bool has_placebo_ = false;
  bool by_role_ = false;
  bool allow_missing_ = false;
  std::vector<int> accept_exit_;
  std::vector<std::string> controls_;
  bool any_pair_ = false;  // a benchmark has rows of a reference and of a candidate
};

}  // namespace

Result<TablePlan> PlanTable(const MeasurementTable& table, const TableOptions& options) {
  return Planner(table, options).Plan(options);
}

}  // namespace benchd
