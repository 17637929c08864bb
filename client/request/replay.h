#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

// A session back to the command lines that ask for it.

/// The `benchctl compare ...` that asks for the same session again, with its seed; quoted for a
/// shell. Commits are named by --git, in their repository. What a command line cannot say, as a
/// suite, is asked for as it was, with the file's name as it was typed; of a session of another
/// client there is only "-f FILE".
std::string ReplayCommand(const v1::SessionSpec& spec, std::uint64_t seed);

/// How the numbers of a session are had again from its export. Both are empty for a session that
/// has none.
struct AnalyzeReplay {
  std::string command;  ///< "benchctl export ID --format csv | benchctl analyze - ..."
  std::string why_not;  ///< where one command cannot say it
};

/// What the session recorded becomes options, numbers in the shortest form that reads back as the
/// same double: with them the export gives the session's numbers to the last bit.
///
/// @param columns  what the session's harness said of its metrics (ParsedMetrics)
AnalyzeReplay ReplayAnalysis(const v1::Session& session, std::span<const TableColumn> columns);

}  // namespace benchd::client
