#pragma once

#include <span>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "core/analysis/table_figures.h"

namespace benchd::client {

/// mmtests' table: for each benchmark and metric a block with a row per figure (min, quartiles,
/// max, mean, deviation, variation, mean of the best 95 %; harmonic where higher is better) and a
/// column per arm. A percentage is the gain over the first reference as mmtests counts it: positive
/// is better. A star stands where an arm differs from a reference by the rule that is named below.
///
/// Arms that do not fit the width follow in a block of their own. What a sample does not have is
/// "-". Empty without summaries; else it ends with an empty line.
///
/// @param verdict        of the same table: who is compared with whom
/// @param mmtests_stars  which rule gave the stars
std::string RenderSummaries(std::span<const ArmSummary> summaries, const v1::Update& verdict,
                            bool mmtests_stars, const Style& style);

/// One table for a whole suite: a row for each gate, in the order of the suite, and below it the
/// other metrics that surely changed. On a terminal too narrow for it the arms' means are left out.
/// Ends with a newline.
std::string RenderSuite(const v1::Update& update, const Style& style);

}  // namespace benchd::client
