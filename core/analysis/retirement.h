#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/sequential_design.h"
#include "core/model/session_spec.h"

// Arms that get no more runs although their benchmark has open gates.
//
// An arm is idle once every gate that involves it is settled, after the first look at the earliest.
// The schedule leaves idle arms out of the next blocks. An arm retires with the first block that
// lacks it; until then it may cease to be idle. All comparisons of a retired arm stay as they were
// at their last look, whatever the other arm does later, so a later run never changes them
// (docs/statistics.md section 6). Pure: which arms are idle follows from the blocks so far.

namespace benchd {

/// Returns whether arms may retire: there are several looks, and the arm of each run is not drawn,
/// so that an arm that a block of a session lacks is one that has retired.
bool ArmsMayRetire(const SessionSpec& spec, const SequentialDesign& design);

/// The counts of a comparison's runs, up to the retirement of one of its arms.
struct PairCounts {
  std::uint64_t blocks = 0;
  std::uint64_t reference_runs = 0;
  std::uint64_t candidate_runs = 0;
  std::uint64_t reference_failures = 0;
  std::uint64_t candidate_failures = 0;
  bool in_reference = false;  ///< the reference has shown the metric
  bool in_candidate = false;
};

/// The moment at which an arm retired.
struct RetiredArm {
  std::uint64_t blocks = 0;  ///< number of blocks of its benchmark before
  std::size_t metrics = 0;   ///< number of metrics known then
};

/// The time that the arms of one benchmark take in a block.
class ArmTimes {
 public:
  explicit ArmTimes(std::size_t arms) : seconds_(arms), blocks_(arms) {}

  /// Adds the time that the runs of an arm took in a block.
  void Add(std::uint32_t arm, double seconds) {
    seconds_[arm] += seconds;
    ++blocks_[arm];
    all_ += seconds;
  }

  /// Returns the mean time of a block without the arms `idle`, including its share of the time
  /// between runs. Returns nothing if no run has a time, or if no arm is idle.
  ///
  /// @param measured  the time of all blocks so far
  std::optional<double> WithoutIdle(const std::vector<std::uint32_t>& idle, double measured) const;

 private:
  std::vector<double> seconds_;  // by arm
  std::vector<std::uint64_t> blocks_;
  double all_ = 0;
};

}  // namespace benchd
