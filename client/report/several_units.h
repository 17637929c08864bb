#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "benchd/v1/session.pb.h"
#include "client/report/pictures.h"
#include "client/report/report_source.h"
#include "core/analysis/machine_combination.h"

namespace benchd::client {

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
