#pragma once

#include <string>
#include <vector>

#include "client/site/site.h"

namespace benchd::client {

struct SiteFile {
  std::string path;  ///< below the site's folder; IsSitePath() holds for it
  std::string text;
};

/// Renders all files of a site (site_folder.h writes them). Pure. The same site gives the same
/// bytes: no file states when it was written.
std::vector<SiteFile> RenderSite(const Site& site);

}  // namespace benchd::client
