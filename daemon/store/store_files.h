#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "daemon/ports/session_archive.h"
#include "daemon/store/database.h"
#include "daemon/store/environment_files.h"
#include "daemon/store/pruning.h"
#include "daemon/store/run_table.h"
#include "daemon/store/session_table.h"
#include "daemon/store/sqlite_store.h"

namespace benchd::store {

/// What the ports promise (ports/session_archive.h, ports/sample_store.h), call by call: which
/// changes make one transaction, what has to be on the disk, and what goes with the file of
/// environment values. The writer thread's alone, once there is one.
class StoreFiles {
 public:
  static Result<StoreFiles> Open(const std::filesystem::path& state_dir,
                                 const StoreOptions& options);

  Result<void> AppendRuns(const SessionId& id, const std::vector<Run>& runs);
  Result<void> DropBlock(const SessionId& id, std::uint32_t benchmark, std::uint64_t block);
  Result<std::vector<Run>> LoadRuns(const SessionId& id, std::uint64_t first, std::uint64_t limit) {
    return runs_.Load(id, first, limit);
  }
  Result<void> AppendLog(const SessionId& id, const std::string& text);
  Result<LogTail> LoadLog(const SessionId& id, std::size_t most) { return runs_.LoadLog(id, most); }

  Result<void> Insert(SessionRecord record, const HistoryEntry& entry);
  Result<void> Update(const SessionSnapshot& snapshot, const HistoryEntry& entry);
  Result<void> Reprioritise(const SessionId& id, std::int32_t priority, const HistoryEntry& entry);
  Result<std::vector<HistoryEntry>> History(const SessionId& id) { return history_.Load(id); }
  Result<void> KeepMode(QueueMode mode);
  Result<std::vector<SessionId>> Prune(const KeepPolicy& policy, Timestamp now);
  void Settle();
  Result<SessionRecord> Load(const SessionId& id);
  Result<ArchiveContents> LoadAll();

 private:
  StoreFiles(std::unique_ptr<Database> database, SessionTable sessions, RunTable runs,
             HistoryTable history, Pruning pruning, EnvironmentFiles environments);

  /// What a change made while a session runs has to survive: each second one reaches the disk.
  Durability DurabilityNow() const;
  /// Does `change` as one transaction.
  template <typename Change>
  Result<void> Commit(Durability durability, Change change);
  /// The same, with a line of the session's history.
  template <typename Change>
  Result<void> CommitWith(const SessionId& id, const HistoryEntry& entry, Durability durability,
                          Change change);

  std::unique_ptr<Database> database_;
  SessionTable sessions_;
  RunTable runs_;
  HistoryTable history_;
  Pruning pruning_;
  EnvironmentFiles environments_;
  std::vector<std::string> complaints_;
  std::function<SteadyTime()> steady_;
  SteadyTime synced_at_;  ///< what was committed before is on the disk
};

}  // namespace benchd::store
