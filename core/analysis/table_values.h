#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/base/result.h"
#include "core/parse/measurement_table.h"
#include "core/stats/moments.h"

namespace benchd {

/// Most values that are kept for summaries and histograms (400 MB).
inline constexpr std::size_t kMaxKeptValues = 50'000'000;

/// What the rows of a table hold of each arm in each metric, as far as something other than the
/// comparisons wants it: moments in constant memory, the values only when asked for.
class TableValues {
 public:
  struct Keep {
    bool moments = false;
    bool values = false;
  };

  /// `plan` outlives this.
  TableValues(const TablePlan& plan, Keep keep);

  /// Takes a measured row of a benchmark of the plan.
  /// @errors kInvalidArgument above kMaxKeptValues.
  Result<void> Take(const MeasurementRow& row);

  /// By benchmark and arm as in the plan's spec; `slot` is an index into PlannedBenchmark::metrics.
  const Moments& MomentsOf(std::size_t benchmark, std::size_t slot, std::size_t arm) const {
    return moments_[benchmark][CellOf(benchmark, slot, arm)];
  }
  /// In row order.
  std::span<const double> Values(std::size_t benchmark, std::size_t slot, std::size_t arm) const {
    return values_[benchmark][CellOf(benchmark, slot, arm)];
  }

 private:
  std::size_t CellOf(std::size_t benchmark, std::size_t slot, std::size_t arm) const {
    return slot * plan_.spec.benchmarks[benchmark].arms.size() + arm;
  }

  const TablePlan& plan_;
  Keep keep_;
  std::vector<std::vector<Moments>> moments_;             // [benchmark][cell]
  std::vector<std::vector<std::vector<double>>> values_;  // [benchmark][cell]
  std::size_t kept_ = 0;
};

}  // namespace benchd
