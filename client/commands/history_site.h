#pragma once

#include <vector>

#include "client/app/command.h"
#include "client/site/site.h"
#include "client/site/site_folder.h"
#include "core/model/summary.h"

namespace benchd::client {

/// Returns the options of `history --site`.
std::vector<OptionInfo> SiteOptionInfos();

/// `history --site DIR`.
class HistorySite {
 public:
  /// Reads the options, and checks the folder before anything is read.
  ///
  /// @errors (exit 2) an option that a site does not have, those of CompleteAddresses() and of
  ///         SiteFolder::Prepare()
  static Result<HistorySite> Prepare(const CommandContext& context,
                                     const ChangePointSearch& search);

  /// Writes the site and reports what was written, on stderr or as the event `site`.
  Result<ExitCode> Write(const CommandContext& context, std::vector<GateSummary> summaries) const;

 private:
  HistorySite(SiteFolder folder, SiteOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {}

  SiteFolder folder_;
  SiteOptions options_;
};

}  // namespace benchd::client
