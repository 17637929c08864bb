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

/// kNotFound for a session that was never inserted, or is no longer kept.
Error NoSuchSession(const SessionId& id);

/// The sessions themselves: one row each, spec and snapshot as JSON, and their labels.
///
/// Writes what it is given: leaving out environment values is the caller's business
/// (state_files.h). Lives no longer than its Database.
class SessionTable {
 public:
  explicit SessionTable(Database& database);

  /// @return the row's key. @errors kAlreadyExists for an id that is taken.
  Result<std::uint64_t> Insert(const SessionRecord& record);
  /// @errors kNotFound.
  Result<void> Update(const SessionSnapshot& snapshot);
  /// Adds up what a session that has ended takes, for Pruning.
  Result<void> Charge(const SessionId& id);
  /// @errors kNotFound.
  Result<void> SetPriority(const SessionId& id, std::int32_t priority);
  /// @errors kNotFound.
  Result<SessionRecord> Load(const SessionId& id);

  /// Those that have not ended, in the order in which they were inserted, which is that of the
  /// queue: several may have been submitted before the first of them was looked at. A row that
  /// cannot be read is left as it is and gets a sentence in `warnings`.
  Result<std::vector<StoredSession>> LoadUnfinished(std::vector<std::string>& warnings);
  /// Their ids, also of those that cannot be read.
  Result<std::set<SessionId>> Unfinished();
  /// The users whose sessions have begun, the one whose last session began first in front.
  Result<std::vector<std::uint32_t>> LoadTurns();
  /// Of the sessions that ended since then, and of the last `at_least` in any case; oldest first.
  Result<std::vector<MachineTime>> LoadTimes(Timestamp since, std::uint64_t at_least);
  /// Who submitted when, within a day of the last submission; also what has been cancelled since.
  Result<std::vector<std::pair<std::uint32_t, Timestamp>>> LoadSubmissions();

  /// The ended sessions that a filter selects, the newest first.
  Result<std::vector<SessionView>> ListEnded(const SessionFilter& filter);
  /// Up to three ended sessions whose ids begin with `prefix`: those of `owner`, or of anybody
  /// without one, and the one that has `prefix` as its id.
  Result<std::vector<SessionView>> FindEnded(const std::string& prefix,
                                             std::optional<std::uint32_t> owner);
  /// The session that a request of that user's has become.
  Result<std::optional<SessionId>> OfRequest(std::uint32_t uid, const std::string& request_id);

  /// Takes those that are done, in order of their ends; what cannot be read is left out.
  /// @errors those of `take`, too.
  Result<void> ForEachDone(const std::function<Result<void>(const SessionRecord&)>& take);

 private:
  Database* database_;
  Statement insert_;
  Statement insert_label_;
  Statement update_;
  Statement charge_;
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

/// The query of ListEnded(): ?1 is the key before which, ?2 how many, ?3 the state, ?4 the owner,
/// ?5 and ?6 a label's name and value, ?7 all labels as JSON; those that are not asked for are NULL
/// and ''.
std::string SelectEnded(const SessionFilter& filter);
/// The query of SummaryTable::List().
std::string SelectFor(const SummaryQuery& query);

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
