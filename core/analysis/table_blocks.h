#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/analysis/table_plan.h"
#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// Most values of one block: each is a sample with its name while the block is taken.
inline constexpr std::size_t kMaxBlockValues = 500'000;

/// Takes one block, whose runs are valid during the call.
using TakeBlock = std::function<Result<void>(std::span<const Run> block)>;

/// What became of the rows of a table.
struct GroupedRows {
  std::uint64_t blocks = 0;       ///< that were taken
  std::vector<Warning> warnings;  ///< of what was left out: `incomplete_pairs`, `beyond_max_runs`
};

/// Puts the measured rows of a table together to the blocks in which a session would have measured
/// them, and hands over each when its last row has come.
///
/// @errors those of `take`; kInvalidArgument "line 3: ..." for a block over kMaxBlockValues.
Result<GroupedRows> ForEachBlock(const MeasurementTable& table, const TablePlan& plan,
                                 const TakeBlock& take);

}  // namespace benchd
