#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

// Translates a session back to command lines that request it.

/// The `benchctl compare ...` that requests the same session with its seed, quoted for a shell.
/// Commits become --git, in their repository. If options cannot express the session, as for a
/// suite, this is the recorded invocation with the file name as typed. For a session of another
/// client, it is only "-f FILE".
std::string ReplayCommand(const v1::SessionSpec& spec, std::uint64_t seed);

/// How to recompute the numbers of a session from its export. Both fields are empty for a session
/// without numbers.
struct AnalyzeReplay {
  std::string command;  ///< "benchctl export ID --format csv | benchctl analyze - ..."
  std::string why_not;  ///< the reason if one command cannot do it
};

/// Turns the recorded settings of the session into options. Numbers have the shortest form that
/// reads back as the same double, so that the export gives the session's numbers to the last bit.
///
/// @param columns  the properties of metrics that the harness reported (ParsedMetrics)
AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns);

}  // namespace benchd::client
