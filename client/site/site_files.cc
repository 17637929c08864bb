#include "client/site/site_files.h"

#include "client/site/badge.h"
#include "client/site/benchmark_page.h"
#include "client/site/feed.h"
#include "client/site/index_page.h"
#include "client/site/site_paths.h"

namespace benchd::client {

std::vector<SiteFile> RenderSite(const Site& site) {
  std::vector<SiteFile> files;
  for (const SiteBenchmark& benchmark : site.benchmarks) {
    files.push_back({PagePath(benchmark.stem), RenderBenchmarkPage(benchmark, site.options)});
    files.push_back({BadgePath(benchmark.stem), RenderBadge(benchmark)});
  }
  files.push_back({std::string(kFeedPath), RenderFeed(site)});
  // The index comes last, so that an interrupted run has no links to missing pages.
  files.push_back({std::string(kIndexPath), RenderIndexPage(site)});
  return files;
}

}  // namespace benchd::client
