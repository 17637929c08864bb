#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/parse/measurement_table.h"
#include "core/stats/descriptive.h"

namespace benchd {

/// Most that rows may take while they wait for the rest of their block.
inline constexpr std::size_t kMaxHeldBytes = std::size_t{1} << 30;
/// Most values of one block.
inline constexpr std::size_t kMaxBlockValues = 500'000;

/// Puts the rows of a table together to the blocks in which a session would have measured them.
///
/// Rows are kept until their block is complete: of a table in the order of its blocks those of one
/// block of each benchmark. Memory grows with the table only where the rows of a block stand far
/// apart. Owned by one analysis.
class TableBlocks {
 public:
  /// Takes one block, whose runs are valid during the call.
  using TakeBlock = std::function<Result<void>(std::span<const Run> block)>;

  /// `plan` outlives this.
  TableBlocks(const TablePlan& plan, TakeBlock take);

  /// Takes the next row: measured, of a benchmark of the plan.
  /// @errors those of TakeBlock; kInvalidArgument naming the line above the limits.
  Result<void> Take(const MeasurementRow& row);
  /// No more rows will come.
  Result<void> Finish();

  /// Blocks that were given to TakeBlock.
  std::uint64_t blocks() const;
  /// What was left out: `incomplete_pairs`, `beyond_max_runs`.
  std::vector<Warning> Warnings() const;

 private:
  struct HeldRow {
    std::uint32_t arm = 0;
    Timestamp started_at{};
    std::vector<double> values;  // by metric; NaN where there is none
  };
  /// Rows that belong together so far. Used again for the next ones, so that nothing is allocated.
  struct OpenBlock {
    std::optional<std::uint64_t> pair;
    std::vector<HeldRow> rows;
    std::size_t used = 0;       // of rows
    std::size_t last_line = 0;  // of the row that came last
  };
  struct Progress {
    OpenBlock open;                              // of stretches
    std::map<std::uint64_t, OpenBlock> by_pair;  // of pairs that are no stretches
    std::deque<OpenBlock> turns;                 // from the first incomplete one on
    std::uint64_t first_turn = 0;                // its number
    std::vector<std::uint64_t> rows_of_arm;      // so far, for turns
    std::uint64_t blocks = 0;
    std::uint64_t incomplete = 0;       // blocks left out
    std::uint64_t incomplete_rows = 0;  // rows in them, and those without a pair
    std::uint64_t beyond = 0;           // blocks behind the last one wanted
  };

  Result<void> TakeStretch(std::size_t benchmark, const MeasurementRow& row);
  Result<void> TakeTurn(std::size_t benchmark, const MeasurementRow& row);
  Result<void> Hold(OpenBlock& block, std::uint32_t arm, const MeasurementRow& row);
  Result<void> Close(std::size_t benchmark, OpenBlock& block);
  bool IsComplete(std::size_t benchmark, const OpenBlock& block);
  Result<void> Give(std::size_t benchmark, const OpenBlock& block);
  void Fill(Run& run, const HeldRow& row) const;
  void LeaveOut(Progress& progress, const OpenBlock& block);
  Result<void> FinishPairs(std::size_t benchmark);

  std::size_t HeldBytes() const;
  std::uint32_t ArmOf(std::size_t benchmark, const MeasurementRow& row) const;

  const TablePlan& plan_;
  TakeBlock take_;
  std::vector<Progress> progress_;  // by benchmark of the plan
  std::size_t held_rows_ = 0;
  OpenBlock spare_;         // room of a turn that is over
  std::vector<Run> runs_;   // used again for every block
  std::vector<bool> seen_;  // arms, for IsComplete
};

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
