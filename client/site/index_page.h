#pragma once

#include <string>

#include "client/site/site.h"

namespace benchd::client {

/// Renders the page that lists all benchmarks: the newest regressions and steps, and for each
/// machine a table with a row for each series. Pure; the same site gives the same bytes.
///
/// The number of rows is limited. A sentence says how many series are left out, whose pages exist
/// nevertheless.
std::string RenderIndexPage(const Site& site);

}  // namespace benchd::client
