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

// Converts comparisons to rows of pictures, and draws the picture of a metric.

/// The margin of a comparison, if it has one.
std::optional<MarginLine> MarginOf(const v1::Comparison& one);

/// The axis for a comparison.
AxisUnit AxisOf(const Judged& judged);

/// The verdict ("pass"); for a metric that does not gate, its flag.
std::string Outcome(const v1::Comparison& one);

/// The estimate and, if known, the interval: "+10.2 % (+9.8 … +10.6 %)".
std::string ChangeText(const v1::Comparison& one);

/// "wall_time, candidate vs base".
std::string LabelWithMetric(const v1::Comparison& one, const v1::Update& update);

/// The rows of each picture. The rows of a picture are all relative, or have the same unit.
using IntervalGroups = std::vector<std::pair<AxisUnit, std::vector<IntervalRow>>>;

/// The rows for an axis. Adds a group if there is none.
std::vector<IntervalRow>& RowsOn(const AxisUnit& axis, IntervalGroups& groups);

/// @param prefix  put before every label
IntervalGroups IntervalRows(const Comparisons& comparisons, const v1::Update& update,
                            const std::string& prefix);

/// An SVG file with pictures below each other.
///
/// @param name  the title of the file
std::string PictureFile(const std::vector<Picture>& parts, const std::string& name);

/// An SVG file with the intervals of a metric above its distributions; in a suite, the intervals of
/// all benchmarks.
///
/// @errors kInvalidArgument: no comparison has that metric; the hint lists the known metrics.
Result<std::string> RenderMetricPicture(const ReportSource& source, const std::string& metric);

// The data behind a verdict over builds or over machines, for DrawUnits().

/// The builds of both arms of a comparison, each by its mean relative to the mean of the
/// reference's builds. None if each arm has one build or there is no estimate.
std::optional<UnitsOfPicture> LayoutsOf(const MetricRuns& runs, const v1::Comparison& comparison);

/// Combines sessions from several machines. None if there is only one machine or the sessions are
/// not of the same comparison.
std::optional<MachineCombination> CombinationOf(std::span<const ReportSource> sources);

/// The result of each machine for one gate, and the prediction for one more machine.
/// @param gate  an index into combination.gates
UnitsOfPicture MachinesOf(const MachineCombination& combination, std::size_t gate);

}  // namespace benchd::client
