#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/report/pictures.h"
#include "core/analysis/machine_combination.h"
#include "core/analysis/table_plan.h"
#include "core/analysis/trajectory.h"
#include "core/base/result.h"

namespace benchd::client {

/// Every run of one benchmark in one metric. Several builds of one arm (the method layouts) are one
/// arm here, whose runs say of which build they are.
struct MetricRuns {
  std::string benchmark;
  std::string metric;
  std::string unit;
  double resolution = 0;           ///< 0 = unknown
  std::vector<ArmOfPicture> arms;  ///< those that have any measured value
  std::vector<RunOfPicture> runs;  ///< by order, warm-ups too
};

/// What a section of a report is made of: a session with its runs, or a table as if it were one.
struct ReportSource {
  std::string name;    ///< the session's ID, the file's name
  bool table = false;  ///< of the session there are only state and report
  v1::Session session;
  std::vector<MetricRuns> metrics;
  std::vector<Trajectory> trajectories;
  /// What combining it with sessions of other machines needs; absent without a verdict, and where
  /// nobody knows on which machine it was.
  std::optional<MachineSession> on_machine;
  std::string analyze;  ///< the command that computes its numbers again; may be empty
  std::string missing;  ///< why there is nothing of its runs; else empty
};

/// Of a session that has ended; its intervals are computed again from its runs, as they were then.
/// Runs that cannot be analysed (a session that failed early) are named in `missing`.
///
/// @param runs  in order of execution, with their metrics as far as known
ReportSource SourceOfSession(v1::Session session, std::span<const v1::Run> runs);

/// Of a table as `analyze` reads it.
/// @errors those of AnalyzeTable()
Result<ReportSource> SourceOfTable(std::string name, std::string_view csv,
                                   const benchd::TableOptions& options);

}  // namespace benchd::client
