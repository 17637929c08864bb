#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/analysis/machine_combination.h"
#include "core/base/result.h"

namespace benchd::client {

/// A session with its runs.
struct SessionExport {
  v1::Session session;
  std::vector<v1::Run> runs;
};

enum class ExportedRuns { kRead, kSkip };

/// Reads the output of `export --format json` (ExportJson() in client/present/json.h).
///
/// @errors kFailedPrecondition: a truncated export; kInvalidArgument: other text, with the first
///         value of the wrong type.
Result<SessionExport> ReadSessionExport(std::string_view text, ExportedRuns runs);

/// Extracts the data that `combine` needs: the session, its machine and the results of its gates.
///
/// @param source  name for messages, usually the file name; every error begins with it
/// @errors kFailedPrecondition: a session without a verdict; kInvalidArgument: an export without
///         the machine, as from old releases.
Result<MachineSession> MachineSessionOf(const v1::Session& session, const std::string& source);

}  // namespace benchd::client
