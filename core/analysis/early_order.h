#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/metric_comparison.h"
#include "core/analysis/sequential_design.h"
#include "core/model/session_spec.h"

namespace benchd {

/// The pairs of arms of one benchmark, as the order of the arms will compare them (arm_pairs.h),
/// before its first look.
///
/// An early look may decide the gates of an arm after three blocks, when its place among the other
/// candidates is still open. Such an arm keeps running until early looks have found a multiple in
/// each of its pairs, or until the first look, from which on the order is not waited for.
class EarlyOrder {
 public:
  /// @param gate  that by whose metric the arms are ordered
  EarlyOrder(const Benchmark& benchmark, const SequentialDesign& design, const PlannedGate& gate,
             bool rate);

  /// Adds a block, and takes an early look at each pair.
  ///
  /// @param level  that of one pair of the order
  void Add(const BlockValues& values, const SignificanceLevel& level, const LookContext& context);

  std::size_t metric() const { return metric_; }
  /// Returns whether a pair of the arm is open.
  bool Needs(std::size_t arm) const;
  /// Returns whether any pair is open.
  bool open() const;

 private:
  struct Pair {
    std::size_t first;  // indices of arms
    std::size_t second;
    MetricComparison comparison;
  };

  std::size_t metric_;
  std::vector<Pair> pairs_;
};

}  // namespace benchd
