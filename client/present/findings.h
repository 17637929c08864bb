#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/model/warning.h"

namespace benchd::client {

/// Renders one line for each candidate and metric that gates in several benchmarks of a suite:
/// "geometric mean of wall_time: +1.2 % (+0.4 … +2.0 %) over 5 benchmarks". Otherwise empty.
std::string RenderGeometricMeans(const v1::Update& update, const Style& style);

/// Renders the order of several candidates: "fastest: b, then a 1.21 (1.19 … 1.23) times", or
/// "lowest max_rss: ..." for another metric. The factors are to the first arm. Groups of arms that
/// are not told apart say so: "(no clear difference)", or name the pairs without an interval. There
/// is one line per benchmark with an order; in a suite, the line names the benchmark.
std::string RenderArmOrder(const v1::Update& update, const Style& style);

/// Returns what the gates compare if it is not the mean, because the values that are shown of the
/// arms are means: "the gates compare by --estimator median; the values of the arms are means".
/// Otherwise, "".
std::string EstimatorNote(const v1::Update& update);

/// Renders one line, wrapped to the width, for each run that took far longer than the others. The
/// line lists the kernel events that were more frequent than in other runs. Empty if there is no
/// such run.
std::string RenderWorstRuns(const v1::Update& update, const Style& style);

/// Renders a warning on one line: its message and, if there is one, its hint.
std::string WarningText(const Warning& warning);

/// The warnings that are shown with a result.
enum class WarningsShown {
  kToActOn,  ///< all but notes; for each kind and arm, the worst one
  kNotes,    ///< notes; for each kind and arm, the worst one
  kAll,
};

/// Renders one line per warning, wrapped to the width. Ends with a newline unless empty.
std::string RenderWarnings(const v1::Update& update, WarningsShown shown, const Style& style);

}  // namespace benchd::client
