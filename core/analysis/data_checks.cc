#include "core/analysis/data_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "core/stats/descriptive.h"
#include "core/stats/normality.h"
#include "core/stats/shape.h"
#include "core/stats/tails.h"
#include "core/stats/warmup.h"

namespace benchd {
namespace {

constexpr std::size_t kFewestChecked = 8;
constexpr double kStepsOfVisibleShift = 2;

std::string Written(double value, std::chars_format format, int precision) {
  // A double has at most 309 digits before the decimal point.
  std::array<char, 400> text{};
  const auto [end, failed] =
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return failed == std::errc() ? std::string(text.data(), end) : std::string();
}

std::string Significant(double value) { return Written(value, std::chars_format::general, 4); }

void Keep(EffectEstimator::Values values, std::vector<double>& kept, Extremes& extremes) {
  for (const ArmValue& value : values) {
    if (kept.size() < kMostCheckedValues) kept.push_back(value.value);
    extremes.lowest = std::min(extremes.lowest, value.value);
    extremes.highest = std::max(extremes.highest, value.value);
  }
}

std::string Of(const KnownMetric& metric, const std::string& arm) {
  return metric.key + " of " + arm;
}

std::string Outliers(const ArmShape& shape) {
  const std::size_t outside = shape.fences->below + shape.fences->above;
  return fmt::format(
      "{} of {} values are outliers (outside Tukey's fences); they affect the mean, but not the "
      "estimator hl",
      outside, shape.n);
}

// The thresholds that statistics must exceed to be reported at a level.
class Bar {
 public:
  explicit Bar(double level)
      : level_(level),
        trend_(NormalUpperQuantile(level / 2)),
        correlation_(NormalUpperQuantile(level * (kCorrelationLevel / kCheckLevel))),
        // This far in the tail, only the first term of Kolmogorov's distribution matters.
        change_(std::sqrt(-std::log(level / 2) / 2)) {}

  bool Drifts(const std::optional<RankTrend>& trend,
              const std::optional<LevelChange>& change) const {
    return (trend && std::abs(trend->z) > trend_) || (change && change->statistic > change_);
  }
  bool Drifts(const ArmShape& shape) const { return Drifts(shape.trend, shape.level_change); }

  // A normal sample of n values has a share of 0.7 % + 0.4 / n outside the fences (Hoaglin,
  // Iglewicz, Tukey, JASA 81 (1986) 991-999). The number of these values is far from binomial, so
  // the threshold is twice the expectation, plus the normal quantile of `level` times its square
  // root.
  bool TooManyOutside(const ArmShape& shape) const {
    const double expected = 2 * (0.00698 * static_cast<double>(shape.n) + 0.4);
    const auto outside = static_cast<double>(shape.fences->below + shape.fences->above);
    return outside > expected + trend_ * std::sqrt(expected);
  }

  bool Passes(DataFinding finding, const Diagnosis& all, const ArmShape& shape) const {
    switch (finding) {
      case DataFinding::kArmDrifts:
        return Drifts(shape);
      case DataFinding::kPairsDrift:
        return Drifts(all.pair_trend, all.pair_level_change);
      case DataFinding::kPairsCorrelated:
        return all.pair_trend->z > correlation_ && !Drifts(all.pair_trend, all.pair_level_change);
      case DataFinding::kShapesDiffer:
        return *all.same_shape_p <= level_;
      case DataFinding::kOutliers:
        return TooManyOutside(shape);
      case DataFinding::kSeveralModes:
        return !Drifts(shape);
    }
    return true;
  }

 private:
  double level_;
  double trend_;
  double correlation_;
  double change_;
};

// Returns the warm-up, unless its shift is too small. The shift of a coarse metric may be a single
// step, which is not a warm-up.
std::optional<Warmup> VisibleWarmup(std::span<const double> values, double resolution,
                                    double level) {
  const std::optional<Warmup> warmup = FindWarmup(values, level);
  if (!warmup || std::abs(warmup->shift) < kStepsOfVisibleShift * resolution) return std::nullopt;
  return warmup;
}

// Returns the probable reason of a warm-up. With cold caches and branch predictors a program starts
// worse. If heat, battery limits or a new load take effect only later, it starts better, and the
// start does not represent the long run.
const char* ReasonOf(const Warmup& warmup, std::optional<Better> better) {
  if (!better) return "it changes with time, or with a load";
  const bool worse_first = (warmup.shift > 0) == (*better == Better::kLower);
  return worse_first ? "it warms up, or a load ended" : "it slows down with time, or a load began";
}

std::string WarmupSentence(const Warmup& warmup, const KnownMetric& metric, const std::string& of,
                           std::optional<std::uint64_t> discarded) {
  const std::string advice =
      discarded ? fmt::format("discard them with --warmup {}", *discarded + warmup.length)
                : "omit them";
  return fmt::format("{} changes at the start: the first {} {} {} the others ({}); {}", of,
                     warmup.length, warmup.length == 1 ? "value is" : "values are",
                     AwayFrom(warmup.shift, warmup.rest), ReasonOf(warmup, metric.better), advice);
}

// The rank version of von Neumann's ratio is 2 (1 - r), where r is the autocorrelation of the
// ranks.
Warning Correlated(const RankTrend& trend, const KnownMetric& metric, const CheckedNames& names) {
  return MakeWarning(
      "pairs_correlated",
      fmt::format("{}: the differences between {} and {} resemble those of the block before "
                  "(rank autocorrelation {}), so errors are more frequent than stated",
                  metric.key, names.reference, names.candidate, Decimals(1 - trend.ratio / 2, 2)));
}

Warning WarningOf(const DataWarning& finding, const ArmShape& shape, const Diagnosis& all,
                  bool paired, bool by_mean, const KnownMetric& metric, const CheckedNames& names) {
  const std::string& arm = finding.arm == WhichArm::kCandidate ? names.candidate : names.reference;
  switch (finding.finding) {
    case DataFinding::kArmDrifts:
      break;
    case DataFinding::kPairsDrift:
      return MakeWarning("pairs_drift",
                         metric.key + ": the differences between " + names.reference + " and " +
                             names.candidate +
                             " drifted over time, which weakens the stated confidence");
    case DataFinding::kPairsCorrelated:
      return Correlated(*all.pair_trend, metric, names);
    case DataFinding::kShapesDiffer:
      return MakeWarning("shapes_differ",
                         metric.key + " of " + names.reference + " and " + names.candidate +
                             " have different distributions, so errors may be more frequent "
                             "than stated, especially if one of them has rare slow runs; "
                             "use --min-runs 300");
    case DataFinding::kOutliers:
      return MakeWarning("outliers", Of(metric, arm) + ": " + Outliers(shape));
    case DataFinding::kSeveralModes:
      return MakeWarning("several_modes",
                         Of(metric, arm) + " has several modes: " +
                             (by_mean ? "a mean between them does not describe a typical run"
                                      : "a single figure cannot describe all of them"));
  }
  Warning drift = MakeWarning("drift", Of(metric, arm) + " drifted over time");
  if (paired) {
    drift.message += "; pairing compensates for it";
    return drift;
  }
  drift.message += ", and without pairs nothing compensates for it";
  drift.severity = Severity::kCaution;
  drift.hint = "use --method paired";
  return drift;
}

std::vector<Warning> CheckShapes(const CheckedValues& all, std::span<const double> reference,
                                 std::span<const double> candidate, const KnownMetric& metric,
                                 MarginKind margin, const CheckedNames& names,
                                 const CheckOptions& checks) {
  const bool inverse =
      metric.better == Better::kHigher && margin == MarginKind::kRatio && all.positive();
  DiagnosisOptions options;
  options.contrast = margin == MarginKind::kRatio ? Contrast::kLogRatio : Contrast::kDifference;
  options.paired = all.paired();
  options.judge_shape =
      ShapeIsVisible(MomentsOf(reference), MomentsOf(candidate), metric.resolution);
  const auto diagnosis = inverse ? Diagnose(Inverted({reference.begin(), reference.end()}),
                                            Inverted({candidate.begin(), candidate.end()}), options)
                                 : Diagnose(reference, candidate, options);
  if (!diagnosis) return {};

  const Bar bar(checks.level);
  std::vector<Warning> warnings;
  for (const DataWarning& finding : WarningsOf(*diagnosis)) {
    if (finding.finding == DataFinding::kOutliers && !checks.by_mean) continue;
    const bool of_candidate = finding.arm == WhichArm::kCandidate;
    const ArmShape& shape = of_candidate ? diagnosis->candidate : diagnosis->base;
    if (!bar.Passes(finding.finding, *diagnosis, shape)) continue;
    Warning warning =
        WarningOf(finding, shape, *diagnosis, all.paired(), checks.by_mean, metric, names);
    warning.benchmark = names.benchmark;
    const bool of_both = finding.arm == WhichArm::kBoth;
    warning.arm = of_candidate || of_both ? names.candidate : names.reference;
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::string InUnit(double value, const KnownMetric& metric) {
  const std::string number = Significant(value);
  return metric.unit.empty() || metric.unit == "1" ? number : number + " " + metric.unit;
}

Warning BestRun(const CheckedValues& values, const KnownMetric& metric, const CheckedNames& names) {
  const bool largest = metric.better == Better::kHigher;
  const auto best = [&](const Extremes& of_arm) {
    return InUnit(largest ? of_arm.highest : of_arm.lowest, metric);
  };
  Warning note = MakeWarning(
      "best_run",
      fmt::format("the {} {} is {} for {} and {} for {}; a single run has no interval, so the "
                  "verdict is about the quantile",
                  largest ? "largest" : "smallest", metric.key, best(values.of_reference()),
                  names.reference, best(values.of_candidate()), names.candidate),
      names.benchmark, names.candidate);
  note.metric = metric.key;
  note.reference = names.reference;
  return note;
}

// Returns the test of the logarithms of an arm. For rates, those of 1/x differ only in their sign.
std::optional<AndersonDarling> TestLogs(std::span<const double> values, double resolution) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  SpreadTies(sorted, resolution);
  if (!(sorted.front() > 0)) return std::nullopt;
  for (double& value : sorted) value = std::log(value);
  return TestNormality(sorted);
}

// Appends a warning that invalidates the gate if an arm is not log-normal. Each arm is tested at
// half the level.
void CheckLogFit(const CheckedValues& all, const KnownMetric& metric, const CheckedNames& names,
                 double level, std::vector<Warning>& warnings) {
  if (!all.positive() ||
      !ShapeIsVisible(MomentsOf(all.reference()), MomentsOf(all.candidate()), metric.resolution)) {
    return;
  }
  for (const bool of_candidate : {false, true}) {
    const auto test = TestLogs(of_candidate ? all.candidate() : all.reference(), metric.resolution);
    if (!test || test->p >= level / 2) continue;
    Warning warning = MakeWarning(
        "not_lognormal",
        fmt::format("{} is not log-normal (Anderson-Darling statistic {}), so lognormal-mean has "
                    "no valid interval",
                    Of(metric, of_candidate ? names.candidate : names.reference),
                    Decimals(test->statistic, 1)),
        names.benchmark, names.candidate);
    warning.metric = metric.key;
    warning.reference = names.reference;
    warnings.push_back(std::move(warning));
  }
}

}  // namespace

void CheckedValues::Add(EffectEstimator::Values reference, EffectEstimator::Values candidate) {
  Keep(reference, reference_, of_reference_);
  Keep(candidate, candidate_, of_candidate_);
  const auto is_positive = [](const ArmValue& value) { return value.positive; };
  positive_ = positive_ && std::all_of(reference.begin(), reference.end(), is_positive) &&
              std::all_of(candidate.begin(), candidate.end(), is_positive);
}

std::vector<Warning> CheckData(const CheckedValues& values, const KnownMetric& metric,
                               MarginKind margin, const CheckedNames& names,
                               const CheckOptions& options) {
  std::span<const double> reference(values.reference());
  std::span<const double> candidate(values.candidate());
  std::vector<Warning> warnings;
  if (reference.empty() || candidate.empty()) return warnings;
  if (options.by_quantile) warnings.push_back(BestRun(values, metric, names));
  if (std::min(reference.size(), candidate.size()) < kFewestChecked) return warnings;

  if (options.by_lognormal) CheckLogFit(values, metric, names, options.level, warnings);
  std::size_t start = 0;
  for (const bool of_candidate : {false, true}) {
    const auto warmup =
        VisibleWarmup(of_candidate ? candidate : reference, metric.resolution, options.level);
    if (!warmup) continue;
    const std::string& arm = of_candidate ? names.candidate : names.reference;
    warnings.push_back(
        MakeWarning("warmup", WarmupSentence(*warmup, metric, Of(metric, arm), options.discarded),
                    names.benchmark, arm));
    start = std::max(start, warmup->length);
  }
  reference = reference.subspan(start);
  candidate = candidate.subspan(start);
  if (std::min(reference.size(), candidate.size()) < kFewestChecked) return warnings;

  for (Warning& warning :
       CheckShapes(values, reference, candidate, metric, margin, names, options)) {
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::vector<Warning> CheckArm(std::span<const double> values, const KnownMetric& metric,
                              const std::string& benchmark, const std::string& arm,
                              const CheckOptions& options) {
  std::vector<Warning> warnings;
  if (values.size() < kFewestChecked || !CheckFinite(values)) return warnings;
  const auto add = [&](WarningCode code, std::string message) -> Warning& {
    return warnings.emplace_back(MakeWarning(code, std::move(message), benchmark, arm));
  };
  const std::string of = Of(metric, arm);
  if (const auto warmup = VisibleWarmup(values, metric.resolution, options.level)) {
    add("warmup", WarmupSentence(*warmup, metric, of, options.discarded));
    values = values.subspan(warmup->length);
    if (values.size() < kFewestChecked) return warnings;
  }
  const Moments moments = MomentsOf(values);
  const ArmShape shape = ShapeOf(values, ShapeIsVisible(moments, moments, metric.resolution));
  const Bar bar(options.level);
  const bool drifts = bar.Drifts(shape);
  if (drifts) {
    Warning& drift =
        add("drift", of + " drifted over time, which no other arm compensates for: the "
                          "stated confidence is weakened");
    drift.severity = Severity::kCaution;
    drift.hint = "repeat the measurement on a quieter machine";
  }
  const bool outliers = shape.fences && shape.fences->AnyOutside() && bar.TooManyOutside(shape);
  if (outliers && options.by_mean) {
    add("outliers", fmt::format("{}: {} of {} values are outliers (outside Tukey's fences); they "
                                "affect the mean, but not the median",
                                of, shape.fences->below + shape.fences->above, shape.n));
  }
  if (shape.SeveralModes() && !drifts) {
    add("several_modes",
        of + " has several modes: " +
            (options.by_mean ? "a mean between them does not describe a typical run"
                             : "a single figure cannot describe all of them"));
  }
  return warnings;
}

std::string Decimals(double value, int decimals) {
  return Written(value, std::chars_format::fixed, decimals);
}

std::string AwayFrom(double shift, double rest) {
  const double share = std::abs(shift / rest);
  const bool relative = std::isfinite(share);
  const double size = relative ? 100 * share : std::abs(shift);
  return Written(size, std::chars_format::general, 3) + (relative ? " % " : " ") +
         (shift > 0 ? "above" : "below");
}

}  // namespace benchd
