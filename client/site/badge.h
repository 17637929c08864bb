#pragma once

#include <string>

#include "client/site/site.h"

namespace benchd::client {

/// Renders the badge of a benchmark as an SVG file in the shape of shields.io: its name on the
/// left, and on the right the worst of its series' newest verdicts. Pure.
std::string RenderBadge(const SiteBenchmark& benchmark);

}  // namespace benchd::client
