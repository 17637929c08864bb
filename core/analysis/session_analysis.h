#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/analysis/sequential_design.h"
#include "core/base/result.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Analyses the samples of a session or a table, block by block, and can report after each.
///
/// Has no I/O, clock or thread: the same blocks give the same results to the last bit, live, after
/// a restart and offline. Owned by one session (or one offline analysis).
///
/// Call Create(), then AddWarmup() for each warm-up block (they only show which metrics exist),
/// then Add() for each complete measured block. The last warm-up block fixes the gates, or without
/// warm-up the first measured block does, each at level alpha/G (docs/statistics.md section 6). A
/// gate that appears later has no share of alpha: it is undecided, and the session does not wait
/// for it.
class SessionAnalysis {
 public:
  using Source = DataSource;

  /// @param source  kTable: all measurements exist already. Conclude() then takes a fixed look at
  /// all of them, a table without gates is not an error, and blocks may lack arms; a block of
  /// independent arms may be a single run.
  /// @errors kInvalidArgument if the spec's method, estimator, rule, schedule or limits do not fit
  /// together.
  static Result<SessionAnalysis> Create(const SessionSpec& spec, Source source = Source::kSession);

  SessionAnalysis(SessionAnalysis&&) noexcept;
  SessionAnalysis& operator=(SessionAnalysis&&) noexcept;
  ~SessionAnalysis();

  /// Records the metrics of a warm-up block of one benchmark.
  void AddWarmup(std::span<const Run> block);

  /// Adds one complete block of one benchmark, with its runs in any order.
  ///
  /// @errors kInvalidArgument if a gate cannot be computed (the message names the option to use): a
  /// metric that no run printed, a metric of unknown direction, a relative gate on values without a
  /// ratio, or no gate in a benchmark; also if the block is not complete, or a program prints a
  /// value under a built-in metric's name. kFailedPrecondition if the benchmark already has its
  /// last block (`runs`, `max_runs`). After an error the session cannot continue.
  Result<void> Add(std::span<const Run> block);

  /// The current comparisons, runs, verdict and warnings; gates first, then info metrics, in the
  /// order of the spec. The session fills the fields of Report that need a clock or the machine.
  ///
  /// Under `runs`, this is the sequential view (method paired, nothing decided) until Conclude().
  Report Look() const;

  /// The comparisons of one benchmark, by its index in the spec.
  std::vector<Comparison> LookAt(std::size_t benchmark) const;

  /// True if nothing is left to decide (all gates, or one regression under --fail-fast), or if each
  /// benchmark has the spec's `runs` or `max_runs` blocks.
  bool Finished() const;

  /// The verdict after the last block; `basis` is kEstimate only with `--at-limit estimate`.
  ///
  /// Takes the one look of `runs` (also of a `max_runs` not above min_runs), but only for
  /// benchmarks with exactly that many blocks. With fewer blocks the gate stays undecided, with a
  /// warning `runs_incomplete`. Further calls change nothing.
  Report Conclude();

  /// For a benchmark with that many blocks: the number of blocks at which a look can next decide.
  std::uint64_t NextLook(std::uint64_t blocks) const;

  /// Indices of the benchmarks that still have an undecided gate, in the order of the spec.
  std::vector<std::size_t> OpenBenchmarks() const;

  /// The input of the schedule for each benchmark (schedule/schedule.h), after the blocks so far. A
  /// single benchmark has no forecast, because it gets every turn.
  std::vector<BenchmarkOutlook> Outlook() const;

 private:
  class Impl;
  explicit SessionAnalysis(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace benchd
