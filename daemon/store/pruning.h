#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// Deletes ended sessions by a RetentionPolicy in small pieces, so that other calls on the Store's
/// thread never wait long.
///
/// The size of a session (sessions.bytes) is that of its rows: spec and state as JSON, the runs and
/// the output of children. For a session that has not ended it is only its spec and state.
/// Must not outlive its Database. @errors those of Database.
class Pruning {
 public:
  explicit Pruning(Database& database);

  /// Deletes for about `budget`, but at least one piece if there is one, and returns a few
  /// megabytes of free pages to the file system. A session that takes longer disappears at once;
  /// later calls delete its runs.
  /// @return the sessions whose rows were deleted; one that takes several calls is in each of them.
  /// Empty if the policy is satisfied.
  Result<std::vector<SessionId>> Prune(const RetentionPolicy& policy, Timestamp now,
                                       Nanoseconds budget);

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  Result<std::vector<std::int64_t>> Victims(const RetentionPolicy& policy, Timestamp now);
  Result<std::vector<SessionId>> DeleteUntil(Deadline deadline,
                                             const std::vector<std::int64_t>& victims);
  Result<SessionId> IdOf(std::int64_t key);
  Result<bool> Delete(std::int64_t key, Deadline deadline);
  Result<void> GiveSpaceBack();

  Database* database_;
  Statement select_leftovers_;
  Statement select_kept_;
  Statement select_id_;
  Statement delete_runs_;
  Statement delete_logs_;
  Statement delete_session_;
  Statement leave_for_later_;
};

}  // namespace benchd::store
