#include "client/commands/history_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/link/host.h"
#include "client/link/step_aside.h"
#include "client/present/json_value.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/site/site_files.h"
#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostThreads = 16;

void Report(const CommandContext& context, const std::string& path, const Site& site,
            const SiteChanges& changes) {
  if (!context.json) {
    std::string text = fmt::format("benchctl: wrote {} of {} to {}", changes.written,
                                   Counted(changes.files, "file"), Printable(path));
    if (changes.removed > 0) text += fmt::format(", removed {}", changes.removed);
    std::cerr << text << "\n";
    return;
  }
  std::size_t series = 0;
  for (const SiteBenchmark& benchmark : site.benchmarks) series += benchmark.series.size();
  Json json = Named("site", "", Now());
  json["folder"] = path;
  json["benchmarks"] = site.benchmarks.size();
  json["series"] = series;
  json["files"] = changes.files;
  json["written"] = changes.written;
  json["removed"] = changes.removed;
  json["bytes"] = changes.bytes;
  std::cout << Line(json) << "\n";
}

}  // namespace

std::vector<OptionInfo> SiteOptionInfos() {
  return {{"site", 0, "DIR", "write a site of static pages to DIR, a new folder or an earlier site",
           kThisCommand},
          {"commit-url", 0, "URL", "link commits on the site, as in https://host/commit/{commit}",
           kThisCommand},
          {"site-url", 0, "URL", "the address of the site, for the links in its feed.json",
           kThisCommand}};
}

Result<HistorySite> HistorySite::Prepare(const CommandContext& context,
                                         const ChangePointSearch& search) {
  const ParsedArguments& arguments = context.arguments;
  for (const char* const other : {"output", "svg", "last"}) {
    if (!IsGiven(arguments, other)) continue;
    return UsageError(std::string("--site: conflicts with --") + other);
  }
  SiteOptions options;
  options.search = search;
  if (const std::string* url = LastValue(arguments, "commit-url")) options.commit_url = *url;
  if (const std::string* url = LastValue(arguments, "site-url")) options.address = *url;
  TRY_VOID(CompleteAddresses(&options));
  TRY(auto folder, SiteFolder::Prepare(*LastValue(arguments, "site")));
  return HistorySite(std::move(folder), std::move(options));
}

Result<ExitCode> HistorySite::Write(const CommandContext& context,
                                    std::vector<GateSummary> summaries) const {
  StepAside(context.link);
  TRY(const auto site,
      MakeSite(std::move(summaries), options_, std::min(CpusOfThisThread(), kMostThreads)));
  const auto changes = folder_.Write(RenderSite(site));
  if (!changes) return OutputFailed(changes.error());
  Report(context, *LastValue(context.arguments, "site"), site, *changes);
  return ExitCode::kPass;
}

}  // namespace benchd::client
