#include "core/analysis/calibration_outlook.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string_view>

#include "core/analysis/visible_change.h"
#include "core/base/time.h"
#include "core/base/try.h"
#include "core/stats/decision.h"

namespace benchd {
namespace {

constexpr std::string_view kWallTime = "wall_time";
constexpr std::string_view kCpuTime = "cpu_time";
constexpr std::array<std::string_view, 3> kStated = {kWallTime, kCpuTime, "instructions"};

// A reserve for the time and the runs, because spread and machine may change.
constexpr double kLimitsReserve = 1.5;
// cpu_time is recommended only if it is at least this many times finer than wall_time.
constexpr double kMuchFiner = 2;
// Below this share of CPU time, a program waits, and a change of its waiting is not CPU time.
constexpr double kComputes = 0.5;
constexpr double kNoNumber = std::numeric_limits<double>::infinity();

// Changes below 1 % come as easily from the layout of the code in memory (docs/layouts.md).
constexpr std::array kRoundMargins = {0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08,
                                      0.1,  0.12,  0.15, 0.2,   0.25, 0.3,  0.4,  0.5};

/// A benchmark of the calibration.
struct Calibrated {
  std::map<std::string_view, const Comparison*> metrics;
  double pairs = 0;
  double pair_seconds = 0;  ///< time per pair, with what lies between the runs

  const Comparison* Find(std::string_view metric) const {
    const auto found = metrics.find(metric);
    return found == metrics.end() ? nullptr : found->second;
  }
};

double CountPairs(const Comparison& comparison) {
  return static_cast<double>(std::min(comparison.n_reference, comparison.n_candidate));
}

double MeanOfArms(const Comparison* comparison) {
  if (comparison == nullptr || !comparison->mean_reference) return 0;
  return (*comparison->mean_reference +
          comparison->mean_candidate.value_or(*comparison->mean_reference)) /
         2;
}

/// Divides the elapsed time among the pairs, by the wall time of each benchmark if all have one.
void ShareTime(double elapsed, std::span<Calibrated> benchmarks) {
  const bool timed = std::ranges::all_of(
      benchmarks, [](const Calibrated& one) { return MeanOfArms(one.Find(kWallTime)) > 0; });
  const auto weight = [timed](const Calibrated& one) {
    return timed ? MeanOfArms(one.Find(kWallTime)) : 1;
  };
  double all = 0;
  for (const Calibrated& one : benchmarks) all += one.pairs * weight(one);
  for (Calibrated& one : benchmarks) one.pair_seconds = all > 0 ? elapsed * weight(one) / all : 0;
}

std::vector<Calibrated> BenchmarksOf(const SelfComparison& calibration) {
  std::vector<Calibrated> benchmarks;
  std::map<std::string_view, std::size_t> numbers;
  for (const Comparison& comparison : calibration.comparisons) {
    const auto [at, added] = numbers.emplace(comparison.benchmark, benchmarks.size());
    if (added) benchmarks.emplace_back();
    Calibrated& benchmark = benchmarks[at->second];
    benchmark.metrics.emplace(comparison.metric, &comparison);
    benchmark.pairs = std::max(benchmark.pairs, CountPairs(comparison));
  }
  ShareTime(calibration.elapsed_seconds, benchmarks);
  return benchmarks;
}

/// The distance on the log scale between no change and the margin.
std::optional<double> DistanceOf(const Comparison& gate) {
  if (!gate.margin) return std::nullopt;
  if (gate.margin_kind == MarginKind::kRatio) {
    return std::abs(gate.better == Better::kHigher ? RateThreshold(*gate.margin)
                                                   : LowerIsBetterThreshold(*gate.margin));
  }
  const double mean = std::abs(MeanOfArms(&gate));
  return mean > 0 ? std::optional(std::log1p(std::abs(*gate.margin) / mean)) : std::nullopt;
}

/// The number of pairs that one gate needs.
struct Need {
  const Comparison* gate = nullptr;
  std::size_t benchmark = 0;
  double pairs = kNoNumber;  ///< infinite if no number suffices
  bool never = false;        ///< the margin is within the steps of the metric
};

class PlannedSession {
 public:
  PlannedSession(const SelfComparison& calibration, const SequentialDesign& calibrated,
                 const SequentialDesign& planned, const SessionSpec& spec)
      : calibrated_(calibrated),
        planned_(planned),
        seconds_(Seconds(spec.limits.max_time)),
        benchmarks_(BenchmarksOf(calibration)) {
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      for (const auto& [metric, comparison] : benchmarks_[i].metrics) {
        if (comparison->role == ComparisonRole::kGate) gates_.push_back({comparison, i});
      }
    }
  }

  CalibrationOutlook Describe() const {
    CalibrationOutlook outlook{.planned_seconds = seconds_,
                               .planned_runs = planned_.BlockLimit(),
                               .benchmarks = benchmarks_.size()};
    for (const Calibrated& one : benchmarks_) {
      outlook.interval_seconds += one.pair_seconds * static_cast<double>(calibrated_.first_look);
    }
    for (const std::string_view metric : kStated) AddVisible(WithMetric(metric), outlook);
    if (!GatesAreTimes()) AddVisible(gates_, outlook);
    outlook.recommended = Recommend(outlook.visible);
    AddOpen(outlook);
    return outlook;
  }

 private:
  struct Subject {
    const Comparison* comparison = nullptr;
    std::size_t benchmark = 0;
  };
  using Subjects = std::vector<Subject>;

  /// Returns the comparisons of a metric that every benchmark has; none if one of them lacks it.
  Subjects WithMetric(std::string_view metric) const {
    Subjects subjects;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      if (const Comparison* const found = benchmarks_[i].Find(metric)) {
        subjects.push_back({found, i});
      }
    }
    return subjects.size() == benchmarks_.size() ? subjects : Subjects();
  }

  bool GatesAreTimes() const {
    return std::ranges::all_of(gates_, [](const Subject& gate) {
      return gate.comparison->metric == kWallTime || gate.comparison->metric == kCpuTime;
    });
  }

  /// Returns the name that all have, or an empty one.
  static std::string CommonMetric(const Subjects& subjects) {
    const std::string& first = subjects.front().comparison->metric;
    const bool same = std::ranges::all_of(
        subjects, [&first](const Subject& one) { return one.comparison->metric == first; });
    return same ? first : std::string();
  }

  /// The looks if these comparisons were all the gates.
  PlannedLooks LooksAt(std::size_t gates) const {
    return {planned_, planned_.alpha / static_cast<double>(std::max<std::size_t>(1, gates))};
  }

  /// Returns the number of pairs of a benchmark that has an equal share of the time.
  std::uint64_t SharedPairs(const Calibrated& benchmark) const {
    const double share = seconds_ / static_cast<double>(benchmarks_.size());
    const double pairs = benchmark.pair_seconds > 0 ? share / benchmark.pair_seconds : kNoNumber;
    const auto limit = static_cast<double>(planned_.BlockLimit().value_or(kMostBlocks));
    if (planned_.fixed_blocks && pairs < limit) return 0;  // the one look would not come
    return static_cast<std::uint64_t>(std::min(pairs, limit));
  }

  void AddVisible(const Subjects& subjects, CalibrationOutlook& outlook) const {
    if (subjects.empty()) return;
    const PlannedLooks looks = LooksAt(subjects.size());
    VisibleMetric visible{.metric = CommonMetric(subjects)};
    const bool stated = std::ranges::any_of(outlook.visible, [&visible](const VisibleMetric& one) {
      return one.metric == visible.metric;
    });
    if (stated) return;
    for (const Subject& one : subjects) {
      const auto spread = SpreadOf(*one.comparison, calibrated_);
      if (!spread) continue;
      const auto distance = looks.VisibleAt(*spread, SharedPairs(benchmarks_[one.benchmark]));
      if (!distance) continue;
      VisibleChange change{one.comparison->benchmark, std::expm1(*distance)};
      if (visible.benchmarks == 0 || change.change < visible.least.change) visible.least = change;
      if (visible.benchmarks == 0 || change.change > visible.most.change) visible.most = change;
      ++visible.benchmarks;
    }
    if (visible.benchmarks > 0) outlook.visible.push_back(std::move(visible));
  }

  /// Returns whether the programs compute rather than wait, in every benchmark.
  bool Compute() const {
    return std::ranges::all_of(benchmarks_, [](const Calibrated& one) {
      const double wall = MeanOfArms(one.Find(kWallTime));
      return wall > 0 && MeanOfArms(one.Find(kCpuTime)) >= kComputes * wall;
    });
  }

  /// Returns what the recommended gates are.
  Subjects RecommendedSubjects(std::span<const VisibleMetric> visible) const {
    if (!GatesAreTimes()) return gates_;
    const auto find = [visible](std::string_view metric) {
      return std::ranges::find(visible, metric, &VisibleMetric::metric);
    };
    const auto wall = find(kWallTime);
    const auto cpu = find(kCpuTime);
    const bool finer = wall != visible.end() && cpu != visible.end() && Compute() &&
                       kMuchFiner * cpu->most.change <= wall->most.change;
    const bool asked = !gates_.empty() && CommonMetric(gates_) == kCpuTime;
    return WithMetric(finer || asked ? kCpuTime : kWallTime);
  }

  std::optional<RecommendedGate> Recommend(std::span<const VisibleMetric> visible) const {
    const Subjects subjects = RecommendedSubjects(visible);
    if (subjects.empty()) return std::nullopt;
    const PlannedLooks looks = LooksAt(subjects.size());
    std::vector<PairSpread> spreads;
    for (const Subject& one : subjects) {
      const auto spread = SpreadOf(*one.comparison, calibrated_);
      if (!spread) return std::nullopt;
      spreads.push_back(*spread);
    }
    for (const double margin : kRoundMargins) {
      std::vector<Need> needs;
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        needs.push_back(NeedOf(subjects[i], looks, spreads[i], std::log1p(margin)));
      }
      if (Fits(needs)) return RecommendedGate{CommonMetric(subjects), margin};
    }
    return std::nullopt;
  }

  static Need NeedOf(const Subject& subject, const PlannedLooks& looks, const PairSpread& spread,
                     double distance) {
    Need need{.gate = subject.comparison, .benchmark = subject.benchmark};
    if (const auto pairs = looks.PairsFor(spread, distance)) {
      need.pairs = static_cast<double>(*pairs);
    }
    need.never = !(distance > spread.allowance);
    return need;
  }

  /// Returns the pairs that each benchmark runs until its last gate is decided.
  std::vector<double> PairsOfBenchmarks(std::span<const Need> needs) const {
    std::vector<double> pairs(benchmarks_.size(), 0);
    for (const Need& need : needs) {
      pairs[need.benchmark] = std::max(pairs[need.benchmark], need.pairs);
    }
    if (planned_.fixed_blocks) {
      std::ranges::fill(pairs, static_cast<double>(*planned_.fixed_blocks));
    }
    return pairs;
  }

  double SecondsOf(std::span<const double> pairs) const {
    double seconds = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) seconds += pairs[i] * SecondsPerPair(i);
    return seconds;
  }

  // A benchmark whose runs take no time is not free if no number of pairs suffices.
  double SecondsPerPair(std::size_t benchmark) const {
    return std::max(benchmarks_[benchmark].pair_seconds, 1e-9);
  }

  bool WithinRuns(double pairs, double reserve) const {
    const auto limit = planned_.BlockLimit();
    return !limit || pairs * reserve <= static_cast<double>(*limit);
  }

  bool Fits(std::span<const Need> needs) const {
    for (const Need& need : needs) {
      if (!std::isfinite(need.pairs) || !WithinRuns(need.pairs, kLimitsReserve)) return false;
    }
    return SecondsOf(PairsOfBenchmarks(needs)) * kLimitsReserve <= seconds_;
  }

  /// Returns whether a gate is expected to be open at the end. A benchmark that is nearer to its
  /// verdict runs first (session/schedule.h).
  bool IsOpen(const Need& need, std::span<const double> pairs) const {
    if (!std::isfinite(need.pairs) || !WithinRuns(need.pairs, 1)) return true;
    const double own = pairs[need.benchmark] * SecondsPerPair(need.benchmark);
    double until = need.pairs * SecondsPerPair(need.benchmark);
    if (planned_.fixed_blocks) until = own;
    for (std::size_t other = 0; other < pairs.size(); ++other) {
      const double seconds = pairs[other] * SecondsPerPair(other);
      if (other != need.benchmark && seconds < own) until += seconds;
    }
    return until > seconds_;
  }

  /// Returns the needs of all gates whose noise is known.
  std::vector<Need> NeedsOfGates(double probability) const {
    std::vector<Need> needs;
    for (const Subject& gate : gates_) {
      const auto spread = SpreadOf(*gate.comparison, calibrated_);
      const auto distance = DistanceOf(*gate.comparison);
      if (!spread || !distance) continue;
      const PlannedLooks looks(planned_, 1 - gate.comparison->confidence, probability);
      needs.push_back(NeedOf(gate, looks, *spread, *distance));
    }
    return needs;
  }

  /// Adds the gates that are more likely to remain open than not, and what would decide them.
  void AddOpen(CalibrationOutlook& outlook) const {
    const std::vector<Need> expected = NeedsOfGates(kExpectedProbability);
    outlook.unknown = gates_.size() - expected.size();
    const std::vector<double> pairs = PairsOfBenchmarks(expected);
    std::vector<Need> open;
    for (const Need& need : expected) {
      if (IsOpen(need, pairs)) open.push_back(need);
    }
    if (open.empty()) return;
    outlook.needed = NeededFor(NeedsOfGates(kVisibleProbability));
    std::ranges::stable_sort(open, std::ranges::greater(), [this](const Need& need) {
      return need.pairs * SecondsPerPair(need.benchmark);
    });
    for (const Need& need : open) CountOpen(*need.gate, outlook.open);
    for (const Subject& gate : gates_) {
      for (OpenGates& group : outlook.open) {
        group.gates += IsOfGroup(*gate.comparison, group) ? 1 : 0;
      }
    }
  }

  static bool IsOfGroup(const Comparison& gate, const OpenGates& group) {
    return gate.metric == group.metric && gate.margin == group.margin &&
           gate.margin_kind == group.margin_kind;
  }

  static void CountOpen(const Comparison& gate, std::vector<OpenGates>& groups) {
    auto group = std::ranges::find_if(
        groups, [&gate](const OpenGates& one) { return IsOfGroup(gate, one); });
    if (group == groups.end()) {
      groups.push_back({.metric = gate.metric,
                        .margin = gate.margin,
                        .margin_kind = gate.margin_kind,
                        .unit = gate.unit,
                        .benchmark = gate.benchmark});
      group = groups.end() - 1;
    }
    ++group->open;
  }

  /// Returns what it takes to decide all gates, with the reserve.
  Forecast NeededFor(std::span<const Need> needs) const {
    if (std::ranges::any_of(needs, &Need::never)) return {.remedy = Remedy::kOtherMargin};
    double most = 0;
    for (const Need& need : needs) most = std::max(most, need.pairs);
    std::vector<double> pairs = PairsOfBenchmarks(needs);
    if (planned_.fixed_blocks) std::ranges::fill(pairs, most);
    const double seconds = SecondsOf(pairs) * kLimitsReserve;
    const double runs = std::ceil(most * kLimitsReserve / 10) * 10;
    if (!(seconds <= Seconds(kLongestDuration)) || runs > static_cast<double>(kMostBlocks)) {
      return {.remedy = Remedy::kHardlyAny};
    }
    Forecast needed{.remedy = Remedy::kMoreTime};
    if (!WithinRuns(most, 1)) {
      needed.remedy = planned_.last_block ? Remedy::kMoreMaxRuns : Remedy::kMoreRuns;
      needed.runs = static_cast<std::uint64_t>(runs);
    }
    if (seconds > seconds_) needed.seconds = seconds;
    return needed;
  }

  const SequentialDesign& calibrated_;
  const SequentialDesign& planned_;
  double seconds_;
  std::vector<Calibrated> benchmarks_;
  Subjects gates_;
};

}  // namespace

Result<CalibrationOutlook> ForecastFrom(const SelfComparison& calibration,
                                        const SessionSpec& planned) {
  TRY(const SequentialDesign of_calibration, MakeSequentialDesign(calibration.spec));
  TRY(const SequentialDesign of_planned, MakeSequentialDesign(planned));
  const PlannedSession session(calibration, of_calibration, of_planned, planned);
  CalibrationOutlook outlook = session.Describe();
  outlook.measured_seconds = calibration.elapsed_seconds;
  return outlook;
}

}  // namespace benchd
