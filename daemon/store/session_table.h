#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// Returns the error kNotFound for a session that was never inserted or has been deleted.
Error NoSuchSession(const SessionId& id);

/// The table of sessions, with one row per session (spec and snapshot as JSON), and the table of
/// their labels.
///
/// The caller removes environment values from a spec first (environment_files.h). Must not outlive
/// its Database.
class SessionTable {
 public:
  explicit SessionTable(Database& database);

  /// Inserts a session and its labels. @return the row's key. @errors kAlreadyExists if the id is
  /// in use.
  Result<std::uint64_t> Insert(const SessionRecord& record);
  /// Replaces a session's snapshot. @errors kNotFound.
  Result<void> Update(const SessionSnapshot& snapshot);
  /// Computes the size of an ended session for Pruning.
  Result<void> Charge(const SessionId& id);
  /// Deletes a session that was inserted a moment ago.
  Result<void> Remove(const SessionId& id);
  /// Changes a session's priority. @errors kNotFound.
  Result<void> SetPriority(const SessionId& id, std::int32_t priority);
  /// Reads one session. @errors kNotFound.
  Result<SessionRecord> Load(const SessionId& id);

  /// Reads the unfinished sessions in the order of insertion, which is the order of the queue. A
  /// row that cannot be read is left unchanged and reported in `warnings`.
  Result<std::vector<StoredSession>> LoadUnfinished(std::vector<std::string>& warnings);
  /// Returns the ids of the unfinished sessions, including those that cannot be read.
  Result<std::set<SessionId>> Unfinished();
  /// Returns the users with started sessions, ordered by the start of their latest session,
  /// earliest first.
  Result<std::vector<std::uint32_t>> LoadTurns();
  /// Returns the machine times of the sessions that ended at or after `since`, and of the last
  /// `at_least` sessions in any case; oldest first.
  Result<std::vector<MachineTime>> LoadTimes(Timestamp since, std::uint64_t at_least);
  /// Returns the user and time of every submission in the day before the last submission, including
  /// sessions that were cancelled later.
  Result<std::vector<std::pair<std::uint32_t, Timestamp>>> LoadSubmissions();

  /// Returns the ended sessions that a filter selects, newest first.
  Result<std::vector<SessionView>> ListEnded(const SessionFilter& filter);
  /// Returns up to three ended sessions whose ids begin with `prefix`. They belong to `owner` (if
  /// absent, to any user), except for a session whose id is `prefix` itself.
  Result<std::vector<SessionView>> FindEnded(const std::string& prefix,
                                             std::optional<std::uint32_t> owner);
  /// Returns the session that this request of the user created, if any.
  Result<std::optional<SessionId>> OfRequest(std::uint32_t uid, const std::string& request_id);

  /// Calls `take` with each session that is done, in the order in which they ended. Skips rows that
  /// cannot be read.
  /// @errors also those of `take`.
  Result<void> ForEachDone(const std::function<Result<void>(const SessionRecord&)>& take);

 private:
  Database* database_;
  Statement insert_;
  Statement insert_label_;
  Statement update_;
  Statement charge_;
  Statement remove_;
  Statement set_priority_;
  Statement select_;
  Statement select_unfinished_;
  Statement select_ids_;
  Statement select_turns_;
  Statement select_times_;
  Statement select_submissions_;
  Statement find_;
  Statement find_request_;
  Statement select_done_;
};

/// Returns the query of ListEnded(), which selects keys below ?1. ?2 is the row limit, ?3 the
/// state, ?4 the owner, ?5 and ?6 the name and value of one label, ?7 all labels as JSON. Unused
/// parameters are NULL or ''.
std::string SelectEnded(const SessionFilter& filter);
/// Returns the query of SummaryTable::List().
std::string SelectFor(const SummaryQuery& query);

/// The table of the sessions' histories. Must not outlive its Database.
/// @errors of all functions: kNotFound if the session does not exist; otherwise those of Database.
class HistoryTable {
 public:
  explicit HistoryTable(Database& database);

  Result<void> Add(const SessionId& id, const HistoryEntry& entry);
  /// Returns a session's history, oldest entry first.
  Result<std::vector<HistoryEntry>> Load(const SessionId& id);
  /// Returns the number of entries; 0 if the session does not exist.
  Result<std::uint64_t> Count(const SessionId& id);

 private:
  Database* database_;
  Statement insert_;
  Statement count_;
  Statement select_;
};

/// The table of summaries, with one row per gate of each session that is done. Pruning does not
/// delete summaries; KeepNewest() limits their number.
///
/// Must not outlive its Database. @errors those of Database.
class SummaryTable {
 public:
  explicit SummaryTable(Database& database);

  /// Adds the summaries of an ended session. Idempotent.
  Result<void> Add(const SessionRecord& record);
  /// Deletes a user's summaries except for the newest `most`.
  Result<void> KeepNewest(std::uint32_t uid, std::uint64_t most);
  /// Returns the summaries that a query selects. Skips rows that cannot be read.
  Result<std::vector<GateSummary>> List(const SummaryQuery& query);

 private:
  Database* database_;
  Statement insert_;
  Statement delete_oldest_;
};

}  // namespace benchd::store
