#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/gates.h"
#include "client/report/pictures.h"
#include "client/report/report_source.h"
#include "core/analysis/machine_combination.h"
#include "core/base/result.h"

namespace benchd::client {

// Functions that convert comparisons to rows of pictures and draw the picture of a metric.

/// Returns the margin of a comparison, if it has one.
std::optional<MarginLine> MarginOf(const v1::Comparison& one);

/// Returns the axis for a comparison.
AxisUnit AxisOf(const Judged& judged);

/// Returns the verdict ("pass", "pass, improved", "regression, confirmed"); for a metric that does
/// not gate, its flag.
std::string Outcome(const v1::Comparison& one);

/// Returns the gate as its second phase (--confirm) found it, if it had one.
std::optional<v1::Comparison> SecondPhaseOf(const v1::Comparison& one);

/// Formats the estimate and, if known, the interval: "+10.2 % (+9.8 … +10.6 %)".
std::string ChangeText(const v1::Comparison& one);

/// Returns the label with the metric: "wall_time, candidate vs base".
std::string LabelWithMetric(const v1::Comparison& one, const v1::Update& update);

/// The rows of each picture. All rows of a picture are relative or have the same unit.
using IntervalGroups = std::vector<std::pair<AxisUnit, std::vector<IntervalRow>>>;

/// Returns the rows for an axis. Adds a group if the axis has none.
std::vector<IntervalRow>& RowsOn(const AxisUnit& axis, IntervalGroups& groups);

/// Converts comparisons to rows, grouped by axis. The second phase of a gate has the row below.
///
/// @param prefix  text before every label
IntervalGroups IntervalRows(const Comparisons& comparisons, const v1::Update& update,
                            const std::string& prefix);

/// Renders an SVG file with the pictures one below the other.
///
/// @param name  the title of the file
std::string PictureFile(const std::vector<Picture>& parts, const std::string& name);

/// Renders an SVG file with the intervals of a metric above its distributions. For a suite, it has
/// the intervals of all benchmarks.
///
/// @errors kInvalidArgument: no comparison has that metric; the hint lists the known metrics.
Result<std::string> RenderMetricPicture(const ReportSource& source, const std::string& metric);

// Functions that return the data of a verdict over builds or machines, for DrawUnits().

/// Returns the builds of both arms of a comparison. The value of a build is its mean relative to
/// the mean of the reference's builds. Nothing if each arm has one build or there is no estimate.
std::optional<UnitsOfPicture> LayoutsOf(const MetricRuns& runs, const v1::Comparison& comparison);

/// Combines sessions from several machines. Returns nothing if there is only one machine or if the
/// sessions are not of the same comparison.
std::optional<MachineCombination> CombinationOf(std::span<const ReportSource> sources);

/// Returns the result of each machine for one gate, and the prediction for one more machine.
///
/// @param gate  an index into combination.gates
UnitsOfPicture MachinesOf(const MachineCombination& combination, std::size_t gate);

}  // namespace benchd::client
