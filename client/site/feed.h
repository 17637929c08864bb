#pragma once

#include <string>

#include "client/site/site.h"

namespace benchd::client {

/// Renders the newest regressions and steps as a feed (JSON Feed 1.1, jsonfeed.org). Pure.
///
/// The items have addresses only if the address of the site is known, because a feed has no address
/// of its own that they could be relative to.
std::string RenderFeed(const Site& site);

}  // namespace benchd::client
