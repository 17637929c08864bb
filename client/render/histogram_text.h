#pragma once

#include <span>
#include <string>

#include "client/render/text.h"
#include "core/analysis/table_figures.h"

namespace benchd::client {

/// The histograms of an analysis: for each benchmark and metric a row per bin, the arms side by
/// side with a bar and a count each. Bars of all arms have one scale, the share of the arm's
/// values, so that arms of different sizes can be compared.
///
/// Arms that do not fit the width follow below. Empty without histograms; else it ends with an
/// empty line.
std::string RenderHistograms(std::span<const ArmHistogram> histograms, const Style& style);

}  // namespace benchd::client
