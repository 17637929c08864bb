#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"

namespace benchd::client {

// The estimates of a session that measures its arms without comparing them (`benchctl measure`),
// prepared for tables and sentences.

using Estimates = std::vector<const v1::Estimate*>;

/// Returns whether the session measures its arms.
bool Measures(const v1::SessionSpec& spec);
/// Returns whether the result consists of estimates.
inline bool Measures(const v1::Update& update) { return !update.estimates().empty(); }

/// Returns the estimates that the session was asked for, in their order.
Estimates AskedOf(const v1::Update& update);

/// Returns "measured" for a result that is as precise as requested, else "undecided".
std::string_view MeasuredWord(v1::Verdict verdict);

/// Returns what the session comes to at its end: "done", or "verdict" if it compares its arms.
std::string_view EndWord(const v1::Update& update);

/// Returns "mean", "median" or "quantile 0.99".
std::string EstimatorName(const v1::Estimate& estimate);

/// Returns the name of an estimate: "sleep", in suites "parse: sleep", with its metric unless all
/// that were asked for are of wall_time: "sleep max_rss".
std::string EstimateLabel(const v1::Estimate& estimate, const v1::Update& update);

/// Formats the estimate and its interval with as many digits as the interval requires: "101.2 ms",
/// "100.9 … 101.6 ms". The estimate is "-" without values, the interval "" without both ends.
std::string EstimateValue(const v1::Estimate& estimate, const Style& style);
std::string EstimateInterval(const v1::Estimate& estimate, const Style& style);
/// Formats the width of the interval relative to the estimate: "0.70 %". Empty without an interval.
std::string EstimateWidth(const v1::Estimate& estimate);
/// Formats all of that: "101.2 ms (100.9 … 101.6 ms, 0.70 % wide)".
std::string EstimateText(const v1::Estimate& estimate, const Style& style);
/// Describes the state of an estimate that was asked for: "measured", "wider than 1 %", or the
/// reason why it cannot be as precise. Empty for other estimates.
std::string EstimateState(const v1::Estimate& estimate);

/// Describes one estimate: "the mean wall_time of sleep is 101.2 ms (...)", and why it is not
/// precise.
std::string EstimateSentence(const v1::Estimate& estimate, const Style& style);

/// Describes the result of a session: "measured: ..." or "not as precise as requested: ...". The
/// first line is about the only estimate, or counts them; further lines are about those that are
/// not precise.
std::vector<std::string> MeasuredSentences(const v1::Update& update, const Style& style);

/// The estimates that have a row.
enum class EstimatesShown {
  kAsked,  ///< those that were asked for; a line counts the others
  kAll,
};

/// Renders the estimates as a table: one row per metric and arm. Ends with a newline; empty without
/// estimates.
///
/// @param session  the session whose record has the omitted rows; empty: --verbose shows them
std::string RenderEstimates(const v1::Update& update, EstimatesShown shown,
                            const std::string& session, const Style& style);

/// Renders what the intervals do not cover: that values of different sessions are not comparable.
/// Empty unless the result has this note.
std::string RenderMeasurementNote(const v1::Update& update, const Style& style);

/// Formats the progress of the estimates that were asked for, for one line: "sleep 101.2 ms (...)".
std::string MeasuredProgress(const v1::Update& update, const Style& style);

/// Renders one line per estimate that was asked for, for a live view, within the width of `style`
/// and `height` lines. If there is not enough room, those that are not precise yet come first.
std::vector<std::string> MeasuredLines(const v1::Update& update, double since_event_seconds,
                                       const Style& style, int height);

}  // namespace benchd::client
