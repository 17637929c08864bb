#include "core/analysis/sequential_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/analysis/gate_plan.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "core/model/session_spec.h"
#include "core/stats/decision.h"
#include "core/stats/order_statistics.h"
#include "core/stats/paired.h"
#include "core/stats/resampling.h"

namespace benchd {
namespace {

constexpr std::uint64_t kFewestLooks = 8;
static_assert(kLastEarlyLook < kFewestLooks);
/// The largest number of runs that the hint for a quantile suggests.
constexpr std::uint64_t kMostQuantileRuns = 1'000'000;
// The smallest level. After division by the number of gates, it remains above 1e-300, the limit of
// the boundaries.
constexpr double kSmallestAlpha = 1e-250;

bool IsCoin(const SessionSpec& spec) { return spec.schedule.kind == ScheduleKind::kCoin; }

/// Returns whether the estimator permits only one look, because its validity under watching is not
/// established, or (lognormal-mean) was refuted.
bool IsForOneLook(const SequentialDesign& design) {
  const EstimatorKind kind = design.estimator.kind;
  return kind == EstimatorKind::kLognormalMean || kind == EstimatorKind::kSubselection ||
         (kind == EstimatorKind::kHodgesLehmann && !design.paired);
}

Result<void> CheckLayouts(const SessionSpec& spec) {
  if (IsCoin(spec)) {
    return InvalidArgument("schedule", "each layout runs once per block", "omit --schedule");
  }
  if (spec.estimator.kind == EstimatorKind::kMean) return {};
  return InvalidArgument("method", "layouts are compared by their means", "omit --estimator");
}

Result<void> CheckMethod(const SessionSpec& spec) {
  if (IsCoin(spec) && (spec.method == Method::kPaired || spec.method == Method::kExactT)) {
    return InvalidArgument("schedule", "coin does not form pairs, but this method compares pairs",
                           "use --method welch, or omit --schedule");
  }
  if (spec.method == Method::kLayouts) return CheckLayouts(spec);
  if (spec.method != Method::kExactT) return {};
  if (spec.estimator.kind != EstimatorKind::kMean) {
    return InvalidArgument("method", "exact-t supports only the estimator mean",
                           "omit --estimator or --method");
  }
  if (spec.limits.runs) {
    return InvalidArgument("method", "exact-t looks after every block, but --runs takes one look",
                           "use --max-runs, or --method fixed");
  }
  return {};
}

/// Returns the number of gates that are known before the first run, but at least one.
std::size_t FewestGates(const SessionSpec& spec) {
  std::size_t gates = 0;
  for (const Benchmark& benchmark : spec.benchmarks) {
    gates += GateMetricsBySpec(benchmark).value_or(1) *
             ArmsWithRole(benchmark, ArmRole::kReference).size() *
             ArmsWithRole(benchmark, ArmRole::kCandidate).size();
  }
  return std::max<std::size_t>(1, gates);
}

/// Checks a quantile that is watched up to `max_runs`. Without that limit, the time decides.
Result<void> CheckWatchedQuantile(const SequentialDesign& design, double level) {
  if (!design.horizon) return {};
  // Each arm has its interval at half the level of a look (CompareQuantiles()).
  const auto fewest = FewestRunsToHorizon(design, design.estimator.quantile, level, 2);
  if (fewest && *fewest <= *design.last_block) return {};
  return InvalidArgument(
      "estimator",
      fmt::format("quantile needs more than {} runs for an interval at this confidence",
                  *design.last_block),
      fewest ? fmt::format("use --max-runs {} or more", *fewest)
             : std::string("choose a quantile further from the extremes"));
}

}  // namespace

std::optional<std::uint64_t> FewestRunsToHorizon(const SequentialDesign& design, double quantile,
                                                 double level, int intervals) {
  const std::uint64_t values_per_run = *design.horizon / *design.last_block;
  // A longer horizon takes a smaller level at each look, so the smallest one is approached from
  // below.
  for (std::uint64_t runs = design.first_look + 1; runs <= kMostQuantileRuns;) {
    const std::uint64_t horizon = runs * values_per_run;
    const auto boundary = SequentialBoundary::Horizon(level, design.first_look, horizon);
    if (!boundary) return std::nullopt;
    const double of_look = LevelOfOneLook(*boundary, static_cast<double>(horizon));
    const auto fewest = FewestForRanks(quantile, of_look / intervals, kMostQuantileRuns);
    if (!fewest || *fewest <= runs) return fewest ? std::optional(runs) : std::nullopt;
    runs = *fewest;
  }
  return std::nullopt;
}

Result<void> CheckQuantileRuns(const SequentialDesign& design, std::size_t gates) {
  if (design.estimator.kind != EstimatorKind::kQuantile) return {};
  const double level = design.SmallerTwoSided() / static_cast<double>(gates);
  if (!design.fixed_blocks) return CheckWatchedQuantile(design, level);
  if (level < kSmallestBootstrapLevel) {
    return InvalidArgument(
        "estimator",
        fmt::format("quantile: {} {} a level too small for the {} resamples", gates,
                    gates == 1 ? "gate has" : "gates share", kBootstrapReplicates),
        "name fewer gates with --metric, or use a lower --confidence");
  }
  const double quantile = design.estimator.quantile;
  std::uint64_t runs = std::max<std::uint64_t>(*design.fixed_blocks, kFewestForQuantile);
  const auto possible = [&] { return QuantileIntervalPossible(runs, quantile, level); };
  while (runs < kMostQuantileRuns && !possible()) runs += runs / 8;
  if (runs == *design.fixed_blocks && possible()) return {};
  return InvalidArgument(
      "estimator",
      fmt::format("quantile needs more than {} runs for an interval at this confidence",
                  *design.fixed_blocks),
      runs < kMostQuantileRuns ? fmt::format("use --runs {}", runs)
                               : std::string("choose a quantile further from the extremes"));
}

namespace {

Result<void> CheckEstimator(const SessionSpec& spec, const SequentialDesign& design) {
  const Estimator& estimator = spec.estimator;
  if (estimator.kind == EstimatorKind::kMedian && !design.paired) {
    return InvalidArgument("estimator", "median needs pairs, but these arms are independent",
                           "use --estimator quantile:0.5, or hl with --runs N");
  }
  TRY_VOID(CheckQuantileRuns(design, FewestGates(spec)));
  if (IsForOneLook(design) && !design.OneLook()) {
    return InvalidArgument("estimator",
                           "allows only one look, at a number of runs chosen "
                           "beforehand",
                           design.table ? "use --method fixed" : "add --runs N");
  }
  return {};
}

Result<void> CheckRule(const SessionSpec& spec, const SequentialDesign& design) {
  if (spec.rule.kind != RuleKind::kPrecision) return {};
  if (!(spec.rule.width > 0 && std::isfinite(spec.rule.width))) {
    return InvalidArgument("rule", "the width of precision must be a number above 0",
                           "write, for example, --rule precision:1%");
  }
  if (design.OneLook()) {
    return InvalidArgument("rule",
                           "precision looks until the interval is narrow enough, but these options "
                           "permit only one look",
                           IsMeasured(spec)
                               ? "raise --max-runs, or use --runs N, which has no precision"
                               : "omit --rule, or omit --runs, --method fixed and --layouts");
  }
  return {};
}

Result<void> CheckLevel(const SessionSpec& spec) {
  const bool one_sided = spec.sided == Sided::kOne;
  if (!(spec.alpha >= kSmallestAlpha && spec.alpha < (one_sided ? 0.5 : 1.0))) {
    return InvalidArgument("alpha",
                           one_sided ? "must lie between 0 and 0.5 (confidence above 50 %) when "
                                       "one-sided"
                                     : "must lie between 0 and 1 (confidence between 0 and 100 %)",
                           "write, for example, --confidence 99%");
  }
  if (spec.pass_confidence &&
      !(1 - *spec.pass_confidence >= kSmallestAlpha && *spec.pass_confidence > 0.5)) {
    return InvalidArgument("pass-confidence", "must lie between 50 and 100 %",
                           "write, for example, --pass-confidence 95%");
  }
  return {};
}

Result<void> CheckQuantile(const Estimator& estimator) {
  if (estimator.kind != EstimatorKind::kQuantile ||
      (estimator.quantile > 0 && estimator.quantile < 1)) {
    return {};
  }
  return InvalidArgument("estimator", "the quantile must lie between 0 and 1",
                         "write, for example, --estimator quantile:0.99");
}

Result<void> CheckLimits(const SessionSpec& spec, DataSource source) {
  const Limits& limits = spec.limits;
  if (limits.runs && limits.max_runs) {
    return InvalidArgument("runs", "cannot be combined with max_runs",
                           "use --runs N for exactly N blocks, or --max-runs N for at most N");
  }
  if (limits.runs && *limits.runs < 2) {
    return InvalidArgument("runs", "one block does not show the spread", "use --runs 2 or more");
  }
  if (limits.max_runs && *limits.max_runs < 2) {
    return InvalidArgument("max-runs", "one block does not show the spread",
                           "use --max-runs 2 or more");
  }
  const bool is_table = source == DataSource::kTable;
  if (spec.method == Method::kFixed && !limits.runs && !is_table) {
    return InvalidArgument("method", "fixed needs a number of runs that is chosen beforehand",
                           "add --runs N");
  }
  const bool looks_once = limits.runs || (is_table && spec.method == Method::kFixed);
  const bool early = spec.early_looks.value_or(false);
  if (!looks_once && limits.min_runs < (early ? kFirstEarlyLook : kFewestLooks)) {
    return InvalidArgument("min-runs",
                           early ? "must be at least 3 with early looks"
                                 : "must be at least 8 for a method that looks repeatedly",
                           "use --runs N for one look at few runs");
  }
  return {};
}

Result<void> CheckEarlyLooks(const SessionSpec& spec) {
  if (!spec.early_looks.value_or(false) || PermitsEarlyLooks(spec)) return {};
  if (spec.limits.min_runs > kFewestLooks) {
    return InvalidArgument("early-looks",
                           "they come before the first look, but --min-runs is above 8",
                           "omit --early-looks or --min-runs");
  }
  return InvalidArgument("early-looks",
                         "only a paired comparison of means that is watched against a margin has "
                         "early looks",
                         "omit --early-looks");
}

/// Returns the maximum number of values that an arm can have after this number of blocks. For pairs
/// this is one per block.
std::uint64_t MostValues(const SessionSpec& spec, const SequentialDesign& design,
                         std::uint64_t blocks) {
  if (design.paired) return blocks;
  std::uint64_t most = 1;
  for (const Benchmark& benchmark : spec.benchmarks) {
    const std::vector<std::size_t> runs = RunsPerBlock(benchmark, spec.method);
    // With the schedule coin, all runs of a block may belong to one arm.
    const auto in_block = design.coin ? std::accumulate(runs.begin(), runs.end(), std::size_t{0})
                                      : *std::max_element(runs.begin(), runs.end());
    most = std::max<std::uint64_t>(most, in_block);
  }
  return blocks * most;
}

/// Returns the first look of a watched quantile: the smallest n at which its order statistics have
/// an interval. With the first look there, no look is wasted on an interval that cannot exist.
Result<std::uint64_t> FirstQuantileLook(const SessionSpec& spec, const SequentialDesign& design) {
  const double level = design.SmallerTwoSided() / static_cast<double>(FewestGates(spec));
  TRY(const SequentialBoundary boundary, SequentialBoundary::Robbins(level, kFewestLooks));
  // The level of the first look is the same for any n0.
  const double of_arm = LevelOfOneLook(boundary, static_cast<double>(kFewestLooks)) / 2;
  const auto fewest = FewestForRanks(spec.estimator.quantile, of_arm, kMostQuantileRuns);
  if (!fewest) {
    return InvalidArgument("estimator", "quantile needs more than a million runs for an interval",
                           "choose a quantile further from the extremes");
  }
  return *fewest;
}

/// Plans the looks. It was already checked that the options can be combined.
Result<void> PlanLimits(const SessionSpec& spec, SequentialDesign& design) {
  design.first_look = std::max(kFewestLooks, spec.limits.min_runs);
  if (spec.early_looks.value_or(false)) {
    const bool usual = spec.limits.min_runs == kFewestLooks;
    design.early_look = usual ? kFirstEarlyLook : spec.limits.min_runs;
  }
  design.fixed_blocks = spec.limits.runs;
  // The interval of a measured arm may have one end, so it does not wait.
  const bool compares = spec.estimator.kind == EstimatorKind::kQuantile && !IsMeasured(spec);
  if (compares && !design.OneLook()) {
    TRY(const std::uint64_t first, FirstQuantileLook(spec, design));
    design.first_look = std::max(design.first_look, first);
  }
  const auto& largest = spec.limits.max_runs;
  if (!largest) return {};
  if (*largest <= design.first_look && design.method != Method::kExactT &&
      design.method != Method::kLayouts) {
    // A horizon that does not exceed the first look permits only one look, at the horizon.
    design.fixed_blocks = largest;
    return {};
  }
  design.last_block = largest;
  if (design.method == Method::kExactT || design.method == Method::kLayouts) return {};
  design.horizon = MostValues(spec, design, *largest);
  TRY_VOID(SequentialBoundary::Horizon(design.TwoSided(design.alpha), design.first_look,
                                       *design.horizon));
  if (design.pass_alpha && 2 * *design.pass_alpha > kLargestHorizonAlpha) {
    return InvalidArgument("pass-confidence", "must be above 83 % with --max-runs",
                           "use a higher --pass-confidence, or omit --max-runs");
  }
  return {};
}

}  // namespace

Result<SequentialDesign> MakeSequentialDesign(const SessionSpec& spec, DataSource source) {
  TRY_VOID(CheckMethod(spec));
  TRY_VOID(CheckLevel(spec));
  TRY_VOID(CheckEarlyLooks(spec));
  TRY_VOID(CheckLimits(spec, source));
  TRY_VOID(CheckQuantile(spec.estimator));

  SequentialDesign design;
  design.method = spec.method;
  design.estimator = spec.estimator;
  design.rule = spec.rule;
  design.coin = IsCoin(spec);
  design.paired = !design.coin && spec.method != Method::kWelch && spec.method != Method::kLayouts;
  design.seed = spec.seed;
  design.warmup = spec.schedule.warmup;
  design.table = source == DataSource::kTable;
  design.alpha = spec.alpha;
  if (spec.pass_confidence) design.pass_alpha = 1 - *spec.pass_confidence;
  design.one_sided = spec.sided == Sided::kOne;
  design.error_rate = spec.error_rate;
  if (design.error_rate == ErrorRate::kFdr && !design.DecidesTogether()) {
    const bool precision = design.rule.kind == RuleKind::kPrecision;
    return InvalidArgument(
        "error-rate",
        precision ? "fdr decides by p-values, but precision by the width"
                  : "fdr needs p-values below those that a bootstrap can have",
        precision ? "omit --rule or --error-rate" : "use another estimator, or omit --error-rate");
  }
  TRY_VOID(PlanLimits(spec, design));
  // MeasurementAnalysis checks the estimators of one arm by itself.
  if (!IsMeasured(spec)) TRY_VOID(CheckEstimator(spec, design));
  TRY_VOID(CheckRule(spec, design));
  return design;
}

namespace {

SequentialBoundary MakeBoundary(const SequentialDesign& design, double two_sided) {
  // MakeSequentialDesign() has tried the largest level, so a smaller level cannot fail.
  return design.horizon
             ? SequentialBoundary::Horizon(two_sided, design.first_look, *design.horizon).value()
             : SequentialBoundary::Robbins(two_sided, design.first_look).value();
}

std::optional<ExactTBoundary> MakeExactT(const SequentialDesign& design, double two_sided) {
  if (design.method != Method::kExactT) return std::nullopt;
  return ExactTBoundary::Make(two_sided, design.first_look).value();
}

double ShareOfBoundary(bool early) { return early ? 1 - kShareOfEarlyLooks : 1; }

}  // namespace

EndLevel::EndLevel(const SequentialDesign& design, double two_sided)
    : two_sided_(two_sided),
      boundary_(MakeBoundary(design, two_sided)),
      exact_t_(MakeExactT(design, two_sided)) {}

double EndLevel::CriticalT(std::uint64_t n) const {
  Slot& slot = recent_[n % recent_.size()];
  if (slot.n != n) slot = {n, boundary_.CriticalT(n)};
  return slot.t;
}

double EndLevel::FixedT(std::uint64_t n) const { return FixedCriticalT(two_sided_, n); }

SignificanceLevel::SignificanceLevel(const SequentialDesign& design, double stated,
                                     std::optional<double> passes, bool shared, bool early)
    : stated_(stated),
      passes_(passes),
      shared_(shared),
      early_(early),
      lower_(design, design.TwoSided(stated) * ShareOfBoundary(early)) {
  if (passes) upper_.emplace(design, 2 * *passes * ShareOfBoundary(early));
}

double SignificanceLevel::EarlyPart(const EndLevel& end) {
  return end.two_sided() / 2 * (kShareOfEarlyLooks / (1 - kShareOfEarlyLooks));
}

}  // namespace benchd
