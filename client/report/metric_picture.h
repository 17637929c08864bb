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

// Comparisons as the rows of pictures, and one picture of a metric.

/// Where a change of that comparison begins to count; nothing of one without a margin.
std::optional<MarginLine> MarginOf(const v1::Comparison& one);

/// On what a comparison is drawn.
AxisUnit AxisOf(const Judged& judged);

/// "pass", or of a metric that does not gate which way it went.
std::string Outcome(const v1::Comparison& one);

/// "+10.2 % (+9.8 … +10.6 %)", as far as it is known.
std::string ChangeText(const v1::Comparison& one);

/// "wall_time, candidate vs base".
std::string LabelWithMetric(const v1::Comparison& one, const v1::Update& update);

/// The rows of each picture: all relative, or of one unit.
using IntervalGroups = std::vector<std::pair<AxisUnit, std::vector<IntervalRow>>>;

/// Those on that axis, which are begun where there are none.
std::vector<IntervalRow>& RowsOn(const AxisUnit& axis, IntervalGroups& groups);

/// @param prefix  of every label
IntervalGroups IntervalRows(const Comparisons& comparisons, const v1::Update& update,
                            const std::string& prefix);

/// Pictures below each other, as an SVG file of that name.
std::string PictureFile(const std::vector<Picture>& parts, const std::string& name);

/// One picture as an SVG file: the intervals of a metric above its distributions, in a suite those
/// of all its benchmarks.
///
/// @errors kInvalidArgument: no comparison is of that metric; the hint names those that are.
Result<std::string> RenderMetricPicture(const ReportSource& source, const std::string& metric);

// What a verdict over builds or over machines rests on, for DrawUnits().

/// The builds of both arms of a comparison, each by its mean beside what the reference's builds
/// come to. Nothing for arms of one build each, and where there is no estimate.
std::optional<UnitsOfPicture> LayoutsOf(const MetricRuns& runs, const v1::Comparison& comparison);

/// The sessions that were measured on several machines, together. Nothing where there is one
/// machine, or where they are not of one comparison.
std::optional<MachineCombination> CombinationOf(std::span<const ReportSource> sources);

/// What each machine found of one gate, and where one more would be.
/// @param gate  an index into combination.gates
UnitsOfPicture MachinesOf(const MachineCombination& combination, std::size_t gate);

}  // namespace benchd::client
