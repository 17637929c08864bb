#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/metric.h"
#include "daemon/model/run.h"

namespace benchd {

/// A metric as it is compared: one of a harness' inner benchmarks has its own, named INNER/NAME.
struct KnownMetric {
  std::string key;  ///< NAME or INNER/NAME, what users write and read
  std::string unit;
  std::optional<Better> better;
  double resolution = 0;  ///< in `unit`, the finest seen so far; 0 = unknown
  bool builtin = false;
};

/// Which metrics the runs of one benchmark have shown so far, in order of appearance.
///
/// Gives each a small number, so that a block's samples are sorted without comparing names again.
/// Unit and direction are those of the first appearance; the resolution follows the finest.
class MetricCatalog {
 public:
  /// Takes the metrics of one run. On return ids[i] is the number of the metric of run.samples[i].
  void Learn(const Run& run, std::vector<std::size_t>& ids);

  const std::vector<KnownMetric>& metrics() const { return metrics_; }
  std::optional<std::size_t> Find(std::string_view key) const;
  /// What `--metric NAME:higher` says goes over what the metric itself says.
  void SetDirection(std::size_t id, Better better) { metrics_[id].better = better; }

  /// The keys for an error message, such as "wall_time, ns/op", the first twenty.
  std::string ListOfKeys() const;

 private:
  std::size_t IdOf(const Sample& sample);

  std::vector<KnownMetric> metrics_;
  std::map<std::string, std::size_t, std::less<>> ids_;
  std::string scratch_;
};

}  // namespace benchd
