#pragma once

#include <string>

#include "client/site/site.h"

namespace benchd::client {

/// Renders the page of one benchmark: for each series a picture of its values, its verdicts and
/// steps, and a table of its newest entries. Pure; the same benchmark gives the same bytes.
///
/// The numbers of series, marks and rows are limited, so that a page has at most a few hundred
/// kilobytes. Sentences say what is left out.
std::string RenderBenchmarkPage(const SiteBenchmark& benchmark, const SiteOptions& options);

}  // namespace benchd::client
