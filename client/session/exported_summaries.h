#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/base/result.h"
#include "core/model/summary.h"

namespace benchd::client {

/// Returns the summaries that the daemon keeps of a session (SummariesOf() in
/// core/model/summary.h), made from its export. An export does not list the benchmark CPUs, so
/// `settings` only has those of the settings that were held. Empty if the session has no verdict.
///
/// @errors kInvalidArgument: a gate or an estimate cannot be read
Result<std::vector<GateSummary>> SummariesOfExport(const v1::Session& session);

/// The summaries in a folder of exports.
struct ExportedSummaries {
  std::vector<GateSummary> summaries;  ///< in the order of the files' names, each session once
  std::vector<std::string> left_out;   ///< "FILE: REASON" of each file that has no verdict
};

/// Reads every file *.json of a folder (not of its subfolders), each made by `export --format
/// json`. Other files are left out, so that a folder may also contain reports. Summaries of other
/// benchmarks are skipped if `benchmark` is not empty.
///
/// @errors (exit 2) the folder cannot be read, or no file in it has a verdict
Result<ExportedSummaries> ReadExportedSummaries(const std::string& folder,
                                                const std::string& benchmark);

}  // namespace benchd::client
