#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/benchmark_groups.h"
#include "core/analysis/session_analysis.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Analyses a session in one or, with SessionSpec::confirm, in two phases.
///
/// The gates that regressed in the first phase enter the second one. It is an analysis of its own
/// (docs/statistics.md section 6): k gates have the level alpha/k each, and no run of the first
/// phase counts. Gates that passed stay passed. A gate regresses only if both phases say so for the
/// same cause (values, failed runs, or a missing metric), and is otherwise undecided with the
/// reason `not_confirmed`.
///
/// The controls of the session, and the placebos of these gates, are in both phases, and count
/// among the k gates. If one changed in the first phase, there is no second one: a gate that
/// regressed is undecided with the reason `unconfirmed`. If one changed in either, the session is
/// undecided.
///
/// Without `confirm`, all results are those of SessionAnalysis.
///
/// Pure: the same blocks in the same phases give the same results to the last bit. The owner
/// decides when the first phase ends, because its time limit needs a clock.
class ConfirmedAnalysis {
 public:
  /// @errors those of SessionAnalysis; kInvalidArgument for `confirm` with `--at-limit estimate`
  static Result<ConfirmedAnalysis> Create(const SessionSpec& spec,
                                          DataSource source = DataSource::kSession);

  /// Records the metrics of a warm-up block of the first phase, for both phases, so that both have
  /// the same gates.
  void AddWarmup(std::span<const Run> block);

  /// Adds a block of the current phase. See SessionAnalysis::Add().
  Result<void> Add(std::span<const Run> block, std::span<const std::uint32_t> ended = {},
                   std::size_t sharing = 1);

  /// Returns whether the current phase is finished.
  bool Finished() const { return Current().Finished(); }

  /// Ends the first phase. If gates regressed and are to be confirmed, begins the second one.
  /// @return whether the second phase is the current one
  bool BeginConfirmation();
  bool confirming() const { return confirming_; }

  /// Returns the indices of the benchmarks that the current phase measures.
  std::vector<std::uint32_t> BenchmarksOfPhase() const;

  /// Returns the current report, see SessionAnalysis::Look(). A gate that regressed is undecided
  /// with the reason `confirming` until its second phase has a verdict. `runs` and all warnings but
  /// those that concern the second phase are those of the first phase.
  Report Look() const;

  /// Adds the expected times to a report of Look(), see ForecastVerdict().
  ///
  /// @param elapsed  measuring time of the current phase
  /// @param groups   the benchmarks that share processes; none with SessionSpec::confirm
  void Forecast(const SessionSpec& spec, Nanoseconds elapsed, Report& report,
                const BenchmarkGroups& groups = {}) const;

  /// Returns the report with the verdict after the last block of the last phase.
  Report Conclude();

  std::uint64_t NextLook(std::uint64_t blocks) const { return Current().NextLook(blocks); }
  std::vector<BenchmarkOutlook> Outlook() const { return Current().Outlook(); }

  /// Returns the analysis of the first phase, for pictures of its intervals.
  const SessionAnalysis& first() const { return first_; }
  /// Returns the analysis of the measured runs of a phase.
  const SessionAnalysis& OfPhase(RunPhase phase) const {
    return phase == RunPhase::kConfirming && second_ ? *second_ : first_;
  }

 private:
  ConfirmedAnalysis(SessionAnalysis first, std::optional<SessionAnalysis> second,
                    std::vector<std::string> benchmarks)
      : first_(std::move(first)), second_(std::move(second)), benchmarks_(std::move(benchmarks)) {}

  const SessionAnalysis& Current() const { return confirming_ ? *second_ : first_; }
  Report Merged(const Report& second, bool last) const;
  Confirmation ConfirmationOf(const Comparison& gate, const Report& second) const;

  SessionAnalysis first_;
  std::optional<SessionAnalysis> second_;  // with SessionSpec::confirm
  std::vector<std::string> benchmarks_;    // names, by index in the spec
  std::optional<Report> first_report_;     // once the first phase has ended
  bool confirming_ = false;
};

}  // namespace benchd
