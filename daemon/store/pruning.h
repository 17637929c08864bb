#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// Deletes ended sessions according to a RetentionPolicy. Works in small steps, so that other calls
/// on the Store's thread never wait long.
///
/// The size of a session (sessions.bytes) is the size of its rows: spec and snapshot as JSON, runs,
/// and the output of children. Until the session ends, only the spec and snapshot are counted.
///
/// Must not outlive its Database. @errors those of Database.
class Pruning {
 public:
  explicit Pruning(Database& database);

  /// Deletes sessions for about `budget`, but at least one step if anything is left to delete. Also
  /// returns a few megabytes of free pages to the file system. If a session takes longer than
  /// `budget`, it becomes invisible at once, and later calls delete the rest of its rows.
  /// @return the sessions whose rows were deleted; empty if the policy is satisfied. A session that
  ///         takes several calls is in the result of each.
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
