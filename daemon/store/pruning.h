#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// Deletes ended sessions by a RetentionPolicy, a piece at a time, so that what else is asked of
/// the thread of the Store never waits long.
///
/// What a session takes (sessions.bytes) is what its rows hold: spec and state as JSON, the runs,
/// what children wrote. One that has not ended counts as its spec and state alone.
/// Lives no longer than its Database. @errors as Database.
class Pruning {
 public:
  explicit Pruning(Database& database);

  /// Deletes for about `budget`, at least something where there is something to delete, and gives a
  /// few megabytes that became free back to the file system. A session that takes longer is gone
  /// for everybody at once, its runs in the calls that follow.
  /// @return whose rows were deleted: a session that took several calls is named by each. Nobody:
  ///         the policy is kept to.
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
