#pragma once

#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

/// How the numbers of a session are had again from its export. Both are empty for a session that
/// has none.
struct AnalyzeReplay {
  std::string command;  ///< "benchctl export ID --format csv | benchctl analyze - ..."
  std::string why_not;  ///< where one command cannot say it
};

/// What the session recorded becomes options, numbers in the shortest form that reads back as the
/// same double: with them the export gives the session's numbers to the last bit.
///
/// @param columns  what the session's harness said of its metrics (parsed_metrics.h)
AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns);

}  // namespace benchd::client
