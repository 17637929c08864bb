#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/present/sentence.h"
#include "client/present/text.h"

namespace benchd::client {

// What people read on stdout when something is over. All end with a newline.

/// How much of a result is told.
enum class Detail {
  kVerdict,  ///< --quiet: the sentences alone
  kUsual,    ///< what changed, the warnings to act on, the verdict
  kAll,      ///< --verbose: every metric, every warning
};

/// What a result is shown with, beside what was found.
struct ReportOptions {
  Detail detail = Detail::kUsual;
  bool table = false;                       ///< a file, which took no time here
  std::string session;                      ///< its ID; empty: none has been
  std::optional<std::uint64_t> seed;        ///< with all details
  std::optional<std::uint64_t> decided_at;  ///< of a table
  std::optional<double> alpha;              ///< of all gates together, where it is known
  std::vector<std::pair<std::string, std::string>> commits = {};  ///< ArmCommits()
};

/// What was found: the table, the order of several candidates, warnings, the verdict in a sentence
/// if anything gates, and a line of how much was measured.
std::string RenderFindings(const v1::Update& update, const ReportOptions& options,
                           const Style& style);

/// How much was measured: "52 runs each, 21 s, 99 % confidence".
std::string MeasuredSentence(const v1::Update& update, const ReportOptions& options);

/// A session as far as it is known when it was followed to its end.
ReportOptions OptionsFor(const v1::Session& session, Detail detail);

/// Whether a session has failed by its reference, before that has worked once: its build, its
/// program or its first run. For a bisection that is the same at every step.
bool IsBaseBroken(const v1::Session& session);

/// One line for `git bisect run`: "good: v1.2-3-gabc1234: candidate is ...", "bad: ...", "skip:
/// ..." for a session without a verdict or that failed, "stop: base v1.2: ..." where the base is
/// broken. The last candidate is what is judged.
std::string RenderBisectStep(const v1::Session& session, const Style& style);

/// Why a session failed, in lines for stderr: "error: ...", "hint: ...", the end of the run's
/// stderr.
std::string RenderFailure(const std::string& session, const v1::Failed& failed);

/// Arms that were built from a commit, each with "v1.2-3-gabc1234 (ID)"; in their order, once.
std::vector<std::pair<std::string, std::string>> ArmCommits(const v1::SessionSpec& spec);

/// Which comparisons have a row.
enum class RowsShown {
  kWhatMatters,  ///< gates, then other metrics that clearly changed; a line counts the rest
  kAll,          ///< every metric, means with their standard deviations
};

/// The table of every result: a row for each comparison with both means, change, interval, margin
/// and verdict, gates first. Columns name benchmark, metric and arms where there are several.
///
/// Fits the width: the means go first, since the change says what they are compared for; then the
/// margin, which is what the user has typed. Where that is not enough the names stand in a line of
/// their own above the numbers, and at last change and interval go. No cell is ever broken.
///
/// A tree_cpu_time that says what cpu_time says has no row; with kAll a line says so.
///
/// Ends with a newline; empty without comparisons.
///
/// @param session  whose record has what is left out; empty: --verbose has it
std::string RenderResultTable(const v1::Update& update, RowsShown shown, const std::string& session,
                              const Style& style);

}  // namespace benchd::client
