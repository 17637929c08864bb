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

/// The samples inside the first runs of each arm, for gating metrics that have several per run (as
/// harnesses print them). They show whether the runs resemble each other.
///
/// Bounded: neither its memory nor the time of Check() grows with the session.
class KeptRuns {
 public:
  static constexpr std::size_t kRuns = 10;      ///< per arm and metric
  static constexpr std::size_t kValues = 3000;  ///< per run, the first ones
  static constexpr std::size_t kInAll = 1'000'000;

  /// @param ids      the metric of each sample of the run.
  /// @param is_gate  by metric.
  void Add(const Run& run, std::span<const std::size_t> ids, const std::vector<bool>& is_gate);

  /// Warnings for each arm and metric: `dissimilar_runs` (the message names them), `spikes` if they
  /// differ only by these, and `warmup_inside`. They are advice, like CheckData(). Runs are not
  /// reported if noise alone can explain the difference: if neither the Kolmogorov-Smirnov
  /// statistic of any pair nor the order of any run is significant at `level`, divided among the
  /// tests. Requires 50 values per run, but 10 for `warmup_inside`. Runs of unequal length are cut
  /// to the shortest. `level` is the error probability of a test. Takes about 50 ms for an arm of
  /// 10 runs of 3000 values.
  std::vector<Warning> Check(const Benchmark& benchmark, const MetricCatalog& catalog,
                             double level) const;

 private:
  using Key = std::pair<std::size_t, std::uint32_t>;  // metric, arm
  std::map<Key, std::vector<std::vector<double>>> runs_;
  std::size_t kept_ = 0;
  std::vector<std::vector<double>> of_metric_;  // of the run that is being added
};

}  // namespace benchd
