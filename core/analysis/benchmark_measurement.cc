#include "core/analysis/benchmark_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/analysis/data_checks.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {
namespace {

constexpr const char* kDefaultMetric = "wall_time";

}  // namespace

BenchmarkMeasurement::BenchmarkMeasurement(const Benchmark& benchmark,
                                           const SequentialDesign& design)
    : benchmark_(benchmark),
      design_(design),
      runs_per_arm_(benchmark.arms.size()),
      failed_per_arm_(benchmark.arms.size()) {}

void BenchmarkMeasurement::LearnWarmup(std::span<const Run* const> block) {
  if (asked_fixed_) return;
  std::vector<std::size_t> ids;
  for (const Run* run : block) catalog_.Learn(*run, ids);
  warmed_up_ = warmed_up_ || !block.empty();
}

Result<void> BenchmarkMeasurement::Learn(std::span<const Run* const> block) {
  // As for gates: what is measured by default is what the warm-up showed, and a named metric may
  // also appear in the first block.
  if (!asked_fixed_ && warmed_up_ && benchmark_.gates.empty()) {
    TRY_VOID(CheckMeanings());
    TRY_VOID(FixAsked());
  }
  ids_.resize(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) catalog_.Learn(*block[i], ids_[i]);
  TRY_VOID(CheckMeanings());
  if (!asked_fixed_) TRY_VOID(FixAsked());
  NameNewMetrics();
  OpenInfos();
  catalog_.HoldDirections();
  return {};
}

Result<void> BenchmarkMeasurement::CheckMeanings() const {
  if (catalog_.conflict()) return *catalog_.conflict();
  return CheckDirections(benchmark_, catalog_);
}

std::vector<std::size_t> BenchmarkMeasurement::AskedMetrics() const {
  std::vector<std::size_t> asked;
  const std::vector<KnownMetric>& metrics = catalog_.metrics();
  const auto add_if = [&](const auto& is_asked) {
    for (std::size_t id = 0; id < metrics.size(); ++id) {
      if (is_asked(id)) asked.push_back(id);
    }
  };
  if (!benchmark_.gates.empty()) {
    const auto named = GateOfEachMetric(benchmark_, catalog_);
    add_if([&](std::size_t id) { return named[id].has_value(); });
  } else if (benchmark_.parse.empty()) {
    add_if([&](std::size_t id) { return metrics[id].key == kDefaultMetric; });
  } else {
    // Without a precision, no step is too coarse.
    const bool any_width = design_.rule.kind != RuleKind::kPrecision;
    const GateDefaults defaults(any_width ? std::numeric_limits<double>::infinity()
                                          : DefaultPrecision());
    add_if([&](std::size_t id) { return GatesByDefault(benchmark_, defaults, catalog_, id); });
    // A mean needs no direction, so metrics without one are better than none.
    if (asked.empty()) {
      add_if([&](std::size_t id) { return !metrics[id].builtin; });
    }
  }
  return asked;
}

Result<void> BenchmarkMeasurement::FixAsked() {
  NameNewMetrics();
  about_nothing_ = GatesAboutNothing(benchmark_, catalog_);
  is_asked_.assign(catalog_.metrics().size(), false);
  for (const std::size_t metric : AskedMetrics()) {
    is_asked_[metric] = true;
    for (std::size_t arm = 0; arm < benchmark_.arms.size(); ++arm) {
      if (Has(arm, metric)) asked_.push_back(Open(arm, metric, true));
    }
  }
  if (asked_.empty() && benchmark_.gates.empty() && !benchmark_.allow_missing) {
    return InvalidArgument("metric", "benchmark " + benchmark_.name + " did not print a metric",
                           "see docs/harnesses.md, or omit --parse to measure the wall time");
  }
  asked_fixed_ = true;
  catalog_.BeginLater();
  return {};
}

void BenchmarkMeasurement::NameNewMetrics() {
  if (benchmark_.gates.empty() || named_.size() == catalog_.metrics().size()) return;
  const std::size_t known = named_.size();
  named_ = GateOfEachMetric(benchmark_, catalog_);
  for (std::size_t metric = known; metric < named_.size(); ++metric) {
    if (!named_[metric]) continue;
    const Gate& gate = benchmark_.gates[*named_[metric]];
    if (gate.better) catalog_.SetDirection(metric, *gate.better);
  }
}

bool BenchmarkMeasurement::IsAsked(std::size_t arm, std::size_t metric) const {
  // asked_ is in the order of the metrics, and of the arms for each.
  return std::ranges::binary_search(asked_, std::pair(metric, arm), {}, [](const Measured& one) {
    return std::pair(one.metric, one.arm);
  });
}

std::vector<std::size_t> BenchmarkMeasurement::LackedBy(std::size_t arm) const {
  std::vector<std::size_t> lacked;
  for (std::size_t metric = 0; metric < is_asked_.size(); ++metric) {
    if (is_asked_[metric] && !IsAsked(arm, metric)) lacked.push_back(metric);
  }
  return lacked;
}

void BenchmarkMeasurement::OpenInfos() {
  for (; metrics_with_infos_ < catalog_.metrics().size(); ++metrics_with_infos_) {
    const std::size_t metric = metrics_with_infos_;
    for (std::size_t arm = 0; arm < benchmark_.arms.size(); ++arm) {
      if (!IsAsked(arm, metric)) infos_.push_back(Open(arm, metric, false));
    }
  }
}

BenchmarkMeasurement::Measured BenchmarkMeasurement::Open(std::size_t arm, std::size_t metric,
                                                          bool asked) const {
  MeasuredSubject subject{.rate = catalog_.metrics()[metric].better == Better::kHigher,
                          .estimator = asked ? design_.estimator : Estimator(),
                          .asked = asked,
                          .precision = {}};
  if (asked && design_.rule.kind == RuleKind::kPrecision) {
    subject.precision = DefaultPrecision();
    if (metric < named_.size() && named_[metric]) {
      const Gate& gate = benchmark_.gates[*named_[metric]];
      if (!gate.margin_implied) subject.precision = gate.margin;
    }
  }
  return {arm, metric, ArmMeasurement(subject)};
}

std::optional<std::size_t> BenchmarkMeasurement::AskedCount() const {
  if (asked_fixed_) return asked_.size();
  if (const auto by_spec = GateMetricsBySpec(benchmark_)) return *by_spec * benchmark_.arms.size();
  // A named metric may not appear before the first block.
  if (!warmed_up_ || !benchmark_.gates.empty()) return std::nullopt;
  std::size_t count = 0;
  for (const std::size_t metric : AskedMetrics()) {
    for (std::size_t arm = 0; arm < benchmark_.arms.size(); ++arm) count += Has(arm, metric);
  }
  return count;
}

double BenchmarkMeasurement::ResolutionOf(std::size_t metric) const {
  const KnownMetric& known = catalog_.metrics()[metric];
  // A count of work is not rounded.
  return CountsWork(known.key, known.unit) ? 0 : known.resolution;
}

Result<void> BenchmarkMeasurement::AddBlock(std::span<const Run* const> block,
                                            const Levels& levels) {
  TRY(const BlockValues values,
      BlockValues::Collapse(block, ids_, catalog_, benchmark_.arms.size(), {.first_run = runs_}));
  ++blocks_;
  runs_ += block.size();
  for (std::size_t r = 0; r < block.size(); ++r) {
    ++runs_per_arm_[block[r]->arm];
    if (!block[r]->exit.Succeeded(benchmark_.accept_exit)) ++failed_per_arm_[block[r]->arm];
    kept_runs_.Add(*block[r], ids_[r], is_asked_);
  }
  for (Measured& one : asked_) Take(values, one, levels.gate ? &*levels.gate : nullptr);
  for (Measured& one : infos_) Take(values, one, &levels.info);
  return {};
}

void BenchmarkMeasurement::Take(const BlockValues& values, Measured& one,
                                const SignificanceLevel* level) {
  const std::optional<ArmValue> value = values.At(one.arm, one.metric);
  if (!value) return;
  one.measurement.Add(*value);
  const bool asked = one.measurement.subject().asked;
  if (asked && one.kept.size() < kMostCheckedValues) one.kept.push_back(value->value);
  // A look at the rest of the values is not a look at the program.
  if (level == nullptr || (asked && TooManyLack(Lacking(one), blocks_))) return;
  one.measurement.Watch(*level, ResolutionOf(one.metric), !design_.OneLook());
}

void BenchmarkMeasurement::LookOnce(const Levels& levels) {
  for (Measured& one : asked_) {
    if (levels.gate) one.measurement.LookOnce(*levels.gate, ResolutionOf(one.metric));
  }
  for (Measured& one : infos_) one.measurement.LookOnce(levels.info, ResolutionOf(one.metric));
}

std::string_view BenchmarkMeasurement::ReasonOf(const Measured& one) const {
  if (one.measurement.precise() || blocks_ < design_.NextLook(0)) return {};
  if (!one.measurement.reason().empty()) return one.measurement.reason();
  if (one.measurement.n() == 0) return "missing";
  return TooManyLack(Lacking(one), blocks_) ? "missing_values" : "";
}

bool BenchmarkMeasurement::IsSettled(const Measured& one) const {
  // Later runs may still print a metric that is missing in some.
  return one.measurement.settled() || ReasonOf(one) == "missing";
}

bool BenchmarkMeasurement::AllSettled() const {
  return asked_fixed_ &&
         std::ranges::all_of(asked_, [this](const Measured& one) { return IsSettled(one); });
}

std::optional<double> BenchmarkMeasurement::ExpectedBlocksOf(const Measured& one) const {
  if (IsSettled(one)) return std::nullopt;
  const auto blocks = static_cast<double>(blocks_);
  if (design_.fixed_blocks) {
    return std::max(0.0, static_cast<double>(*design_.fixed_blocks) - blocks);
  }
  std::optional<double> further = one.measurement.ForecastFurther();
  if (!further || one.measurement.n() == 0) return std::nullopt;
  further = *further * blocks / static_cast<double>(one.measurement.n());
  if (design_.last_block) {
    further = std::min(*further, static_cast<double>(*design_.last_block) - blocks);
  }
  if (*further > static_cast<double>(kMostBlocks)) return std::nullopt;
  return further;
}

std::optional<double> BenchmarkMeasurement::ExpectedBlocks() const {
  std::optional<double> most;
  for (const Measured& one : asked_) {
    if (IsSettled(one)) continue;
    const std::optional<double> further = ExpectedBlocksOf(one);
    if (!further) return std::nullopt;
    most = std::max(most.value_or(0), *further);
  }
  return most;
}

Estimate BenchmarkMeasurement::EstimateOf(const Measured& one, double level) const {
  const KnownMetric& metric = catalog_.metrics()[one.metric];
  Estimate estimate;
  estimate.benchmark = benchmark_.name;
  estimate.arm = benchmark_.arms[one.arm].name;
  estimate.metric = metric.key;
  estimate.unit = metric.unit;
  estimate.better = metric.better;
  estimate.confidence = 1 - level;
  one.measurement.Describe(estimate);
  if (!estimate.asked) return estimate;
  estimate.reason = ReasonOf(one);
  estimate.expected_blocks = ExpectedBlocksOf(one);
  return estimate;
}

std::vector<Estimate> BenchmarkMeasurement::Estimates(const Levels& levels) const {
  std::vector<Estimate> estimates;
  const double asked_level = levels.gate ? levels.gate->stated() : levels.info.stated();
  for (const Measured& one : asked_) estimates.push_back(EstimateOf(one, asked_level));
  for (const Measured& one : infos_) {
    if (one.measurement.n() == 0) continue;
    estimates.push_back(EstimateOf(one, levels.info.stated()));
  }
  return estimates;
}

std::vector<Warning> BenchmarkMeasurement::Warnings() const {
  std::vector<Warning> warnings;
  for (std::size_t arm = 0; arm < benchmark_.arms.size(); ++arm) {
    if (failed_per_arm_[arm] == 0) continue;
    warnings.push_back(FailedRuns(benchmark_.name, benchmark_.arms[arm].name, failed_per_arm_[arm],
                                  runs_per_arm_[arm]));
  }
  for (std::size_t arm = 0; asked_fixed_ && arm < benchmark_.arms.size(); ++arm) {
    const std::vector<std::size_t> missing = LackedBy(arm);
    if (missing.empty()) continue;
    warnings.push_back(MissingInArm(missing, catalog_, benchmark_, benchmark_.arms[arm].name));
  }
  const auto add = [&](WarningCode code, const Measured& one, std::string_view what) -> Warning& {
    const std::string& arm = benchmark_.arms[one.arm].name;
    const std::string& metric = catalog_.metrics()[one.metric].key;
    warnings.push_back(
        MakeWarning(code, fmt::format("{} of {}{}", metric, arm, what), benchmark_.name, arm));
    warnings.back().metric = metric;
    return warnings.back();
  };
  for (const Measured& one : asked_) {
    const std::string_view reason = ReasonOf(one);
    if (reason == "intervals_disjoint") {
      add("intervals_disjoint", one,
          ": two looks exclude each other, so it changed during the session, and there is no "
          "interval")
          .hint = "repeat the measurement on a quieter machine";
    } else if (reason == "resolution") {
      add("resolution", one, ": one step of this metric is too coarse for the precision").hint =
          FindEstimateReason(reason)->hint;
    } else if (reason == "missing_values") {
      add("missing_values", one,
          fmt::format(" is missing in {} of {} blocks; it is not precise while more than 5 % lack "
                      "it",
                      Lacking(one), blocks_))
          .hint = FindEstimateReason(reason)->hint;
    }
    if (one.measurement.EstimateOutside()) {
      add("estimate_outside", one,
          ": the estimate of the last look lies outside the intersection of the intervals of all "
          "looks, which remains valid");
    }
  }
  return warnings;
}

std::optional<Warning> BenchmarkMeasurement::TooFewRuns(const Levels& levels) const {
  if (!levels.gate) return std::nullopt;
  const bool once = design_.fixed_blocks.has_value();
  std::optional<std::uint64_t> needed;
  for (const Measured& one : asked_) {
    if (!one.measurement.LacksAnEnd()) continue;
    // The boundary of --max-runs depends on that number.
    const auto values = design_.horizon ? FewestRunsToHorizon(design_, one.measurement.Share(),
                                                              levels.gate->two_sided(), 1)
                                        : one.measurement.ValuesForInterval(*levels.gate, once);
    if (!values) continue;
    // Some runs may lack the metric.
    const std::uint64_t n = one.measurement.n();
    needed = std::max(needed.value_or(0), (*values * blocks_ + n - 1) / n);
  }
  // If a limit cut the requested runs short, that limit is the problem.
  if (!needed || (once && *needed <= *design_.fixed_blocks)) return std::nullopt;
  const bool by_time = !design_.horizon || *needed <= *design_.last_block;
  const bool median = design_.estimator.kind == EstimatorKind::kMedian;
  Warning warning = MakeWarning(
      "few_runs",
      fmt::format("an interval of the {} at this confidence takes {} runs, but there were {}",
                  median ? "median" : fmt::format("quantile {}", design_.estimator.quantile),
                  *needed, blocks_),
      benchmark_.name);
  warning.hint = once      ? fmt::format("use --runs {}", *needed)
                 : by_time ? "raise --max-time"
                           : fmt::format("use --max-runs {} or more", *needed);
  return warning;
}

std::vector<Warning> BenchmarkMeasurement::CheckValues() const {
  CheckOptions options{
      .level = kCheckLevel / static_cast<double>(std::max<std::size_t>(1, asked_.size())),
      .discarded = design_.warmup,
      .by_mean = design_.estimator.kind == EstimatorKind::kMean};
  std::vector<Warning> warnings = kept_runs_.Check(benchmark_, catalog_, options.level);
  for (const Measured& one : asked_) {
    for (Warning& warning : CheckArm(one.kept, catalog_.metrics()[one.metric], benchmark_.name,
                                     benchmark_.arms[one.arm].name, options)) {
      const bool known = std::ranges::find(warnings, warning) != warnings.end();
      if (!known) warnings.push_back(std::move(warning));
    }
  }
  return warnings;
}

}  // namespace benchd
