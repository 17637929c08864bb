#include "core/analysis/benchmark_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/analysis/compared_arms.h"
#include "core/analysis/control_names.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

bool IsByMean(const Estimator& estimator) {
  return estimator.kind == EstimatorKind::kMean ||
         estimator.kind == EstimatorKind::kLognormalMean ||
         estimator.kind == EstimatorKind::kSubselection;
}

bool IsRate(const KnownMetric& metric) { return metric.better == Better::kHigher; }

}  // namespace

BenchmarkAnalysis::BenchmarkAnalysis(const Benchmark& benchmark, double default_margin,
                                     const SequentialDesign& design)
    : benchmark_(benchmark),
      design_(design),
      default_margin_(default_margin),
      references_(ArmsWithRole(benchmark, ArmRole::kReference)),
      candidates_(ArmsWithRole(benchmark, ArmRole::kCandidate)),
      // A table of harness metrics does not contain built-in metrics.
      catalog_(!design.table || benchmark.parse.empty()),
      runs_per_arm_(benchmark.arms.size()),
      failed_per_arm_(benchmark.arms.size()),
      retired_(benchmark.arms.size()) {}

void BenchmarkAnalysis::LearnWarmup(std::span<const Run* const> block) {
  if (gates_fixed_) return;
  std::vector<std::size_t> ids;
  for (const Run* run : block) catalog_.Learn(*run, ids);
  warmed_up_ = warmed_up_ || !block.empty();
}

Result<void> BenchmarkAnalysis::Learn(std::span<const Run* const> block) {
  // Default gates are the metrics that the warm-up showed. A named gate may also appear in the
  // first block.
  const bool by_warmup = warmed_up_ && benchmark_.gates.empty();
  if (!gates_fixed_ && by_warmup) {
    TRY_VOID(CheckMeanings());
    TRY_VOID(FixGates());
  }
  ids_.resize(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) catalog_.Learn(*block[i], ids_[i]);
  TRY_VOID(CheckMeanings());
  if (!gates_fixed_) {
    TRY_VOID(FixGates());
  }
  NameNewMetrics();
  OpenInfos();
  catalog_.HoldDirections();
  return {};
}

Result<void> BenchmarkAnalysis::CheckMeanings() const {
  if (catalog_.conflict()) return *catalog_.conflict();
  return CheckDirections(benchmark_, catalog_);
}

Result<void> BenchmarkAnalysis::FixGates() {
  TRY(std::vector<PlannedGate> planned, PlanGates(benchmark_, defaults(), catalog_, design_.table));
  not_gated_ = NotGatedByDefault(benchmark_, defaults(), catalog_);
  is_not_gated_.assign(catalog_.metrics().size(), false);
  for (const std::size_t metric : not_gated_) is_not_gated_[metric] = true;
  about_nothing_ = GatesAboutNothing(benchmark_, catalog_);
  is_gate_.assign(catalog_.metrics().size(), false);
  for (const PlannedGate& gate : planned) is_gate_[gate.metric] = true;
  for (std::size_t reference : references_) {
    for (std::size_t candidate : candidates_) {
      for (const PlannedGate& gate : planned) OpenGate(reference, candidate, gate);
    }
  }
  for (std::size_t placebo : ArmsWithRole(benchmark_, ArmRole::kPlacebo)) {
    for (const PlannedGate& gate : planned) {
      const bool rate = IsRate(catalog_.metrics()[gate.metric]);
      OpenGate(references_.front(), placebo, AsControl(gate, rate));
    }
  }
  if (design_.early_look && !only_ && !planned.empty() && !ComparedArms(benchmark_).empty()) {
    const PlannedGate& first = planned.front();
    early_order_.emplace(benchmark_, design_, first, IsRate(catalog_.metrics()[first.metric]));
  }
  gates_fixed_ = true;
  catalog_.BeginLater();
  NoteControls();
  return {};
}

void BenchmarkAnalysis::OpenGate(std::size_t reference, std::size_t candidate,
                                 const PlannedGate& gate) {
  if (!IsSelected(reference, candidate, gate.metric)) return;
  const bool in_reference = catalog_.ShownBy(reference, gate.metric);
  const bool lacks = !in_reference || !catalog_.ShownBy(candidate, gate.metric);
  // The user did not name this metric, and the reference may still print it later.
  const bool unnamed = benchmark_.gates.empty() && !in_reference;
  if (unnamed || (benchmark_.allow_missing && lacks)) {
    infos_.push_back(Open(reference, candidate, gate.metric, std::nullopt));
    return;
  }
  gates_.push_back(Open(reference, candidate, gate.metric, gate));
  checked_.emplace_back(design_.paired);
}

void BenchmarkAnalysis::NoteControls() {
  for (std::size_t metric = is_control_.size(); metric < catalog_.metrics().size(); ++metric) {
    is_control_.push_back(IsControlMetric(benchmark_, catalog_.metrics()[metric]));
  }
}

bool BenchmarkAnalysis::IsControl(const NamedComparison& one) const {
  if (one.comparison.is_gate()) return one.comparison.is_control();
  return one.metric < is_control_.size() && is_control_[one.metric];
}

bool BenchmarkAnalysis::AwaitsControls() const {
  return std::ranges::any_of(gates_, [this](const NamedComparison& gate) {
    return gate.comparison.is_control() && !JudgementOf(gate).settled;
  });
}

void BenchmarkAnalysis::NameNewMetrics() {
  if (benchmark_.gates.empty() || named_gates_.size() == catalog_.metrics().size()) return;
  named_gates_ = GateOfEachMetric(benchmark_, catalog_);
  for (std::size_t metric = metrics_with_infos_; metric < named_gates_.size(); ++metric) {
    const Gate* const gate = NamedGate(metric);
    if (gate != nullptr && gate->better) catalog_.SetDirection(metric, *gate->better);
  }
}

const Gate* BenchmarkAnalysis::NamedGate(std::size_t metric) const {
  if (metric >= named_gates_.size() || !named_gates_[metric]) return nullptr;
  return &benchmark_.gates[*named_gates_[metric]];
}

bool BenchmarkAnalysis::IsGate(std::size_t metric) const {
  return metric < is_gate_.size() && is_gate_[metric];
}

bool BenchmarkAnalysis::IsSelected(std::size_t reference, std::size_t candidate,
                                   std::size_t metric) const {
  if (!only_) return true;
  const GateSubject subject{benchmark_.name, benchmark_.arms[reference].name,
                            benchmark_.arms[candidate].name, catalog_.metrics()[metric].key};
  return std::ranges::find(*only_, subject) != only_->end();
}

void BenchmarkAnalysis::OpenInfos() {
  for (; metrics_with_infos_ < catalog_.metrics().size(); ++metrics_with_infos_) {
    const std::size_t metric = metrics_with_infos_;
    if (IsGate(metric)) continue;
    NoteControls();
    for (std::size_t reference : references_) {
      for (std::size_t candidate : candidates_) {
        // A retired arm could not show a metric that appears later.
        if (retired_[reference] || retired_[candidate]) continue;
        infos_.push_back(Open(reference, candidate, metric, std::nullopt));
      }
    }
  }
}

NamedComparison BenchmarkAnalysis::Open(std::size_t reference, std::size_t candidate,
                                        std::size_t metric,
                                        const std::optional<PlannedGate>& gate) const {
  const Subject subject{IsRate(catalog_.metrics()[metric]), gate};
  SequentialDesign design = subject.IsControl() ? design_.ForInfo() : design_;
  // Ten bootstraps at the end of a session would take seconds, for figures that the user did not
  // request. Nor is it tested whether such a metric is log-normal. For a table without gates, the
  // figures are what the user requested.
  const bool unasked = !gate && !(design.table && gates_.empty());
  const bool by_mean = design.estimator.kind == EstimatorKind::kQuantile ||
                       design.estimator.kind == EstimatorKind::kLognormalMean;
  if (unasked && by_mean) design.estimator = {};
  return {reference, candidate, metric, MetricComparison(subject, design)};
}

std::optional<std::size_t> BenchmarkAnalysis::GateCount() const {
  if (only_) return only_->size();
  if (gates_fixed_) return gates_.size();
  const auto by_spec = GateMetricsBySpec(benchmark_);
  if (by_spec && !design_.table) return *by_spec * GatedPairs(benchmark_);
  // A named gate may not appear before the first block.
  if (warmed_up_ && (benchmark_.gates.empty() || design_.table)) {
    return GateCountByCatalog(benchmark_, defaults(), catalog_, design_.table);
  }
  return std::nullopt;
}

Result<void> BenchmarkAnalysis::AddBlock(std::span<const Run* const> block, const Levels& levels) {
  const RunCollapse collapse{
      .keep_runs = !design_.paired || design_.estimator.kind == EstimatorKind::kSubselection,
      .subselect = design_.estimator.kind == EstimatorKind::kSubselection,
      .seed = design_.seed,
      .first_run = runs_};
  TRY(BlockValues values,
      BlockValues::Collapse(block, ids_, catalog_, benchmark_.arms.size(), collapse));
  ++blocks_;
  runs_ += block.size();
  for (std::size_t r = 0; r < block.size(); ++r) {
    ++runs_per_arm_[block[r]->arm];
    if (!block[r]->exit.Succeeded(benchmark_.accept_exit)) ++failed_per_arm_[block[r]->arm];
    kept_runs_.Add(*block[r], ids_[r], is_gate_);
  }

  for (std::size_t i = 0; i < gates_.size(); ++i) {
    Take(values, gates_[i], levels.Of(gates_[i].comparison), &checked_[i]);
  }
  for (NamedComparison& info : infos_) Take(values, info, &levels.info, nullptr);
  if (early_order_ && levels.order && blocks_ <= kLastEarlyLook) {
    const KnownMetric& metric = catalog_.metrics()[early_order_->metric()];
    early_order_->Add(values, *levels.order, {metric.resolution, blocks_, blocks_, blocks_});
  }
  return {};
}

void BenchmarkAnalysis::Take(const BlockValues& values, NamedComparison& one,
                             const SignificanceLevel* level, CheckedValues* checked) {
  if (one.frozen) return;
  std::optional<ArmValue> pair[2];
  EffectEstimator::Values reference;
  EffectEstimator::Values candidate;
  if (values.keeps_runs()) {
    reference = values.Runs(one.reference, one.metric);
    candidate = values.Runs(one.candidate, one.metric);
    if (reference.empty() && candidate.empty()) return;
  } else {
    pair[0] = values.At(one.reference, one.metric);
    pair[1] = values.At(one.candidate, one.metric);
    if (!pair[0] || !pair[1]) return;
    reference = {&*pair[0], 1};
    candidate = {&*pair[1], 1};
  }
  one.comparison.Add(reference, candidate);
  one.zeros.Add(reference, candidate);
  if (checked != nullptr) checked->Add(reference, candidate);
  // The one look at a table would replace the result of this look.
  if (design_.table && design_.OneLook()) return;
  if (level != nullptr) one.comparison.Watch(*level, ContextOf(one), !design_.OneLook());
}

LookContext BenchmarkAnalysis::ContextOf(const NamedComparison& one) const {
  const PairCounts counts = CountsOf(one);
  LookContext context{catalog_.metrics()[one.metric].resolution, counts.blocks, counts.blocks,
                      counts.blocks};
  if (!design_.paired || design_.estimator.kind == EstimatorKind::kSubselection) {
    context.expected_reference = counts.reference_runs;
    context.expected_candidate = counts.candidate_runs;
    context.in_pairs = false;
  }
  return context;
}

PairCounts BenchmarkAnalysis::CountsOf(const NamedComparison& one) const {
  if (one.frozen) return *one.frozen;
  return {.blocks = blocks_,
          .reference_runs = runs_per_arm_[one.reference],
          .candidate_runs = runs_per_arm_[one.candidate],
          .reference_failures = failed_per_arm_[one.reference],
          .candidate_failures = failed_per_arm_[one.candidate],
          .in_reference = catalog_.ShownBy(one.reference, one.metric),
          .in_candidate = catalog_.ShownBy(one.candidate, one.metric)};
}

std::vector<std::uint32_t> BenchmarkAnalysis::IdleArms() const {
  std::vector<std::uint32_t> idle;
  const bool one_pair = references_.size() * candidates_.size() < 2;
  const bool looked = MayDecide() || blocks_ >= design_.NextLook(0);
  if (one_pair || !gates_fixed_ || !looked) return idle;
  std::vector<bool> needed(benchmark_.arms.size());
  bool open = false;
  for (const NamedComparison& gate : gates_) {
    if (JudgementOf(gate).settled) continue;
    open = needed[gate.reference] = needed[gate.candidate] = true;
  }
  for (std::size_t arm = 0; AwaitsOrder() && arm < needed.size(); ++arm) {
    if (early_order_->Needs(arm)) open = needed[arm] = true;
  }
  // A session ends once all its gates are settled, but a table may have further rows.
  if (!open && design_.table) return idle;
  for (std::uint32_t arm = 0; arm < needed.size(); ++arm) {
    const bool placebo = benchmark_.arms[arm].role == ArmRole::kPlacebo;
    if (!needed[arm] && !(placebo && open)) idle.push_back(arm);
  }
  return idle;
}

void BenchmarkAnalysis::FreezePairsOf(std::uint32_t arm,
                                      std::vector<NamedComparison>& comparisons) {
  for (NamedComparison& one : comparisons) {
    const bool of_arm = one.reference == arm || one.candidate == arm;
    if (of_arm && !one.frozen) one.frozen = CountsOf(one);
  }
}

void BenchmarkAnalysis::Retire(std::uint32_t arm) {
  if (retired_[arm]) return;
  FreezePairsOf(arm, gates_);
  FreezePairsOf(arm, infos_);
  retired_[arm] = RetiredArm{blocks_, catalog_.metrics().size()};
}

std::vector<Warning> BenchmarkAnalysis::CheckGates() const {
  CheckOptions options{.level = kCheckLevel /
                                static_cast<double>(std::max<std::size_t>(1, gates_.size()))};
  if (!design_.table) options.discarded = design_.warmup;
  // The runs of layouts are deliberately mixed, and a run is not a unit.
  if (design_.method == Method::kLayouts) return {};
  options.by_mean = IsByMean(design_.estimator);
  options.by_quantile = design_.estimator.kind == EstimatorKind::kQuantile;
  options.by_lognormal = design_.estimator.kind == EstimatorKind::kLognormalMean;
  std::vector<Warning> warnings = kept_runs_.Check(benchmark_, catalog_, options.level);
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    const NamedComparison& gate = gates_[i];
    const CheckedNames names{benchmark_.name, benchmark_.arms[gate.reference].name,
                             benchmark_.arms[gate.candidate].name};
    for (Warning& warning : CheckData(checked_[i], catalog_.metrics()[gate.metric],
                                      gate.comparison.gate()->kind, names, options)) {
      const bool known = std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
      if (!known) warnings.push_back(std::move(warning));
    }
  }
  return warnings;
}

std::vector<Warning> BenchmarkAnalysis::CheckMetrics() const {
  std::vector<Warning> warnings = CheckArms();
  std::vector<std::size_t> without;
  std::vector<std::size_t> varying;
  for (const std::size_t metric : not_gated_) {
    if (GatesLate(metric)) continue;
    without.push_back(metric);
    if (!catalog_.metrics()[metric].all.constant) varying.push_back(metric);
  }
  if (without.empty()) return warnings;
  warnings.push_back(
      NoRatio(varying.empty() ? without : varying, catalog_, benchmark_.name, default_margin_));
  return warnings;
}

std::vector<Warning> BenchmarkAnalysis::CheckArms() const {
  std::vector<Warning> warnings;
  for (std::size_t arm = 0; arm < benchmark_.arms.size(); ++arm) {
    if (benchmark_.arms[arm].role == ArmRole::kPlacebo) continue;
    std::vector<std::size_t> missing;
    for (std::size_t id = 0; id < catalog_.metrics().size(); ++id) {
      // Whether a disturbance metric is recorded depends on the duration of the run.
      if (IsDisturbanceMetric(catalog_.metrics()[id].key)) continue;
      if (retired_[arm] && id >= retired_[arm]->metrics) break;
      if (!catalog_.ShownBy(arm, id)) missing.push_back(id);
    }
    const std::string& name = benchmark_.arms[arm].name;
    if (!missing.empty()) {
      warnings.push_back(MissingInArm(missing, catalog_, benchmark_, name));
    }
    if (failed_per_arm_[arm] > 0) {
      warnings.push_back(
          FailedRuns(benchmark_.name, name, failed_per_arm_[arm], runs_per_arm_[arm]));
    }
  }
  return warnings;
}

void BenchmarkAnalysis::Conclude() {
  concluded_ = true;
  // A table in which an arm has no rows does not have blocks, but its gates are missing.
  if (!design_.table || gates_fixed_ || !FixGates()) return;
  OpenInfos();
}

void BenchmarkAnalysis::LookOnce(const Levels& levels) {
  for (NamedComparison& gate : gates_) {
    const SignificanceLevel* const level = levels.Of(gate.comparison);
    if (level != nullptr) gate.comparison.LookOnce(*level, ContextOf(gate));
  }
  for (NamedComparison& info : infos_) info.comparison.LookOnce(levels.info, ContextOf(info));
}

void BenchmarkAnalysis::AppendEvidence(std::vector<GateEvidence>& family) const {
  for (const NamedComparison& gate : gates_) family.push_back(gate.comparison.Evidence());
}

void BenchmarkAnalysis::DecideTogether(std::span<const Verdict> decisions, std::string_view by) {
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    if (decisions[i] == Verdict::kUndecided) continue;
    gates_[i].comparison.DecideTogether(decisions[i], by, ContextOf(gates_[i]));
  }
}

bool BenchmarkAnalysis::SettleByEstimate() {
  bool settled = false;
  for (NamedComparison& gate : gates_) {
    const std::string_view reason = JudgementOf(gate).reason;
    if (!reason.empty() && reason != Reason("resolution")) continue;
    if (gate.comparison.SettleByEstimate(ContextOf(gate))) settled = true;
  }
  return settled;
}

bool BenchmarkAnalysis::LacksGates() const {
  // A metric that left 0 is not among the gates, and needs the blocks of a first look.
  return only_ && gates_.size() < only_->size() && !MayDecide();
}

bool BenchmarkAnalysis::AllGatesSettled() const {
  return gates_fixed_ && !LacksGates() && !AwaitsOrder() &&
         std::all_of(gates_.begin(), gates_.end(),
                     [this](const NamedComparison& gate) { return JudgementOf(gate).settled; });
}

bool BenchmarkAnalysis::HasEnough() const {
  return gates_fixed_ && blocks_ >= design_.first_look &&
         std::all_of(gates_.begin(), gates_.end(),
                     [](const NamedComparison& gate) { return gate.comparison.HasEnough(); });
}

namespace {

constexpr std::size_t kNamed = 5;

/// Lists the metrics: "a, b, c" or "a, b, c, d, e and 7 more".
std::string ListOf(std::span<const std::size_t> metrics, const MetricCatalog& catalog) {
  std::string list;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (i == kNamed) return fmt::format("{} and {} more", list, metrics.size() - kNamed);
    list.append(i == 0 ? "" : ", ").append(catalog.metrics()[metrics[i]].key);
  }
  return list;
}

}  // namespace

Warning MissingInArm(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                     const Benchmark& benchmark, const std::string& arm) {
  const bool measured = IsMeasured(benchmark);
  Warning warning = MakeWarning(
      "metric_missing",
      fmt::format("{} {} metrics that another arm of {} printed; they are not {}: {}", arm,
                  measured ? "did not print at first" : "never printed", benchmark.name,
                  measured ? "measured there" : "compared", ListOf(metrics, catalog)),
      benchmark.name, arm);
  const bool may_gate = measured || std::ranges::any_of(metrics, [&catalog](std::size_t metric) {
                          return catalog.metrics()[metric].better.has_value();
                        });
  if (!may_gate) warning.severity = Severity::kNote;
  return warning;
}

Warning FailedRuns(const std::string& benchmark, const std::string& arm, std::uint64_t failed,
                   std::uint64_t runs) {
  Warning warning =
      MakeWarning("failed_runs",
                  fmt::format("{} of {} of {} failed, but count like any other (--ignore-failure)",
                              failed, Counted(runs, "run"), arm),
                  benchmark, arm);
  warning.share = static_cast<double>(failed) / static_cast<double>(runs);
  return warning;
}

Warning NoRatio(std::span<const std::size_t> metrics, const MetricCatalog& catalog,
                const std::string& benchmark, double margin) {
  const KnownMetric& first = catalog.metrics()[metrics.front()];
  Warning warning = MakeWarning(
      "no_ratio",
      "in the first runs of " + benchmark +
          ", these metrics were 0, or constant with a step above the margin, so they do not gate "
          "by a relative change: " +
          ListOf(metrics, catalog),
      benchmark);
  if (first.all.constant) warning.severity = Severity::kNote;
  warning.hint = "gate on the difference: " + OptionOfDifference(first.key, margin);
  return warning;
}

}  // namespace benchd
