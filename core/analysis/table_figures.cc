#include "core/analysis/table_figures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/effect_estimator.h"
#include "core/base/try.h"
#include "core/model/session_spec.h"
#include "core/stats/descriptive.h"
#include "core/stats/histogram.h"
#include "core/stats/mmtests.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

BestEnd BestOf(const MetricInfo& metric) {
  return metric.better == Better::kHigher ? BestEnd::kHighest : BestEnd::kLowest;
}

/// One metric of one benchmark, with the values of the arms.
struct Place {
  Place(const TablePlan& plan, const TableValues& values, std::size_t b, std::size_t slot)
      : spec(plan.spec.benchmarks[b]), metric(plan.metrics[plan.benchmarks[b].metrics[slot]]) {
    for (std::size_t arm = 0; arm < spec.arms.size(); ++arm) {
      arms.push_back(values.Of(b, slot, arm));
    }
  }

  const Benchmark& spec;
  const MetricInfo& metric;
  std::vector<std::vector<double>> arms;
};

std::optional<ArmSummary> SummaryOf(const Place& place, std::size_t arm) {
  const MetricInfo& metric = place.metric;
  const Result<Summary> summary = Summarize(place.arms[arm]);
  const Result<MmtestsFigures> figures = FiguresOf(place.arms[arm], BestOf(metric));
  if (!summary || !figures) return std::nullopt;
  ArmSummary one;
  one.benchmark = place.spec.name;
  one.metric = metric.name;
  one.unit = metric.unit;
  one.arm = place.spec.arms[arm].name;
  one.better = metric.better;
  one.n = summary->n;
  one.min = summary->min;
  one.lower_quartile = summary->lower_quartile;
  one.median = summary->median;
  one.upper_quartile = summary->upper_quartile;
  one.max = summary->max;
  one.mean = figures->mean;
  one.standard_deviation = figures->standard_deviation;
  one.variation = figures->variation;
  one.best_mean = figures->best_mean;
  return one;
}

std::vector<std::string> Starred(const Place& place, std::size_t arm, StarRule rule) {
  std::vector<std::string> starred;
  if (place.spec.arms[arm].role == ArmRole::kReference) return starred;
  for (const std::size_t reference : ArmsWithRole(place.spec, ArmRole::kReference)) {
    const Result<bool> star =
        HasStar(place.arms[arm], place.arms[reference], BestOf(place.metric), rule);
    if (star && *star) starred.push_back(place.spec.arms[reference].name);
  }
  return starred;
}

void AddHistograms(const Place& place, std::vector<ArmHistogram>& to) {
  const std::vector<std::span<const double>> values(place.arms.begin(), place.arms.end());
  const Result<Histogram> common =
      CountInCommonBins(values, place.metric.resolution, kMostTableBins);
  if (!common) return;
  for (std::size_t arm = 0; arm < values.size(); ++arm) {
    if (values[arm].empty()) continue;
    to.push_back({place.spec.name, place.metric.name, place.metric.unit, place.spec.arms[arm].name,
                  common->edges, common->counts[arm]});
  }
}

/// Calls `visit` for every benchmark and metric.
template <typename Visit>
void ForEachPlace(const TablePlan& plan, const TableValues& values, Visit visit) {
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    for (std::size_t slot = 0; slot < plan.benchmarks[b].metrics.size(); ++slot) {
      visit(Place{plan, values, b, slot});
    }
  }
}

/// Finds the subject of a comparison by name.
class Index {
 public:
  explicit Index(const TablePlan& plan) {
    for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
      benchmarks_[plan.spec.benchmarks[b].name] = b;
    }
    slots_.resize(plan.benchmarks.size());
    arms_.resize(plan.benchmarks.size());
    for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
      const std::vector<std::size_t>& metrics = plan.benchmarks[b].metrics;
      for (std::size_t s = 0; s < metrics.size(); ++s) slots_[b][plan.metrics[metrics[s]].name] = s;
      const std::vector<Arm>& arms = plan.spec.benchmarks[b].arms;
      for (std::size_t a = 0; a < arms.size(); ++a) arms_[b][arms[a].name] = a;
    }
  }

  Result<ClassicInterval> Classic(const Comparison& one, const TableValues& values,
                                  double alpha) const {
    const std::size_t b = benchmarks_.at(one.benchmark);
    const std::size_t slot = slots_[b].at(one.metric);
    return ClassicWelchInterval(MomentsOf(values.Of(b, slot, arms_[b].at(one.reference))),
                                MomentsOf(values.Of(b, slot, arms_[b].at(one.candidate))), alpha);
  }

 private:
  std::map<std::string, std::size_t> benchmarks_;
  std::vector<std::map<std::string, std::size_t>> slots_;
  std::vector<std::map<std::string, std::size_t>> arms_;
};

/// Returns nothing if the values are so large that the estimate is not finite.
std::optional<Effect> ShownEffect(double estimate, const Interval& interval) {
  if (!IfFinite(estimate)) return std::nullopt;
  return Effect{estimate, IfFinite(interval.lo), IfFinite(interval.hi)};
}

}  // namespace

TableValues::TableValues(const MeasurementTable& table, const TablePlan& plan)
    : table_(table), plan_(plan), rows_(plan.benchmarks.size()) {
  for (std::size_t b = 0; b < rows_.size(); ++b)
    rows_[b].resize(plan.spec.benchmarks[b].arms.size());
  for (std::uint32_t row = 0; row < table.rows(); ++row) {
    const std::optional<std::size_t> b = plan.BenchmarkOf(table, row);
    if (b) rows_[*b][*plan.benchmarks[*b].arms[table.arm[row]]].push_back(row);
  }
}

std::vector<double> TableValues::Of(std::size_t benchmark, std::size_t slot,
                                    std::size_t arm) const {
  const std::vector<double>& column = table_.values[plan_.benchmarks[benchmark].metrics[slot]];
  std::vector<double> values;
  for (const std::uint32_t row : rows_[benchmark][arm]) {
    if (!std::isnan(column[row])) values.push_back(column[row]);
  }
  return values;
}

std::vector<ArmSummary> Summaries(const TablePlan& plan, const TableValues& values,
                                  bool mmtests_stars) {
  const StarRule rule = mmtests_stars ? StarRule::kMmtests : StarRule::kWelch;
  std::vector<ArmSummary> summaries;
  ForEachPlace(plan, values, [&](const Place& place) {
    for (std::size_t arm = 0; arm < place.arms.size(); ++arm) {
      std::optional<ArmSummary> one = SummaryOf(place, arm);
      if (!one) continue;  // the arm has no values
      one->starred = Starred(place, arm, rule);
      summaries.push_back(std::move(*one));
    }
  });
  return summaries;
}

std::vector<ArmHistogram> Histograms(const TablePlan& plan, const TableValues& values) {
  std::vector<ArmHistogram> histograms;
  ForEachPlace(plan, values,
               [&histograms](const Place& place) { AddHistograms(place, histograms); });
  return histograms;
}

void ApplyClassicIntervals(const TablePlan& plan, const TableValues& values, Report& report) {
  const Index index(plan);
  const double alpha = plan.spec.sided == Sided::kOne ? 2 * plan.spec.alpha : plan.spec.alpha;
  for (Comparison& one : report.comparisons) {
    one.confidence = 1 - plan.spec.alpha;
    one.change.reset();
    one.difference.reset();
    const Result<ClassicInterval> classic = index.Classic(one, values, alpha);
    if (!classic) {
      report.warnings.push_back(MakeWarning("no_classic_interval",
                                            one.metric + " of " + one.candidate + " against " +
                                                one.reference + ": " + classic.error().message,
                                            one.benchmark, one.candidate));
      continue;
    }
    const auto& [difference, difference_interval, change, change_interval] = *classic;
    one.change = ShownEffect(change, change_interval);
    one.difference = ShownEffect(difference.centre, difference_interval);
  }
}

namespace {

constexpr double kFarOut = 4;  // in interquartile ranges
constexpr std::size_t kMostBinsOfPicture = 50;
constexpr std::size_t kDensityCells = 120;

void AddDensity(std::span<const double> values, double resolution, const ValueEnds& ends,
                ArmDistribution* to) {
  const Result<double> bandwidth = SilvermanBandwidth(values);
  if (!bandwidth || *bandwidth <= resolution) return;
  auto curve = KernelDensity(values, *bandwidth, ends.first, ends.second, kDensityCells);
  if (!curve) return;
  to->x = std::move(curve->x);
  to->density = std::move(curve->y);
}

}  // namespace

std::optional<ValueEnds> OutlierFences(std::span<const double> values) {
  const Result<TukeyFences> fences = FindOutliers(values);
  return fences ? std::optional(ValueEnds{fences->low, fences->high}) : std::nullopt;
}

std::optional<ValueEnds> UsualRange(std::span<const std::span<const double>> arms) {
  std::optional<ValueEnds> range;
  for (const std::span<const double> arm : arms) {
    const Result<TukeyFences> fences = FindOutliers(arm);
    if (!fences) continue;
    const double reach = kFarOut * (fences->upper_quartile - fences->lower_quartile);
    auto [low, high] = std::ranges::minmax(arm);
    // If the quartiles are equal, there is no scale for the distance.
    if (reach > 0) low = std::max(low, fences->lower_quartile - reach);
    if (reach > 0) high = std::min(high, fences->upper_quartile + reach);
    if (!range) range = {low, high};
    range = {std::min(range->first, low), std::max(range->second, high)};
  }
  return range;
}

double Distributions::Height(std::size_t arm, std::size_t bin) const {
  const double width = edges[bin + 1] - edges[bin];
  return static_cast<double>(arms[arm].counts[bin]) / static_cast<double>(arms[arm].n) /
         (width > 0 ? width : 1);
}

double Distributions::Highest() const {
  double highest = 0;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    for (std::size_t bin = 0; bin < arms[arm].counts.size(); ++bin) {
      highest = std::max(highest, Height(arm, bin));
    }
    for (const double density : arms[arm].density) highest = std::max(highest, density);
  }
  return highest;
}

Result<Distributions> DistributeValues(std::span<const std::span<const double>> arms,
                                       double resolution) {
  Distributions all;
  const ValueEnds range = UsualRange(arms).value_or(ValueEnds{});
  std::vector<std::vector<double>> inside(arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    ArmDistribution& arm = all.arms.emplace_back();
    arm.n = arms[i].size();
    arm.mean = MomentsOf(arms[i]).mean();
    for (const double value : arms[i]) {
      const bool below = value < range.first;
      const bool above = value > range.second;
      arm.below += below ? 1 : 0;
      arm.above += above ? 1 : 0;
      if (!below && !above) inside[i].push_back(value);
    }
  }
  const std::vector<std::span<const double>> kept(inside.begin(), inside.end());
  TRY(Histogram bins, CountInCommonBins(kept, resolution, kMostBinsOfPicture));
  all.edges = std::move(bins.edges);
  for (std::size_t i = 0; i < arms.size(); ++i) {
    all.arms[i].counts = std::move(bins.counts[i]);
    AddDensity(arms[i], resolution, {all.edges.front(), all.edges.back()}, &all.arms[i]);
  }
  return all;
}

}  // namespace benchd
