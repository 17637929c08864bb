#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/gate_subject.h"
#include "core/analysis/measurement_analysis.h"
#include "core/analysis/sequential_design.h"
#include "core/base/result.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Analyses the samples of a session or a table block by block, and can report after each block.
///
/// A session whose arms are measured and not compared has estimates instead of comparisons and
/// gates (measurement_analysis.h).
///
/// Does not use I/O, clocks or threads: the same blocks give the same results to the last bit,
/// whether live, after a restart or offline. Owned by one session or one offline analysis.
///
/// Call Create(), then AddWarmup() for each warm-up block, which only shows which metrics exist,
/// then Add() for each complete measured block. The last warm-up block fixes the gates, or the
/// first measured block if there is no warm-up. Each gate has the level alpha/G (docs/statistics.md
/// section 6). A gate that appears later does not get a share of alpha. It is undecided, and the
/// session does not wait for it.
class SessionAnalysis {
 public:
  using Source = DataSource;

  /// @param source  kTable means that all measurements already exist. Then Conclude() takes a fixed
  /// look at all of them, a table without gates is not an error, and blocks may lack arms. A block
  /// of independent arms may be a single run.
  /// @errors kInvalidArgument if the spec's method, estimator, rule, schedule and limits cannot be
  /// combined
  static Result<SessionAnalysis> Create(const SessionSpec& spec, Source source = Source::kSession);

  SessionAnalysis(SessionAnalysis&&) noexcept;
  SessionAnalysis& operator=(SessionAnalysis&&) noexcept;
  ~SessionAnalysis();

  /// Judges only these gates, of which each gets the level alpha divided by their number. All other
  /// benchmarks are finished. Call it after the warm-up, before the first block.
  void RestrictTo(std::span<const GateSubject> gates);

  /// Records the metrics of a warm-up block of one benchmark.
  void AddWarmup(std::span<const Run> block);

  /// Adds one complete block of one benchmark. The runs may be in any order. A block may lack idle
  /// arms, which then retire (retirement.h).
  ///
  /// @param ended    for a table: arms that have no row from this block on. Only these can retire.
  /// @param sharing  the number of benchmarks that the processes of the block ran, which share the
  ///                 time that it took
  ///
  /// @errors kInvalidArgument if a gate cannot be computed: no run printed its metric, the
  /// direction of its metric is unknown, a relative gate has values without a ratio, or a benchmark
  /// lacks a gate. The message names the option to use. Also kInvalidArgument if the block is not
  /// complete, or if a program printed a value under the name of a built-in metric.
  /// kFailedPrecondition if the benchmark already has its last block (`runs`, `max_runs`). After an
  /// error the session cannot continue.
  Result<void> Add(std::span<const Run> block, std::span<const std::uint32_t> ended = {},
                   std::size_t sharing = 1);

  /// Returns the current comparisons, runs, verdict and warnings. Gates come first, then info
  /// metrics, in the order of the spec. The session fills in the fields of Report that need a clock
  /// or the machine.
  ///
  /// With `runs`, this is a sequential view (method paired, nothing decided) until Conclude().
  Report Look() const;

  /// Returns the comparisons of one benchmark, given by its index in the spec. There are none if
  /// its arms are measured.
  std::vector<Comparison> LookAt(std::size_t benchmark) const;

  /// Returns whether the session is finished: all gates are decided, or one is a regression and
  /// --fail-fast is set, or every benchmark has the spec's `runs` or `max_runs` blocks.
  bool Finished() const;

  /// Returns the report with the verdict after the last block. `basis` is kEstimate only with
  /// `--at-limit estimate`.
  ///
  /// Takes the one look of `runs` (or of a `max_runs` that does not exceed min_runs), but only for
  /// benchmarks with exactly that number of blocks. If there are fewer blocks, the gate remains
  /// undecided with the warning `runs_incomplete`. Further calls do not change the result.
  Report Conclude();

  /// Returns the next number of blocks, above `blocks`, at which a look can decide.
  std::uint64_t NextLook(std::uint64_t blocks) const;

  /// Returns the number of blocks of a benchmark, given by its index in the spec.
  std::uint64_t BlocksOf(std::size_t benchmark) const;

  /// Returns the arms of a benchmark of which the next block needs no run, in ascending order. They
  /// change with every block.
  std::span<const std::uint32_t> IdleArms(std::size_t benchmark) const;

  /// Returns after how many blocks of its benchmark an arm retired, if it did. Both are given by
  /// their indices in the spec.
  std::optional<std::uint64_t> RetiredAfter(std::size_t benchmark, std::size_t arm) const;

  /// Returns the indices of the benchmarks that still have an undecided gate, in the order of the
  /// spec.
  std::vector<std::size_t> OpenBenchmarks() const;

  /// Returns the input of the schedule for each benchmark (session/schedule.h), after the blocks
  /// so far. There is no forecast for a single benchmark, because the schedule does not have to
  /// choose.
  std::vector<BenchmarkOutlook> Outlook() const;

 private:
  class Impl;
  explicit SessionAnalysis(std::unique_ptr<Impl> impl);
  explicit SessionAnalysis(MeasurementAnalysis measurement);

  std::unique_ptr<Impl> impl_;
  std::optional<MeasurementAnalysis> measurement_;  // instead of impl_, for measured arms
};

}  // namespace benchd
