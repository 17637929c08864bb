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

/// What the samples of a session, or of a table, say: fed block by block, asked after each.
///
/// A value machine without I/O, clock or thread: the same blocks give the same answers to the last
/// bit, live, after a restart and offline. Owned by one session (or one offline analysis).
///
/// Life: Create, then AddWarmup for each warm-up block (they only tell which metrics exist), then
/// Add for each complete measured block. The gates are fixed by the last warm-up block, or without
/// warm-up by the first measured one: level alpha/G each (docs/statistics.md section 6). What
/// would be a gate and appears later has no part of alpha: it is undecided, and nobody waits for
/// it.
class SessionAnalysis {
 public:
  using Source = DataSource;

  /// @param source  kTable: the measurements are all there already. A fixed look is then taken by
  ///                Conclude() at whatever there is, it is no error when nothing gates, and blocks
  ///                may lack arms, those of independent arms may be a single run.
  /// @errors kInvalidArgument when the spec's method, estimator, rule, schedule or limits do not
  ///         fit together.
  static Result<SessionAnalysis> Create(const SessionSpec& spec, Source source = Source::kSession);

  SessionAnalysis(SessionAnalysis&&) noexcept;
  SessionAnalysis& operator=(SessionAnalysis&&) noexcept;
  ~SessionAnalysis();

  /// Learns the metrics of a warm-up block of one benchmark.
  void AddWarmup(std::span<const Run> block);

  /// Takes one complete block of one benchmark, in any order of its runs.
  ///
  /// @errors kInvalidArgument when a gate cannot be computed (the message names the option to use):
  ///         a metric nobody printed, one of unknown direction, a ratio gate on values that allow
  ///         none, no gate at all in a benchmark; also when the block is not complete, or a program
  ///         prints a value under a built-in metric's name. kFailedPrecondition when the benchmark
  ///         has its last block (`runs`, `max_runs`) already. After an error the session is over.
  Result<void> Add(std::span<const Run> block);

  /// Comparisons, runs, verdict and warnings as they stand; gates first, then info, in the order of
  /// the spec. Fields of Report that need a clock or the machine are left for the session to fill.
  ///
  /// Under `runs` this is the sequential view (method paired, nothing decided) until Conclude().
  Report Look() const;

  /// The comparisons alone, of one benchmark by its index in the spec.
  std::vector<Comparison> LookAt(std::size_t benchmark) const;

  /// True when nothing is left to decide (every gate, or one regression under --fail-fast), or when
  /// the spec's `runs` or `max_runs` blocks of each benchmark are there.
  bool Finished() const;

  /// The verdict after the last block; `basis` is kEstimate only by `--at-limit estimate`.
  ///
  /// Takes the one look of `runs` (also of a `max_runs` not above min_runs), but only for
  /// benchmarks that have exactly that many blocks: with fewer the gate stays undecided and a
  /// warning `runs_incomplete` says so. Calling it again changes nothing.
  Report Conclude();

  /// Of a benchmark with that many blocks: how many it has when a look may next decide anything.
  std::uint64_t NextLook(std::uint64_t blocks) const;

  /// Indices of the benchmarks that still have an undecided gate, in the order of the spec.
  std::vector<std::size_t> OpenBenchmarks() const;

  /// What the schedule must know of each benchmark (schedule/schedule.h), as of the blocks so
  /// far. Of a benchmark that is alone nothing is forecast: it has every turn.
  std::vector<BenchmarkOutlook> Outlook() const;

 private:
  class Impl;
  explicit SessionAnalysis(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace benchd
