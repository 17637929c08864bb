#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The samples inside the first runs of each arm, of metrics that gate and have several a run (as
/// harnesses print them), kept to ask whether the runs resemble each other.
///
/// Bounded: what it keeps, and so what Check() computes, does not grow with the session.
class KeptRuns {
 public:
  static constexpr std::size_t kRuns = 10;      ///< of an arm and metric
  static constexpr std::size_t kValues = 3000;  ///< of a run, its first
  static constexpr std::size_t kInAll = 1'000'000;

  /// @param ids      the metric of each sample of the run.
  /// @param is_gate  by metric.
  void Add(const Run& run, std::span<const std::size_t> ids, const std::vector<bool>& is_gate);

  /// What the runs of each arm and metric say of each other: `dissimilar_runs` (the message names
  /// them), `spikes` where they differ by these only, `warmup_inside`. Advice, as CheckData(). Runs
  /// that noise alone tells apart are not named: by no pair's Kolmogorov-Smirnov statistic, and no
  /// run's order, at `level` shared among them.
  /// Nothing below 50 values a run, but for `warmup_inside`: 10. Runs of unequal length are cut to
  /// the shortest. `level`: how often a test may err. Some 50 ms for an arm of 10
  /// runs of 3000 values.
  std::vector<Warning> Check(const Benchmark& benchmark, const MetricCatalog& catalog,
                             double level) const;

 private:
  using Key = std::pair<std::size_t, std::uint32_t>;  // metric, arm
  std::map<Key, std::vector<std::vector<double>>> runs_;
  std::size_t kept_ = 0;
  std::vector<std::vector<double>> of_metric_;  // of the run that is added
};

}  // namespace benchd
