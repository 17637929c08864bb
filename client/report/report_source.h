#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/report/flame_graph.h"
#include "client/report/pictures.h"
#include "core/analysis/machine_combination.h"
#include "core/analysis/table_plan.h"
#include "core/analysis/trajectory.h"
#include "core/base/result.h"

namespace benchd::client {

/// The runs of one benchmark in one metric. Several builds of an arm (the method `layouts`) are one
/// arm here; each run has the number of its build.
struct MetricRuns {
  std::string benchmark;
  std::string metric;
  std::string unit;
  double resolution = 0;           ///< 0 = unknown
  std::vector<ArmOfPicture> arms;  ///< only arms with a measured value
  std::vector<RunOfPicture> runs;  ///< in order of execution, including warm-up runs
};

/// The data for a section of a report: a session with its runs, or a table in the same form.
struct ReportSource {
  std::string name;    ///< the session's ID or the file's name
  bool table = false;  ///< `session` has only state and report
  v1::Session session;
  std::vector<MetricRuns> metrics;
  std::vector<Trajectory> trajectories;
  std::vector<FlamePair> flames;  ///< of a sampled session whose runs have their stacks
  /// The data for combining the session with sessions of other machines. Absent without a verdict,
  /// and if the machine is unknown.
  std::optional<MachineSession> on_machine;
  std::string analyze;  ///< the command that recomputes the numbers; may be empty
  std::string missing;  ///< why the runs are missing; empty if they are not
};

/// Makes the source for an ended session. The intervals are recomputed from the runs. If the runs
/// cannot be analysed (a session that failed early), `missing` has the reason.
///
/// @param runs  in order of execution, with their metrics if known, and with the stacks of a
/// sampled
///              session
ReportSource SourceOfSession(v1::Session session, std::span<const v1::Run> runs);

/// Makes the source for a table in the format of `analyze`.
/// @errors those of AnalyzeTable()
Result<ReportSource> SourceOfTable(std::string name, std::string_view csv,
                                   const benchd::TableOptions& options);

}  // namespace benchd::client
