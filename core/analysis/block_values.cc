#include "core/analysis/block_values.h"

#include <utility>

#include "core/base/result.h"
#include "core/stats/resampling.h"

namespace benchd {
namespace {

/// The samples of one metric in one run.
struct MetricSamples {
  const Run& run;
  const std::vector<std::size_t>& ids;
  std::size_t metric;
  bool rate;
};

/// The run's value by subselections; its mean where there is but one sample.
double Subselected(const MetricSamples& of, double mean, std::uint64_t seed, std::uint64_t number) {
  std::vector<double> samples;
  bool positive = true;
  for (std::size_t s = 0; s < of.run.samples.size(); ++s) {
    if (of.ids[s] != of.metric) continue;
    samples.push_back(of.run.samples[s].value);
    positive = positive && samples.back() > 0;
  }
  if (samples.size() < 2) return mean;
  const MeanKind kind = of.rate && positive ? MeanKind::kHarmonic : MeanKind::kArithmetic;
  const Result<double> selected = SubselectedMean(samples, kind, seed, number);
  return selected ? *selected : mean;
}

}  // namespace

void MetricMean::Add(double value) {
  if (count_ == 0) first_ = value;
  ++count_;
  const auto n = static_cast<double>(count_);
  equal_ = equal_ && value == first_;
  positive_ = positive_ && value > 0;
  mean_ += (value - mean_) / n;
  if (positive_) inverse_mean_ += (1 / value - inverse_mean_) / n;
}

void MetricMean::AddRun(const MetricMean& run, double value) {
  Add(value);
  positive_ = positive_ && run.positive_;
}

double MetricMean::Value(bool rate) const {
  if (equal_) return first_;
  return rate && positive_ ? 1 / inverse_mean_ : mean_;
}

BlockValues::BlockValues(std::size_t arms, std::size_t metrics)
    : metrics_(metrics), means_(arms * metrics), runs_(arms), rates_(metrics) {}

Result<BlockValues> BlockValues::Collapse(std::span<const Run* const> block,
                                          std::span<const std::vector<std::size_t>> ids,
                                          const MetricCatalog& catalog, std::size_t arms,
                                          const RunCollapse& collapse) {
  const std::vector<KnownMetric>& metrics = catalog.metrics();
  BlockValues values(arms, metrics.size());
  if (collapse.keep_runs) values.run_values_.resize(values.means_.size());
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    values.rates_[m] = metrics[m].better == Better::kHigher;
  }
  std::vector<MetricMean> run_means(metrics.size());
  for (std::size_t r = 0; r < block.size(); ++r) {
    const Run& run = *block[r];
    ++values.runs_[run.arm];
    run_means.assign(metrics.size(), MetricMean());
    for (std::size_t s = 0; s < run.samples.size(); ++s) {
      run_means[ids[r][s]].Add(run.samples[s].value);
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (run_means[m].count() == 0) continue;
      if (metrics[m].builtin && run_means[m].count() > 1) {
        return InvalidArgument("metric " + metrics[m].key,
                               "the program printed a value under the name of a built-in metric",
                               "print it under another name");
      }
      double value = run_means[m].Value(values.rates_[m]);
      if (collapse.subselect) {
        value = Subselected({run, ids[r], m, values.rates_[m]}, value, collapse.seed,
                            collapse.first_run + r);
      }
      const std::size_t place = run.arm * metrics.size() + m;
      values.means_[place].AddRun(run_means[m], value);
      if (collapse.keep_runs) {
        values.run_values_[place].push_back({value, run_means[m].positive(), run.position});
      }
    }
  }
  return values;
}

std::optional<ArmValue> BlockValues::At(std::size_t arm, std::size_t metric) const {
  const MetricMean& mean = means_[arm * metrics_ + metric];
  if (mean.count() == 0 || mean.count() < runs_[arm]) return std::nullopt;
  return ArmValue{mean.Value(rates_[metric]), mean.positive()};
}

}  // namespace benchd
