#include "core/analysis/block_values.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/stats/resampling.h"

namespace benchd {
namespace {

constexpr std::size_t kKeysInAList = 20;

/// The descriptions of a run's metrics, which can be looked up by name.
class Descriptions {
 public:
  explicit Descriptions(std::span<const MetricInfo> infos) {
    for (const MetricInfo& info : infos) by_name_.emplace(info.name, &info);
  }

  /// Returns the description of `key` (INNER/NAME), or else that of NAME, or nullptr.
  const MetricInfo* Find(const std::string& key, const std::string& name) const {
    auto found = by_name_.find(key);
    if (found == by_name_.end()) found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string_view, const MetricInfo*> by_name_;
};

void Describe(KnownMetric& metric, const MetricInfo& info) {
  metric.unit = info.unit;
  metric.better = info.better;
  metric.resolution = info.resolution;
  metric.by_name_only = info.by_name_only;
}

}  // namespace

void CommonValue::Add(double value) {
  positive = positive && value > 0;
  least = any ? std::min(least, value) : value;
  if (!any) constant = value;
  if (constant != value) constant.reset();
  any = true;
}

std::size_t MetricCatalog::IdOf(const Sample& sample) {
  std::string_view key = sample.metric;
  if (!sample.inner_benchmark.empty()) {
    scratch_.assign(sample.inner_benchmark).append("/").append(sample.metric);
    key = scratch_;
  }
  if (const auto found = ids_.find(key); found != ids_.end()) return found->second;
  const std::size_t id = metrics_.size();
  KnownMetric metric;
  metric.key = key;
  metric.name = sample.metric;
  const bool may_be_builtin = of_benchd_ && sample.inner_benchmark.empty();
  if (const MetricInfo* builtin = may_be_builtin ? FindBuiltinMetric(sample.metric) : nullptr) {
    metric.builtin = true;
    Describe(metric, *builtin);
  }
  metrics_.push_back(std::move(metric));
  ids_.emplace(metrics_.back().key, id);
  return id;
}

void MetricCatalog::Learn(const Run& run, std::vector<std::size_t>& ids) {
  ids.clear();
  if (shown_.size() <= run.arm) shown_.resize(run.arm + std::size_t{1});
  const Descriptions descriptions(run.metrics);
  std::vector<bool> described(metrics_.size());
  for (const Sample& sample : run.samples) {
    const std::size_t known = metrics_.size();
    const std::size_t id = IdOf(sample);
    ids.push_back(id);
    KnownMetric& metric = metrics_[id];
    metric.all.Add(sample.value);
    if (is_later_) metric.later.Add(sample.value);
    described.resize(metrics_.size());
    if (described[id]) continue;
    described[id] = true;
    Take(sample, descriptions.Find(metric.key, sample.metric), id == known, id);
  }
  // The arm has had a run, even if the run does not have samples.
  std::vector<bool>& shown = shown_[run.arm];
  shown.resize(std::max<std::size_t>(metrics_.size(), 1));
  for (const std::size_t id : ids) shown[id] = true;
}

void MetricCatalog::Take(const Sample& sample, const MetricInfo* info, bool is_new,
                         std::size_t id) {
  if (info == nullptr) return;
  KnownMetric& metric = metrics_[id];
  if (metric.builtin) {
    // A table from another tool may have been measured with a coarser clock than that of this
    // machine.
    if (is_new) metric.resolution = std::max(metric.resolution, info->resolution);
    return;
  }
  if (is_new) {
    Describe(metric, *info);
  } else if (info->unit != metric.unit && !conflict_) {
    conflict_ = InvalidArgument("metric " + metric.key,
                                "printed in '" + metric.unit + "' and in '" + info->unit + "'",
                                "print " + sample.metric + " in one unit for every arm");
  }
  metric.by_name_only = metric.by_name_only && info->by_name_only;
  if (info->better) TakeDirection(*info->better, id);
  if (info->resolution > 0) {
    metric.resolution =
        metric.resolution > 0 ? std::min(metric.resolution, info->resolution) : info->resolution;
  }
}

void MetricCatalog::TakeDirection(Better printed, std::size_t id) {
  KnownMetric& metric = metrics_[id];
  if (!metric.printed) metric.printed = printed;
  if (!metric.better && id >= directions_held_) metric.better = printed;
  if (metric.printed == printed) return;
  const bool known = std::ranges::find(with_both_directions_, id) != with_both_directions_.end();
  if (!known) with_both_directions_.push_back(id);
}

bool MetricCatalog::ShownBy(std::size_t arm, std::size_t id) const {
  if (arm >= shown_.size() || shown_[arm].empty()) return true;
  return id < shown_[arm].size() && shown_[arm][id];
}

std::optional<std::size_t> MetricCatalog::Find(std::string_view key) const {
  const auto found = ids_.find(key);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::string MetricCatalog::ListOfKeys() const {
  std::string list;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    if (i == kKeysInAList) return list + ", ...";
    if (i > 0) list += ", ";
    list += metrics_[i].key;
  }
  return list.empty() ? "nothing" : list;
}

namespace {

/// The samples of one metric in one run.
struct MetricSamples {
  const Run& run;
  const std::vector<std::size_t>& ids;
  std::size_t metric;
  bool rate;
};

/// Returns the value of the run by subselections, or its mean if there is only one sample.
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
  constant_runs_ = constant_runs_ && run.constant();
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
        values.run_values_[place].push_back(
            {value, run_means[m].positive(), run.position, run_means[m].constant()});
      }
    }
  }
  return values;
}

std::optional<ArmValue> BlockValues::At(std::size_t arm, std::size_t metric) const {
  const MetricMean& mean = means_[arm * metrics_ + metric];
  if (mean.count() == 0 || mean.count() < runs_[arm]) return std::nullopt;
  return ArmValue{mean.Value(rates_[metric]), mean.positive(), 0, mean.constant()};
}

}  // namespace benchd
