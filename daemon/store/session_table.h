#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// kNotFound for a session that was never inserted, or is no longer kept.
Error NoSuchSession(const SessionId& id);

/// The sessions themselves: one row each, spec and snapshot as JSON.
///
/// Writes what it is given: leaving out environment values is the caller's business
/// (state_files.h). Lives no longer than its Database.
class SessionTable {
 public:
  explicit SessionTable(Database& database);

  /// @errors kAlreadyExists for an id that is taken.
  Result<void> Insert(const SessionRecord& record);
  /// @errors kNotFound.
  Result<void> Update(const SessionSnapshot& snapshot);
  /// Adds up what a session that has ended takes, for Pruning.
  Result<void> Charge(const SessionId& id);
  /// Of releases that took longer ones, which no request can have any more.
  Result<void> ShortenRequestIds();
  /// @errors kNotFound.
  Result<void> SetPriority(const SessionId& id, std::int32_t priority);
  /// @errors kNotFound.
  Result<SessionRecord> Load(const SessionId& id);
  /// In the order in which they were inserted, which is that of the queue: several may have been
  /// submitted before the first of them was looked at. A row that cannot be read is left as it is
  /// and gets a sentence in `warnings`.
  Result<std::vector<StoredSession>> LoadAll(std::vector<std::string>& warnings);
  /// Who submitted when, within a day of the last submission; also what has been cancelled since.
  Result<std::vector<std::pair<std::uint32_t, Timestamp>>> LoadSubmissions();
  /// Takes those that are done, in order of their ends; what cannot be read is left out.
  /// @errors those of `take`, too.
  Result<void> ForEachDone(const std::function<Result<void>(const SessionRecord&)>& take);
  /// The sessions whose state is not final.
  Result<std::set<SessionId>> Unfinished();

 private:
  Result<StoredSession> ReadRow();
  Result<SessionHead> ReadHead(SessionState state);

  Database* database_;
  Statement insert_;
  Statement update_;
  Statement charge_;
  Statement shorten_request_ids_;
  Statement update_spec_;
  Statement select_;
  Statement select_heads_;
  Statement select_submissions_;
  Statement select_done_;
  Statement select_unfinished_;
};

/// What happened to the sessions. Lives no longer than its Database.
/// @errors all: kNotFound for a session that is not there; else as Database.
class HistoryTable {
 public:
  explicit HistoryTable(Database& database);

  Result<void> Add(const SessionId& id, const HistoryEntry& entry);
  /// Oldest first.
  Result<std::vector<HistoryEntry>> Load(const SessionId& id);
  /// How many there are; none of a session that is not there.
  Result<std::uint64_t> Count(const SessionId& id);

 private:
  Database* database_;
  Statement insert_;
  Statement count_;
  Statement select_;
};

/// What stays of sessions: a row for each gate of one that is done. Pruning knows nothing of it:
/// how many stay is KeepNewest()'s.
///
/// Lives no longer than its Database. @errors as Database.
class SummaryTable {
 public:
  explicit SummaryTable(Database& database);

  /// What there is to keep of a session that has ended; once, however often it is asked for.
  Result<void> Add(const SessionRecord& record);
  /// Deletes the oldest of a user's beyond so many.
  Result<void> KeepNewest(std::uint32_t uid, std::uint64_t most);
  /// A row that cannot be read is left out.
  Result<std::vector<GateSummary>> List(const SummaryQuery& query);

 private:
  Database* database_;
  Statement insert_;
  Statement delete_oldest_;
};

}  // namespace benchd::store
