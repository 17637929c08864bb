#pragma once

#include <span>
#include <vector>

#include "core/analysis/arm_pairs.h"
#include "core/model/findings.h"
#include "core/model/session.h"

namespace benchd {

/// As far as the intervals of the pairs tell it: one arm is clearly better than another where their
/// interval excludes no change. Without any comparison there is no group.
ArmOrder OrderArms(const ArmPairs& pairs);

/// Orders the arms of each benchmark that has several candidates, by the metric of its first gate.
///
/// Takes the blocks of a session or table once more, after its verdict: only that says which metric
/// gates. A benchmark whose pairs have no interval at their share of alpha has no order. One
/// thread.
class ArmOrderAnalysis {
 public:
  /// @param report  of all blocks, for its gates
  ArmOrderAnalysis(const SessionSpec& spec, const Report& report, DataSource source);

  /// Nothing is to be ordered: no block is needed.
  bool empty() const { return benchmarks_.empty(); }

  void AddWarmup(std::span<const Run> block);
  /// @errors those of SessionAnalysis::Add(). After one there is no order.
  Result<void> Add(std::span<const Run> block);

  std::vector<ArmOrder> Conclude();

 private:
  std::vector<ArmPairsAnalysis> benchmarks_;
};

}  // namespace benchd
