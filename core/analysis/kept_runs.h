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

/// The samples of the first runs of each arm, for gating metrics that have several samples per run,
/// as harnesses print them. They show whether the runs are similar.
///
/// Neither the memory nor the time of Check() grows with the session.
class KeptRuns {
 public:
  static constexpr std::size_t kRuns = 10;      ///< runs per arm and metric
  static constexpr std::size_t kValues = 3000;  ///< first values per run
  static constexpr std::size_t kInAll = 1'000'000;

  /// @param ids      the metric of each sample of the run
  /// @param is_gate  whether a metric gates, by metric
  void Add(const Run& run, std::span<const std::size_t> ids, const std::vector<bool>& is_gate);

  /// Returns warnings for each arm and metric: `dissimilar_runs` (the message names the runs),
  /// `spikes` if the runs differ only by spikes, and `warmup_inside`. They are advice, like those
  /// of CheckData(). Runs are not reported if noise alone can explain the difference, that is, if
  /// neither the Kolmogorov-Smirnov statistic of any pair nor the order within any run is
  /// significant at `level`, divided among the tests. Requires 50 values per run, but only 10 for
  /// `warmup_inside`. Runs of unequal length are cut to the length of the shortest run. `level` is
  /// the error probability of a test. Takes about 50 ms for an arm of 10 runs of 3000 values.
  std::vector<Warning> Check(const Benchmark& benchmark, const MetricCatalog& catalog,
                             double level) const;

 private:
  using Key = std::pair<std::size_t, std::uint32_t>;  // metric and arm
  std::map<Key, std::vector<std::vector<double>>> runs_;
  std::size_t kept_ = 0;
  std::vector<std::vector<double>> of_metric_;  // values of the run that is being added, by metric
};

}  // namespace benchd
