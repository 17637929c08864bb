#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/compared_arms.h"
#include "core/analysis/sequential_design.h"
#include "core/analysis/session_analysis.h"
#include "core/base/result.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The comparisons of all pairs of arms of one benchmark in one metric.
struct ArmPairs {
  std::string benchmark;
  std::vector<std::string> arms;  ///< references and candidates, in the order of the spec
  /// The arm that comes first in the spec is the reference of its pair.
  std::vector<Comparison> comparisons;
  double confidence = 0;  ///< with which the intervals of all pairs of all benchmarks hold together
};

/// Compares all arms with each other. A session compares each candidate only with its reference.
///
/// Every pair is analysed as a separate session over the same runs, with the requested method and
/// estimator, so the intervals of a method that looks repeatedly are valid whenever it stops. All
/// intervals are jointly valid at the session's level (Bonferroni over the pairs of all arms of all
/// benchmarks, including references). They are always two-sided, because an order can be wrong in
/// both directions. Computed after a session ends, because it takes time. Must be used by one
/// thread only.
class ArmPairsAnalysis {
 public:
  /// @param gate  the metric by which the arms are ordered
  /// @return nothing for fewer than two candidates, for more than kMostPairedArms arms, or if the
  /// arms are builds of one arm (layouts)
  /// @errors those of SessionAnalysis::Create(). The level of a pair may be too small for the
  /// method.
  static Result<std::optional<ArmPairsAnalysis>> Create(const SessionSpec& spec,
                                                        std::size_t benchmark, const Gate& gate,
                                                        DataSource source);

  /// States which arms retired. The pairs of a retired arm get no values after its last block.
  void SetRetired(std::span<const ArmRuns> runs);

  /// Records the metrics of a block that is not measured.
  void AddWarmup(std::span<const Run> block);

  /// Adds the runs of a block. Runs of other benchmarks are ignored.
  /// @errors those of SessionAnalysis::Add()
  Result<void> Add(std::span<const Run> block);

  ArmPairs Conclude();

 private:
  struct Pair {
    std::size_t first;  // indices of arms
    std::size_t second;
    SessionAnalysis analysis;
  };

  ArmPairsAnalysis() = default;
  std::vector<Run> RunsOf(const Pair& pair, std::span<const Run> block) const;
  /// Returns whether an arm of the pair retired before the next block.
  bool HasEnded(const Pair& pair) const;

  std::size_t benchmark_ = 0;
  std::string metric_;
  std::string name_;
  double confidence_ = 0;
  std::vector<std::string> names_;  // of all arms of the benchmark
  std::vector<std::string> arms_;   // of those in pairs
  std::vector<Pair> pairs_;
  std::uint64_t blocks_ = 0;
  std::map<std::size_t, std::uint64_t> retired_after_;  // blocks, by index of the arm
};

}  // namespace benchd
