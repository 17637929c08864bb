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

/// What `export --format json` wrote (ExportJson() in client/present/json.h).
///
/// @errors kFailedPrecondition for an export that was cut off; kInvalidArgument for what is no
///         export, with the first value that is of another kind.
Result<SessionExport> ReadSessionExport(std::string_view text, ExportedRuns runs);

/// What `combine` needs of a session: which it was, on which machine, and what its gates came to.
///
/// @param source  how messages call it: its file's name; in front of every error
/// @errors kFailedPrecondition for a session that does not count, because it has no verdict;
///         kInvalidArgument for one of a benchd that did not name its machine yet.
Result<MachineSession> MachineSessionOf(const v1::Session& session, const std::string& source);

}  // namespace benchd::client
