#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

// What people read on stdout when something is over. All end with a newline.

/// What a session found: per benchmark the arms' means and every metric's change with interval and
/// verdict word, of a suite then one table for all gates, then warnings and the verdict, if there
/// is one, in a sentence.
std::string RenderFindings(const v1::Update& update, const Style& style);

/// The result of a session: its findings and how to come back to it. Of a suite the one table
/// alone: `show` has the rest.
std::string RenderResult(const v1::Session& session, const Style& style);

/// The tables of RenderFindings alone.
std::string RenderComparisons(const v1::Update& update, const Style& style);

/// What a reader of the verdict should know, a line each.
std::string RenderWarnings(const v1::Update& update, const Style& style);

/// Why a session failed, in lines for stderr: "error: ...", "hint: ...", the end of the run's
/// stderr.
std::string RenderFailure(const std::string& session, const v1::Failed& failed);

/// Arms that were built from a commit, each with "v1.2-3-gabc1234 (ID)"; in their order, once.
std::vector<std::pair<std::string, std::string>> ArmCommits(const v1::SessionSpec& spec);

/// The `benchctl compare ...` that asks for the same session again, with its seed; quoted for a
/// shell. Commits are named by --git, in their repository. A suite cannot be said on a command
/// line: "benchctl compare -f FILE --seed N".
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
