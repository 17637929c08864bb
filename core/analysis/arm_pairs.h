#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/sequential_design.h"
#include "core/analysis/session_analysis.h"
#include "core/base/result.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Every pair of the arms of one benchmark in one metric.
struct ArmPairs {
  std::string benchmark;
  std::vector<std::string> arms;  ///< references and candidates, in the order of the spec
  /// In each the arm that comes first in the spec stands as the reference.
  std::vector<Comparison> comparisons;
};

/// More arms than that are not compared with each other: the pairs go with the square.
inline constexpr std::size_t kMostPairedArms = 12;

/// Compares all arms among each other, which a session does not: there each candidate is compared
/// with its reference.
///
/// Every pair is a session of its own over the same runs, by the method and estimator that were
/// asked for: the intervals of a method that looks repeatedly hold whenever it stopped. All of them
/// hold together at the level of the session (Bonferroni over the pairs of all arms of all
/// benchmarks, references included), and are two-sided always: an order errs to either side. For
/// answers after the end, as it takes its time. Owned by who asks; one thread.
class ArmPairsAnalysis {
 public:
  /// @param gate  the metric that orders them
  /// @return nothing where there is nothing to order: fewer than two candidates, over
  ///         kMostPairedArms arms, or builds of one arm (layouts).
  /// @errors those of SessionAnalysis::Create(): the level of a pair may be too small for it.
  static Result<std::optional<ArmPairsAnalysis>> Create(const SessionSpec& spec,
                                                        std::size_t benchmark, const Gate& gate,
                                                        DataSource source);

  /// Learns of the metric from a block that is not measured.
  void AddWarmup(std::span<const Run> block);

  /// Takes the runs of a block of its benchmark; those of another benchmark are left out.
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

  std::size_t benchmark_ = 0;
  std::string metric_;
  std::string name_;
  std::vector<std::string> arms_;
  std::vector<Pair> pairs_;
};

}  // namespace benchd
