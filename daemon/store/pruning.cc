#include "daemon/store/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/try.h"

namespace benchd::store {
namespace {

/// Free pages that stay in the file for future sessions: 8 MiB of 4 KiB pages.
constexpr std::int64_t kSparePages = 2048;
/// The number of pages that one call returns to the file system. Each takes some microseconds,
/// because SQLite moves pages from the end of the file.
constexpr std::int64_t kPagesACall = 1024;

/// The columns of a session that the policy depends on.
struct Kept {
  std::int64_t key = 0;
  std::int64_t uid = 0;
  std::uint64_t bytes = 0;
  std::optional<Timestamp> ended_at;
};

/// Chooses the sessions to delete, in the order of `kept`, which is sorted by end time. Never
/// chooses the last one.
std::vector<std::int64_t> Choose(const std::vector<Kept>& kept, const RetentionPolicy& policy,
                                 Timestamp now) {
  std::uint64_t total = 0;
  std::map<std::int64_t, std::uint64_t> of_user;
  for (const Kept& session : kept) {
    total += session.bytes;
    of_user[session.uid] += session.bytes;
  }
  std::vector<std::int64_t> victims;
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    const Kept& session = kept[i];
    if (!session.ended_at) continue;
    const bool too_old = policy.age && *session.ended_at < now - *policy.age;
    const bool too_much = policy.bytes && total > *policy.bytes;
    const bool too_much_of_user =
        policy.bytes_per_user && of_user[session.uid] > *policy.bytes_per_user;
    if (!too_old && !too_much && !too_much_of_user) continue;
    victims.push_back(session.key);
    total -= session.bytes;
    of_user[session.uid] -= session.bytes;
  }
  return victims;
}

}  // namespace

Pruning::Pruning(Database& database)
    : database_(&database),
      // Selects ids that begin with '-', because '.' is the next character. The ids of other
      // sessions begin with neither.
      select_leftovers_(database, "SELECT key FROM sessions WHERE id >= '-' AND id < '.'"),
      // The index sessions_by_end has all these columns. Sessions that have not ended come first.
      select_kept_(database,
                   "SELECT key, uid, bytes, ended_at_ns FROM sessions ORDER BY ended_at_ns"),
      select_id_(database, "SELECT ltrim(id, '-') FROM sessions WHERE key = ?"),
      delete_runs_(database,
                   "DELETE FROM runs WHERE session = ?1"
                   " AND seq < (SELECT min(seq) + 2000 FROM runs WHERE session = ?1)"),
      delete_logs_(database,
                   "DELETE FROM logs WHERE key IN"
                   " (SELECT key FROM logs WHERE session = ? ORDER BY key LIMIT 8)"),
      delete_session_(database, "DELETE FROM sessions WHERE key = ?"),
      leave_for_later_(
          database,
          "UPDATE sessions SET id = '-' || id, request_id = '', state = 'deleted', spec = '',"
          " snapshot = '', submitted_at_ns = 0, started_at_ns = NULL, ended_at_ns = NULL,"
          " held_ns = NULL, bytes = 0 WHERE key = ? AND state <> 'deleted'") {}

Result<std::vector<SessionId>> Pruning::Prune(const RetentionPolicy& policy, Timestamp now,
                                              Nanoseconds budget) {
  const Deadline deadline = std::chrono::steady_clock::now() + budget;
  TRY(std::vector<std::int64_t> victims, Victims(policy, now));
  Result<std::vector<SessionId>> deleted = DeleteUntil(deadline, victims);
  if (!deleted) return deleted;
  TRY_VOID(GiveSpaceBack());
  return deleted;
}

Result<std::vector<std::int64_t>> Pruning::Victims(const RetentionPolicy& policy, Timestamp now) {
  std::vector<std::int64_t> victims;
  const auto keep_leftover = [&, this] { victims.push_back(select_leftovers_.Integer(0)); };
  TRY_VOID(select_leftovers_.Query(keep_leftover));
  std::vector<Kept> kept;
  const auto keep = [&, this] {
    Kept& session = kept.emplace_back();
    session.key = select_kept_.Integer(0);
    session.uid = select_kept_.Integer(1);
    session.bytes = static_cast<std::uint64_t>(select_kept_.Integer(2));
    if (select_kept_.IsNull(3)) return;
    session.ended_at = Timestamp(Nanoseconds(select_kept_.Integer(3)));
  };
  TRY_VOID(select_kept_.Query(keep));
  for (const std::int64_t key : Choose(kept, policy, now)) victims.push_back(key);
  return victims;
}

Result<std::vector<SessionId>> Pruning::DeleteUntil(Deadline deadline,
                                                    const std::vector<std::int64_t>& victims) {
  std::vector<SessionId> deleted;
  if (victims.empty()) return deleted;
  TRY(Transaction transaction, Transaction::Begin(*database_));
  for (const std::int64_t key : victims) {
    TRY(SessionId id, IdOf(key));
    TRY(bool all, Delete(key, deadline));
    deleted.push_back(std::move(id));
    if (!all || std::chrono::steady_clock::now() >= deadline) break;
  }
  TRY_VOID(transaction.Commit());
  return deleted;
}

Result<SessionId> Pruning::IdOf(std::int64_t key) {
  SessionId id;
  const auto keep = [&, this] { id.value = select_id_.Text(0); };
  TRY_VOID(select_id_.Query(keep, key));
  return id;
}

/// Deletes a session. @return false if the time was not enough; the next call deletes the rest.
Result<bool> Pruning::Delete(std::int64_t key, Deadline deadline) {
  for (Statement* piece : {&delete_runs_, &delete_logs_}) {
    for (;;) {
      TRY_VOID(piece->Run(key));
      if (database_->changed_rows() == 0) break;
      if (std::chrono::steady_clock::now() < deadline) continue;
      TRY_VOID(leave_for_later_.Run(key));
      return false;
    }
  }
  TRY_VOID(delete_session_.Run(key));
  return true;
}

Result<void> Pruning::GiveSpaceBack() {
  TRY(std::int64_t free, database_->QueryInteger("PRAGMA freelist_count"));
  if (free <= kSparePages) return {};
  const std::int64_t pages = std::min(free - kSparePages, kPagesACall);
  return database_->Execute(fmt::format("PRAGMA incremental_vacuum({})", pages));
}

}  // namespace benchd::store
