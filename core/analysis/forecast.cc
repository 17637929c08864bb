#include "core/analysis/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "core/analysis/layout_groups.h"
#include "core/model/verdict_reason.h"

namespace benchd {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

Nanoseconds FromSeconds(double seconds) {
  return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

/// Returns the seconds per further block of each benchmark, including its share of the time between
/// the runs. For a benchmark without blocks this is the mean over all benchmarks.
std::vector<double> BlockSeconds(std::span<const BenchmarkOutlook> outlooks, double elapsed) {
  double measured = 0;
  double blocks = 0;
  for (const BenchmarkOutlook& outlook : outlooks) {
    measured += outlook.seconds;
    blocks += static_cast<double>(outlook.blocks);
  }
  std::vector<double> seconds(outlooks.size(), blocks > 0 ? elapsed / blocks : 0);
  for (std::size_t i = 0; i < outlooks.size() && measured > 0; ++i) {
    const auto own = static_cast<double>(outlooks[i].blocks);
    if (own > 0) seconds[i] = outlooks[i].BlockSeconds() * (elapsed / measured);
  }
  return seconds;
}

// Returns whether the session waits for a comparison: for a gate without a decision, and for a
// placebo that is open, which has no decision of its own.
bool IsOpenGate(const Comparison& comparison) {
  if (comparison.control && comparison.role == ComparisonRole::kInfo) {
    return comparison.control == ControlState::kOpen && comparison.expected_blocks;
  }
  return comparison.role == ComparisonRole::kGate && !comparison.decided &&
         !IsOfLateGate(comparison.reason);
}

/// The effect by which a gate is judged: the relative change, or the difference if the margin is
/// absolute or there is no change.
struct Deciding {
  std::optional<double> estimate;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> margin;  ///< on the same scale
};

Deciding DecidingEffect(const Comparison& gate) {
  const bool absolute = gate.margin && gate.margin_kind != MarginKind::kRatio;
  const bool relative = gate.change && !absolute;
  Deciding deciding;
  if (absolute || relative) deciding.margin = gate.margin;
  const std::optional<Effect>& effect = relative ? gate.change : gate.difference;
  if (!effect) return deciding;
  deciding.estimate = effect->estimate;
  deciding.lo = effect->lo;
  deciding.hi = effect->hi;
  return deciding;
}

/// Returns the change at which a gate with this margin regresses. If the margin is negative, this
/// is an improvement.
double ThresholdOf(const Comparison& gate, double margin) {
  return gate.better == Better::kHigher ? -margin : margin;
}

/// Returns the change at which the gate is decided: of a control, the end of its margin that is
/// nearer to the estimate.
double NearestThreshold(const Comparison& gate, double margin, double estimate) {
  const double threshold = ThresholdOf(gate, margin);
  const bool other_end = gate.control && estimate * threshold < 0;
  return other_end ? -threshold : threshold;
}

/// Returns whether the interval is narrow enough for a meaningful forecast. The forecast depends on
/// the distance between estimate and margin. If the interval extends more than twice as far, this
/// distance is hardly two standard errors, and may be due to chance.
bool IsForetellable(const SessionSpec& spec, const Comparison& gate) {
  if (!gate.expected_blocks) return false;
  if (spec.limits.runs || spec.rule.kind == RuleKind::kPrecision) return true;
  const Deciding now = DecidingEffect(gate);
  if (!now.lo || !now.hi || !now.margin) return false;
  const double distance = NearestThreshold(gate, *now.margin, *now.estimate) - *now.estimate;
  const double reach = distance > 0 ? *now.hi - *now.estimate : *now.estimate - *now.lo;
  return reach <= 2 * std::abs(distance);
}

/// Forecasts the end of a session that measures its arms. Each benchmark takes as long as its last
/// open estimate.
void ForecastEstimates(std::span<const double> block,
                       const std::map<std::string_view, std::size_t>& numbers, double left,
                       Report& report) {
  std::vector<double> remaining(block.size(), 0);
  bool open = false;
  bool looked = false;
  for (Estimate& one : report.estimates) {
    if (!one.precise || *one.precise || one.reason == "missing") continue;
    open = true;
    looked = looked || (one.value && (one.value->lo || one.value->hi));
    const std::size_t number = numbers.at(one.benchmark);
    const double own = one.expected_blocks ? *one.expected_blocks * block[number] : kUnknown;
    remaining[number] = std::max(remaining[number], own);
    if (own <= left) one.eta = FromSeconds(own);
  }
  double all = 0;
  for (const double one : remaining) all += one;
  if (open && all <= left) report.eta = FromSeconds(all);
  if (looked && !report.eta) report.time_left = FromSeconds(left);
}

}  // namespace

void ForecastVerdict(const SessionSpec& spec, std::span<const BenchmarkOutlook> outlooks,
                     Report& report, const BenchmarkGroups& groups) {
  const bool begun = std::any_of(outlooks.begin(), outlooks.end(),
                                 [](const BenchmarkOutlook& one) { return one.blocks > 0; });
  if (!begun) return;
  const std::vector<double> block = BlockSeconds(outlooks, Seconds(report.elapsed));
  const double left = std::max(0.0, Seconds(spec.limits.max_time - report.elapsed));
  std::map<std::string_view, std::size_t> numbers;
  for (std::uint32_t i = 0; i < outlooks.size(); ++i) {
    numbers[spec.benchmarks[i].name] = groups.LeaderOf(i);
  }
  if (!report.estimates.empty()) return ForecastEstimates(block, numbers, left, report);

  std::vector<double> remaining(outlooks.size(), 0);
  bool open = false;
  for (const Comparison& gate : report.comparisons) {
    if (!IsOpenGate(gate)) continue;
    open = true;
    const std::size_t number = numbers.at(gate.benchmark);
    const double own =
        IsForetellable(spec, gate) ? *gate.expected_blocks * block[number] : kUnknown;
    remaining[number] = std::max(remaining[number], own);
  }
  for (Comparison& gate : report.comparisons) {
    if (!IsOpenGate(gate) || !IsForetellable(spec, gate)) continue;
    const std::size_t number = numbers.at(gate.benchmark);
    double eta = *gate.expected_blocks * block[number];
    for (std::size_t other = 0; other < remaining.size(); ++other) {
      // A benchmark that is nearer to its verdict runs first.
      if (other != number && remaining[other] < remaining[number]) eta += remaining[other];
    }
    if (eta <= left) gate.eta = FromSeconds(eta);
  }
  double all = 0;
  for (const double one : remaining) all += one;
  if (open && all <= left) report.eta = FromSeconds(all);
  const bool looked = std::ranges::any_of(report.comparisons, [](const Comparison& one) {
    const Deciding now = DecidingEffect(one);
    return one.role == ComparisonRole::kGate && !one.decided && (now.lo || now.hi);
  });
  if (looked && !report.eta) report.time_left = FromSeconds(left);
}

namespace {

// A reserve, because estimate and spread may change.
constexpr double kReserve = 1.5;

/// Returns by what factor the number of runs has to grow until the interval excludes the margin.
/// The width of the interval shrinks with the square root of the number. The estimate is assumed to
/// be correct, or the change to be 0 if the interval is still wider than the margin on either side,
/// whatever the sign of the margin.
std::optional<double> TimesTheRuns(const Comparison& gate, const Deciding& now) {
  if (!now.lo || !now.hi || !now.estimate || !now.margin) return std::nullopt;
  const double half = (*now.hi - *now.lo) / 2;
  const double size = std::abs(*now.margin);
  const double threshold = NearestThreshold(gate, *now.margin, *now.estimate);
  const double far = half > size ? size : std::abs(*now.estimate - threshold);
  return far > 0 ? std::optional(kReserve * half * half / (far * far)) : std::nullopt;
}

/// Returns by what factor the number of runs has to grow until the interval is as narrow as the
/// rule `precision` requires.
std::optional<double> TimesForWidth(const Deciding& now, double width) {
  if (!now.lo || !now.hi || !(width > 0)) return std::nullopt;
  const double shrink = (*now.hi - *now.lo) / width;
  return kReserve * shrink * shrink;
}

Forecast MoreRuns(Remedy remedy, std::uint64_t runs, double times) {
  const double wanted = std::ceil(static_cast<double>(runs) * times / 10) * 10;
  if (wanted > static_cast<double>(kMostBlocks)) return {.remedy = Remedy::kHardlyAny};
  return {.remedy = remedy, .seconds = {}, .runs = static_cast<std::uint64_t>(wanted)};
}

Forecast MoreLayouts(const Comparison& gate, double times) {
  const double wanted = std::max(static_cast<double>(kFewestLayouts),
                                 std::ceil(static_cast<double>(gate.n_candidate) * times));
  if (wanted > static_cast<double>(kMostLayouts)) return {.remedy = Remedy::kHardlyAny};
  return {
      .remedy = Remedy::kMoreLayouts, .seconds = {}, .runs = static_cast<std::uint64_t>(wanted)};
}

Forecast MoreTime(double seconds) {
  if (seconds > Seconds(kLongestDuration)) return {.remedy = Remedy::kHardlyAny};
  Forecast forecast{.remedy = Remedy::kMoreTime};
  if (seconds > 0) forecast.seconds = seconds;
  return forecast;
}

bool HasMeansAlone(const Report& report) {
  return std::ranges::find(report.warnings, "means_alone", &Warning::code) != report.warnings.end();
}

/// Returns whether a warning about the gate, or about all gates of its benchmark, already contains
/// the remedy.
bool IsWarnedOf(const Comparison& gate, const Report& report) {
  return std::ranges::any_of(report.warnings, [&gate](const Warning& warning) {
    return warning.severity == Severity::kInvalidates && warning.benchmark == gate.benchmark &&
           (warning.arm.empty() || warning.arm == gate.candidate);
  });
}

Forecast ForecastOf(const Comparison& gate, const SessionSpec& spec, DataSource source,
                    const Report& report) {
  constexpr double kHopeless = 50;
  const bool table = source == DataSource::kTable;
  const bool by_width = spec.rule.kind == RuleKind::kPrecision;
  // Only an interval of that width settles a gate, whatever its verdict.
  if (by_width && gate.decided) return {.remedy = Remedy::kNoneNeeded};
  const Deciding now = DecidingEffect(gate);
  const std::optional<double> times =
      by_width ? TimesForWidth(now, spec.rule.width) : TimesTheRuns(gate, now);
  const double at_least_twice = std::max(2.0, times.value_or(0));
  if (gate.method == Method::kLayouts) return MoreLayouts(gate, times.value_or(2));
  const bool known =
      now.lo && now.hi && now.margin && *now.hi - *now.lo <= 2 * std::abs(*now.margin);
  if (!by_width && known && (!times || *times > kHopeless)) return {.remedy = Remedy::kOtherMargin};
  if (table) return {.remedy = HasMeansAlone(report) ? Remedy::kSingleRounds : Remedy::kMoreRows};
  const std::uint64_t runs = std::min(gate.n_reference, gate.n_candidate);
  if (spec.limits.runs) return MoreRuns(Remedy::kMoreRuns, runs, at_least_twice);
  if (spec.limits.max_runs && runs >= *spec.limits.max_runs) {
    return MoreRuns(Remedy::kMoreMaxRuns, runs, at_least_twice);
  }
  return MoreTime(Seconds(report.elapsed) * at_least_twice);
}

}  // namespace

void ForecastGates(const SessionSpec& spec, DataSource source, Report& report) {
  // A regression also ends the first phase if the second does not confirm it.
  const bool regressed = report.verdict == Verdict::kRegression ||
                         std::ranges::any_of(report.comparisons, [](const Comparison& one) {
                           return one.confirmation.has_value();
                         });
  // Nor is a session whose control changed short of time: it has to be repeated.
  if (report.control_changed) {
    for (Comparison& gate : report.comparisons) gate.forecast.reset();
    return;
  }
  const bool stopped_early = source == DataSource::kSession && spec.limits.fail_fast && regressed;
  for (Comparison& gate : report.comparisons) {
    gate.forecast.reset();
    const bool open = gate.role == ComparisonRole::kGate && gate.verdict == Verdict::kUndecided;
    if (!open || stopped_early || !gate.reason.empty() || IsWarnedOf(gate, report)) continue;
    gate.forecast = ForecastOf(gate, spec, source, report);
  }
}

}  // namespace benchd
