#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

// Functions that translate a session back to command lines.

/// Where a command is repeated.
enum class ReplayPlace {
  kHere,      ///< on this machine: it begins with `cd REPOSITORY &&` if the arms are commits
  kAnyClone,  ///< in any clone of the repository
};

/// Returns the `benchctl compare ...` or `benchctl measure ...` command that requests the same
/// session with the same seed, quoted for a shell. Commits become --git with their IDs, in their
/// repository. If options cannot express the session, as for a suite, the result is the recorded
/// invocation with the file name as typed, or only "-f FILE" for a session of another client.
std::string ReplayCommand(const v1::SessionSpec& spec, std::uint64_t seed,
                          ReplayPlace place = ReplayPlace::kHere);

/// The way to recompute the numbers of a session from its export. Both fields are empty for a
/// session without numbers.
struct AnalyzeReplay {
  std::string command;  ///< "benchctl export ID --format csv | benchctl analyze - ..."
  std::string why_not;  ///< why a single command cannot recompute them
};

/// Returns the names by which `analyze --control` finds the controls of the session in its export:
/// those of whole benchmarks, and those of parts of their output.
std::vector<std::string> ControlNamesOf(const v1::Session& session);

/// Converts the recorded settings of the session to options. Numbers have the shortest form that
/// reads back as the same double, so that the export gives the session's numbers to the last bit.
///
/// @param columns  the properties of metrics that the harness reported (ParsedMetrics)
AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns);

}  // namespace benchd::client
