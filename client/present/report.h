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
#include "core/model/session_spec.h"

namespace benchd::client {

// The text output of a session or command that has ended. Every text ends with a newline.

/// The level of detail of a result.
enum class Detail {
  kVerdict,  ///< --quiet: only the sentences
  kUsual,    ///< the changes, the warnings to act on, the verdict
  kAll,      ///< --verbose: all metrics and warnings
};

/// The largest expected shares of wrong verdicts, with `--error-rate fdr`.
struct WrongShares {
  double regressions = 0;
  double passes = 0;
};

/// Options and context for showing a result.
struct ReportOptions {
  Detail detail = Detail::kUsual;
  bool table = false;                       ///< the result is from a file and has no duration
  std::string session;                      ///< its ID; empty: not from a session
  std::optional<std::uint64_t> seed;        ///< shown only with kAll
  std::optional<std::uint64_t> decided_at;  ///< for a table
  std::optional<double> alpha;              ///< of all gates together, if known
  std::optional<double> pass_confidence;    ///< of all gates together, if passes have their own
  std::optional<WrongShares> wrong_shares;  ///< only with `--error-rate fdr`
  std::vector<std::pair<std::string, std::string>> commits = {};  ///< from ArmCommits()
};

/// Renders the findings: the table, the order of several candidates, warnings, the verdict as a
/// sentence if a metric gates, and a line with the amount of data.
std::string RenderFindings(const v1::Update& update, const ReportOptions& options,
                           const Style& style);

/// Describes the amount of data: "52 runs each, 21 s, 99 % confidence".
std::string MeasuredSentence(const v1::Update& update, const ReportOptions& options);

/// Returns the shares for a request with `--error-rate fdr`; nothing for any other.
std::optional<WrongShares> WrongSharesOf(const SessionSpec& spec);

/// Returns the options for a session that was watched to its end.
ReportOptions OptionsFor(const v1::Session& session, Detail detail);

/// Returns whether a session failed because its reference has never worked: its build, its program
/// or its first run failed. A bisection would fail in the same way at every step.
bool IsBaseBroken(const v1::Session& session);

/// Renders one line for `git bisect run`: "good: v1.2-3-gabc1234: candidate is ...", "bad: ...",
/// "skip: ..." for a session that failed or has no verdict, or "stop: base v1.2: ..." if the base
/// is broken. The line is about the last candidate.
std::string RenderBisectStep(const v1::Session& session, const Style& style);

/// Renders the cause of a failed session for stderr: "error: ...", "hint: ...", and the end of the
/// stderr of the run.
std::string RenderFailure(const std::string& session, const v1::Failed& failed);

/// Returns each arm that was built from a commit, in order and without duplicates, with
/// "v1.2-3-gabc1234 (ID)".
std::vector<std::pair<std::string, std::string>> ArmCommits(const v1::SessionSpec& spec);

/// Returns what arms have besides their commands, as pairs of arm and text: ("base", "shell bash,
/// input /tmp/a, env MODE"). Of variables, only the names are known. In a suite, the arm follows
/// the name of its benchmark and a slash.
std::vector<std::pair<std::string, std::string>> ArmExtras(const v1::SessionSpec& spec);

/// The comparisons that have a row.
enum class RowsShown {
  kWhatMatters,  ///< gates, then other metrics that clearly changed; a line counts the others
  kAll,          ///< all metrics; means with their standard deviations
};

/// Renders the table of a result: one row per comparison with both means, change, interval, margin
/// and verdict, gates first. There are columns for benchmark, metric and arms if there are several.
///
/// If the table is too wide, the means are left out first, because the change summarises them, and
/// then the margin, which the user knows. If that is not enough, the names are on separate lines
/// above the numbers, and finally change and interval are left out. Cells are never broken.
///
/// A tree_cpu_time that equals cpu_time has no row; with kAll, a line states that.
///
/// Ends with a newline; empty without comparisons.
///
/// @param session  the session whose record has the omitted rows; empty: --verbose shows them
std::string RenderResultTable(const v1::Update& update, RowsShown shown, const std::string& session,
                              const Style& style);

}  // namespace benchd::client
