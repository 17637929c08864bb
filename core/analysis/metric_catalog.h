#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/run.h"

namespace benchd {

/// A metric as it is compared: one of a harness' inner benchmarks has its own, named INNER/NAME.
struct KnownMetric {
  std::string key;  ///< NAME or INNER/NAME, what users write and read
  std::string unit;
  std::optional<Better> better;
  double resolution = 0;  ///< in `unit`, the finest seen so far; 0 = unknown
  bool builtin = false;
  bool positive = true;  ///< every value so far is > 0: what a ratio needs
  /// The value of every sample so far, absent when they differ.
  std::optional<double> constant = {};
};

/// Which metrics the runs of one benchmark have shown so far, in order of appearance.
///
/// Gives each a small number, so that a block's samples are sorted without comparing names again.
/// Unit and direction are those of the first appearance; the resolution follows the finest. What a
/// run says of a metric (Run::metrics) goes by INNER/NAME, else by NAME.
class MetricCatalog {
 public:
  /// @param of_benchd  names of built-in metrics mean those; else what the runs say they mean.
  explicit MetricCatalog(bool of_benchd = true) : of_benchd_(of_benchd) {}

  /// Takes the metrics of one run. On return ids[i] is the number of the metric of run.samples[i].
  void Learn(const Run& run, std::vector<std::size_t>& ids);

  const std::vector<KnownMetric>& metrics() const { return metrics_; }
  std::optional<std::size_t> Find(std::string_view key) const;
  /// Whether a run of that arm has shown the metric; true while the arm has no run.
  bool ShownBy(std::size_t arm, std::size_t id) const;
  /// A metric that one run printed in another unit than a run before: nothing can be compared.
  const std::optional<Error>& conflict() const { return conflict_; }
  /// What `--metric NAME:higher` says goes over what the metric itself says.
  void SetDirection(std::size_t id, Better better) { metrics_[id].better = better; }

  /// The keys for an error message, such as "wall_time, ns/op", the first twenty.
  std::string ListOfKeys() const;

 private:
  std::size_t IdOf(const Sample& sample);
  void Take(const Sample& sample, const MetricInfo* info, bool is_new, KnownMetric& metric);

  bool of_benchd_;
  std::vector<KnownMetric> metrics_;
  std::map<std::string, std::size_t, std::less<>> ids_;
  std::vector<std::vector<bool>> shown_;  // by arm, then by metric
  std::optional<Error> conflict_;
  std::string scratch_;
};

}  // namespace benchd
