#pragma once

#include <span>
#include <vector>

#include "core/analysis/arm_pairs.h"
#include "core/model/findings.h"
#include "core/model/session.h"

namespace benchd {

/// Orders the arms by the intervals of their pairs. One arm is clearly better than another if the
/// interval of their change excludes 0. Without comparisons the order has no groups. The intervals
/// of the factors are those of the pairs with the first arm, so they hold together with the order,
/// whichever arm that is.
ArmOrder OrderArms(const ArmPairs& pairs);

/// Orders the arms of each benchmark that has several candidates, by the metric of its first gate.
///
/// Reads the blocks of a session or table again after the verdict, because only the final report
/// shows which metric gates. If the pairs of a benchmark do not have an interval at their share of
/// alpha, the benchmark has no order. Must be used by one thread only.
class ArmOrderAnalysis {
 public:
  /// @param report  the report on all blocks, which lists the gates and the arms that retired
  ArmOrderAnalysis(const SessionSpec& spec, const Report& report, DataSource source);

  /// Returns whether there is nothing to order, so that no block is needed.
  bool empty() const { return benchmarks_.empty(); }

  void AddWarmup(std::span<const Run> block);
  /// @errors those of SessionAnalysis::Add(). After an error there is no order.
  Result<void> Add(std::span<const Run> block);

  std::vector<ArmOrder> Conclude();

 private:
  std::vector<ArmPairsAnalysis> benchmarks_;
};

}  // namespace benchd
