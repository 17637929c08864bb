#include "core/analysis/table_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/analysis/table_warnings.h"
#include "core/base/error.h"

namespace benchd {

TableBlocks::TableBlocks(const TablePlan& plan, TakeBlock take)
    : plan_(plan), take_(std::move(take)), progress_(plan.benchmarks.size()) {
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    progress_[b].rows_of_arm.resize(plan.spec.benchmarks[b].arms.size());
  }
}

Result<void> TableBlocks::Take(const MeasurementRow& row) {
  const std::size_t benchmark = *plan_.by_number[row.benchmark];
  Progress& progress = progress_[benchmark];
  switch (plan_.grouping) {
    case Grouping::kEachRow: {
      if (Result<void> held = Hold(progress.open, ArmOf(benchmark, row), row); !held) return held;
      return Close(benchmark, progress.open);
    }
    case Grouping::kStretches:
      return TakeStretch(benchmark, row);
    case Grouping::kPairs:
      if (!row.pair) {
        ++progress.incomplete_rows;
        return {};
      }
      if (plan_.benchmarks[benchmark].pairs_in_stretches) return TakeStretch(benchmark, row);
      return Hold(progress.by_pair[*row.pair], ArmOf(benchmark, row), row);
    case Grouping::kTurns:
      return TakeTurn(benchmark, row);
  }
  return {};
}

Result<void> TableBlocks::TakeStretch(std::size_t benchmark, const MeasurementRow& row) {
  OpenBlock& open = progress_[benchmark].open;
  const bool goes_on = row.pair && row.pair == open.pair;
  if (open.used > 0 && !goes_on) {
    if (Result<void> closed = Close(benchmark, open); !closed) return closed;
  }
  open.pair = row.pair;
  return Hold(open, ArmOf(benchmark, row), row);
}

Result<void> TableBlocks::TakeTurn(std::size_t benchmark, const MeasurementRow& row) {
  Progress& progress = progress_[benchmark];
  const std::uint32_t arm = ArmOf(benchmark, row);
  const std::uint64_t turn = progress.rows_of_arm[arm]++ - progress.first_turn;
  if (turn == progress.turns.size()) progress.turns.push_back(std::exchange(spare_, {}));
  if (Result<void> held = Hold(progress.turns[turn], arm, row); !held) return held;
  // Only the first can be complete: no arm has its k-th row before its k-1st.
  if (progress.turns.front().used < progress.rows_of_arm.size()) return {};
  if (Result<void> closed = Close(benchmark, progress.turns.front()); !closed) return closed;
  spare_ = std::move(progress.turns.front());
  progress.turns.pop_front();
  ++progress.first_turn;
  return {};
}

Result<void> TableBlocks::Hold(OpenBlock& block, std::uint32_t arm, const MeasurementRow& row) {
  if ((block.used + 1) * row.values.size() > kMaxBlockValues && block.used > 0) {
    return InvalidArgument("line " + std::to_string(row.line),
                           "over " + std::to_string(kMaxBlockValues) + " values of one pair",
                           "a pair is a few runs of each arm: number them in the column pair");
  }
  ++held_rows_;
  if (HeldBytes() > kMaxHeldBytes) {
    return InvalidArgument("line " + std::to_string(row.line),
                           "1 GiB of rows waits for the other arms of their pairs",
                           "sort the table so that the rows of a pair follow one another");
  }
  if (block.used == block.rows.size()) block.rows.emplace_back();
  HeldRow& held = block.rows[block.used++];
  held.arm = arm;
  held.started_at = row.started_at.value_or(Timestamp{});
  held.values.resize(row.values.size());
  for (std::size_t m = 0; m < row.values.size(); ++m) {
    held.values[m] =
        row.values[m] ? row.values[m]->value : std::numeric_limits<double>::quiet_NaN();
  }
  block.last_line = row.line;
  return {};
}

Result<void> TableBlocks::Close(std::size_t benchmark, OpenBlock& block) {
  Progress& progress = progress_[benchmark];
  held_rows_ -= block.used;
  const bool paired = plan_.grouping == Grouping::kPairs || plan_.grouping == Grouping::kTurns;
  if (paired && !IsComplete(benchmark, block)) {
    LeaveOut(progress, block);
    block.used = 0;
    return {};
  }
  Result<void> given = Give(benchmark, block);
  block.used = 0;
  return given;
}

bool TableBlocks::IsComplete(std::size_t benchmark, const OpenBlock& block) {
  const std::size_t arms = plan_.spec.benchmarks[benchmark].arms.size();
  if (block.used < arms) return false;
  seen_.assign(arms, false);
  for (std::size_t i = 0; i < block.used; ++i) seen_[block.rows[i].arm] = true;
  return std::find(seen_.begin(), seen_.end(), false) == seen_.end();
}

void TableBlocks::LeaveOut(Progress& progress, const OpenBlock& block) {
  ++progress.incomplete;
  progress.incomplete_rows += block.used;
}

Result<void> TableBlocks::Give(std::size_t benchmark, const OpenBlock& block) {
  Progress& progress = progress_[benchmark];
  if (const auto& most = plan_.spec.limits.max_runs; most && progress.blocks >= *most) {
    ++progress.beyond;
    return {};
  }
  while (runs_.size() < block.used) runs_.emplace_back().metrics = plan_.metrics;
  for (std::size_t i = 0; i < block.used; ++i) {
    Run& run = runs_[i];
    run.benchmark = static_cast<std::uint32_t>(benchmark);
    run.block = progress.blocks;
    run.position = static_cast<std::uint32_t>(i);
    Fill(run, block.rows[i]);
  }
  ++progress.blocks;
  return take_(std::span(runs_).first(block.used));
}

void TableBlocks::Fill(Run& run, const HeldRow& row) const {
  run.arm = row.arm;
  run.started_at = row.started_at;
  std::size_t used = 0;
  for (std::size_t m = 0; m < row.values.size(); ++m) {
    if (std::isnan(row.values[m])) continue;
    if (used == run.samples.size()) run.samples.emplace_back();
    Sample& sample = run.samples[used++];
    sample.metric = plan_.metrics[m].name;
    sample.value = row.values[m];
  }
  run.samples.resize(used);
}

Result<void> TableBlocks::Finish() {
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    Progress& progress = progress_[b];
    if (progress.open.used > 0) {
      if (Result<void> closed = Close(b, progress.open); !closed) return closed;
    }
    for (const OpenBlock& turn : progress.turns) LeaveOut(progress, turn);
    if (Result<void> finished = FinishPairs(b); !finished) return finished;
  }
  return {};
}

// As they became complete: a replay is one in row order.
Result<void> TableBlocks::FinishPairs(std::size_t benchmark) {
  std::vector<OpenBlock*> blocks;
  for (auto& [pair, block] : progress_[benchmark].by_pair) blocks.push_back(&block);
  std::sort(blocks.begin(), blocks.end(),
            [](const OpenBlock* a, const OpenBlock* b) { return a->last_line < b->last_line; });
  for (OpenBlock* block : blocks) {
    if (Result<void> closed = Close(benchmark, *block); !closed) return closed;
  }
  return {};
}

std::size_t TableBlocks::HeldBytes() const {
  constexpr std::size_t kOfTheAllocator = 16;
  return held_rows_ * (sizeof(HeldRow) + plan_.metrics.size() * sizeof(double) + kOfTheAllocator);
}

std::uint32_t TableBlocks::ArmOf(std::size_t benchmark, const MeasurementRow& row) const {
  return *plan_.benchmarks[benchmark].arms[row.arm];
}

std::uint64_t TableBlocks::blocks() const {
  std::uint64_t blocks = 0;
  for (const Progress& progress : progress_) blocks += progress.blocks;
  return blocks;
}

std::vector<Warning> TableBlocks::Warnings() const {
  std::vector<std::string> incomplete;
  std::vector<std::string> beyond;
  Progress sum;
  for (std::size_t b = 0; b < progress_.size(); ++b) {
    const Progress& one = progress_[b];
    const std::string& name = plan_.spec.benchmarks[b].name;
    if (one.incomplete_rows > 0) incomplete.push_back(name);
    if (one.beyond > 0) beyond.push_back(name);
    sum.incomplete += one.incomplete;
    sum.incomplete_rows += one.incomplete_rows;
    sum.beyond += one.beyond;
  }
  std::vector<Warning> warnings;
  if (!incomplete.empty()) {
    warnings.push_back(IncompletePairs(incomplete, sum.incomplete, sum.incomplete_rows));
  }
  if (!beyond.empty()) warnings.push_back(BeyondMaxRuns(beyond, sum.beyond));
  return warnings;
}

TableValues::TableValues(const TablePlan& plan, Keep keep) : plan_(plan), keep_(keep) {
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    const std::size_t cells =
        plan.benchmarks[b].metrics.size() * plan.spec.benchmarks[b].arms.size();
    moments_.emplace_back(keep.moments ? cells : 0);
    values_.emplace_back(keep.values ? cells : 0);
  }
}

Result<void> TableValues::Take(const MeasurementRow& row) {
  if (!keep_.moments && !keep_.values) return {};
  const std::size_t benchmark = *plan_.by_number[row.benchmark];
  const PlannedBenchmark& planned = plan_.benchmarks[benchmark];
  const std::size_t arm = *planned.arms[row.arm];
  for (std::size_t slot = 0; slot < planned.metrics.size(); ++slot) {
    const std::optional<PrintedNumber>& number = row.values[planned.metrics[slot]];
    if (!number) continue;
    const std::size_t cell = CellOf(benchmark, slot, arm);
    if (keep_.moments) moments_[benchmark][cell].Add(number->value);
    if (!keep_.values) continue;
    if (++kept_ > kMaxKeptValues) {
      return InvalidArgument("line " + std::to_string(row.line),
                             "summaries and histograms keep every value, these are over " +
                                 std::to_string(kMaxKeptValues),
                             "leave --stars and --histogram out");
    }
    values_[benchmark][cell].push_back(number->value);
  }
  return {};
}

}  // namespace benchd
