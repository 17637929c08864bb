#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"

namespace benchd::client {

// The session that explains a comparison: its arms run again, sampled. Pure.

/// How a comparison is explained.
struct ExplainingChoice {
  std::uint32_t frequency_hz = 1000;
  v1::CallGraph call_graph = v1::CALL_GRAPH_FRAME_POINTERS;
  std::vector<std::string> only = {};  ///< patterns of benchmarks; empty: those that changed
  bool operator==(const ExplainingChoice&) const = default;
};

/// Returns whether any gate of the session regressed or improved.
bool HasChange(const v1::Update& report);

/// Checks that the session can be explained: it is a comparison that has ended with a result.
///
/// @errors (exit 2) it has not ended, has failed or was cancelled, or measured its arms.
Result<void> CheckExplainable(const v1::Session& session);

/// Checks that the daemon returned all that a repetition of the session needs.
///
/// @errors (exit 2) an arm has variables, whose values are not kept; or its commits came from
///         another machine, unless this one has `kept` them.
Result<void> CheckRepeatable(const v1::Session& session, bool kept);

/// Returns the session that samples the benchmarks, references and candidates of `session` whose
/// gates regressed or improved; all of them if no gate did. A benchmark that the daemon found in a
/// program is requested from the program again.
///
/// The result lacks Limits.runs, Limits.max_time_seconds and the environment.
///
/// @param session  as from Get, or as it was submitted
/// @errors (exit 2) a pattern matches no benchmark.
Result<v1::SessionSpec> ExplainingSpec(const v1::Session& session, const ExplainingChoice& choice);

/// Sets the variables of the arms of `spec` as they were in the session that was submitted. The
/// daemon returns only their names.
void RestoreVariables(const v1::SessionSpec& submitted, v1::SessionSpec* spec);

/// What the runs of a session cost, according to its report.
struct ExplainingCost {
  /// Time of a block of all benchmarks of the explanation, with finding the functions of its
  /// samples; 0: unknown.
  double block_seconds = 0;
  double cpu_seconds = 0;  ///< CPU time of a run of the reference; 0: unknown
  /// Size of the change of the CPU time of a run; 0: unknown, or no gate changed.
  double change_seconds = 0;
  /// Standard deviation of the difference of two runs of a block, relative to `cpu_seconds`; 0:
  /// unknown.
  double relative_sd = 0;
  bool operator==(const ExplainingCost&) const = default;
};

/// Estimates the cost of the session `spec`, which explains `session`. With several changes to
/// explain, the CPU time and the change are those of the smallest relative change. CPU time is wall
/// time for a session without cpu_time.
ExplainingCost CostOf(const v1::Session& session, const v1::SessionSpec& spec);

/// How many blocks an explanation has, and what they can show.
struct ExplainingPlan {
  std::uint64_t blocks = 0;
  double seconds = 0;  ///< expected duration; 0: unknown
  /// The smallest change of a function of kUsualShare that will be seen, in seconds a run; 0:
  /// unknown, or too few blocks.
  double shown = 0;
  double change = 0;   ///< ExplainingCost::change_seconds
  double samples = 0;  ///< expected number of samples of a run of the reference; 0: unknown
  bool enough = true;  ///< whether half of the change will be seen
  bool operator==(const ExplainingPlan&) const = default;
};

/// Plans as many blocks as it takes to see a function that has half of the change, within the time
/// (core/analysis/profile_plan.h). Without a known change, half of the usual margin is meant.
///
/// @param spec  from ExplainingSpec()
/// @param runs  the number of blocks, if the user chose it
ExplainingPlan PlanOf(const v1::SessionSpec& spec, const ExplainingCost& cost, double max_seconds,
                      std::optional<std::uint64_t> runs);

/// Returns the variables of the session's environment that the caller's environment lacks.
std::vector<std::string> MissingVariables(const v1::Session& session, const v1::SessionSpec& spec);

}  // namespace benchd::client
