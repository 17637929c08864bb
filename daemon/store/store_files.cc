#include "daemon/store/store_files.h"

#include <set>
#include <utility>

#include "daemon/store/open_database.h"

namespace benchd::store {
namespace {

constexpr std::chrono::seconds kLongestUnsynced{1};
constexpr std::chrono::milliseconds kPruneBudget{50};

}  // namespace

StoreFiles::StoreFiles(std::unique_ptr<Database> database, SessionTable sessions, RunTable runs,
                       HistoryTable history, Pruning pruning, EnvironmentFiles environments)
    : database_(std::move(database)),
      sessions_(std::move(sessions)),
      runs_(std::move(runs)),
      history_(std::move(history)),
      pruning_(std::move(pruning)),
      environments_(std::move(environments)) {}

Result<StoreFiles> StoreFiles::Open(const std::filesystem::path& state_dir,
                                    const StoreOptions& options) {
  Result<OpenedDatabase> opened = OpenDatabase(state_dir, options.lock_wait);
  if (!opened) return std::move(opened).error();
  Database& database = *opened->database;
  Result<SessionTable> sessions = SessionTable::Open(database);
  if (!sessions) return std::move(sessions).error();
  Result<RunTable> runs = RunTable::Open(database);
  if (!runs) return std::move(runs).error();
  Result<HistoryTable> history = HistoryTable::Open(database);
  if (!history) return std::move(history).error();
  Result<Pruning> pruning = Pruning::Open(database);
  if (!pruning) return std::move(pruning).error();
  Result<EnvironmentFiles> environments = EnvironmentFiles::Open(state_dir);
  if (!environments) return std::move(environments).error();
  Result<std::set<SessionId>> unfinished = sessions->Unfinished();
  if (!unfinished) return std::move(unfinished).error();
  if (Result<void> swept = environments->Sweep(*unfinished); !swept) {
    return std::move(swept).error();
  }
  StoreFiles files(std::move(opened->database), std::move(*sessions), std::move(*runs),
                   std::move(*history), std::move(*pruning), std::move(*environments));
  files.complaints_ = std::move(opened->complaints);
  files.steady_ = options.steady;
  files.synced_at_ = files.steady_();
  return files;
}

Durability StoreFiles::DurabilityNow() const {
  const bool due = steady_() - synced_at_ >= kLongestUnsynced;
  return due ? Durability::kPowerLoss : Durability::kProcessDeath;
}

template <typename Change>
Result<void> StoreFiles::Commit(Durability durability, Change change) {
  const SteadyTime begun = steady_();
  Result<Transaction> transaction = Transaction::Begin(*database_, durability);
  if (!transaction) return std::move(transaction).error();
  if (Result<void> done = change(); !done) return done;
  if (Result<void> done = transaction->Commit(); !done) return done;
  if (durability == Durability::kPowerLoss) synced_at_ = begun;
  return {};
}

template <typename Change>
Result<void> StoreFiles::CommitWith(const SessionId& id, const HistoryEntry& entry,
                                    Durability durability, Change change) {
  return Commit(durability, [&]() -> Result<void> {
    if (Result<void> done = change(); !done) return done;
    return history_.Add(id, entry);
  });
}

Result<void> StoreFiles::AppendRuns(const SessionId& id, const std::vector<Run>& runs) {
  // Keys that were handed out in a transaction that is undone name nothing.
  Result<void> done = Commit(DurabilityNow(), [&] { return runs_.Append(id, runs); });
  if (!done) runs_.Forget();
  return done;
}

Result<void> StoreFiles::DropBlock(const SessionId& id, std::uint32_t benchmark,
                                   std::uint64_t block) {
  return Commit(DurabilityNow(), [&] { return runs_.DropBlock(id, benchmark, block); });
}

Result<void> StoreFiles::AppendLog(const SessionId& id, const std::string& text) {
  return Commit(DurabilityNow(), [&] { return runs_.AppendLog(id, text); });
}

/// The row is undone when the values cannot be written, and the other way round.
Result<void> StoreFiles::Insert(SessionRecord record, const HistoryEntry& entry) {
  const SessionId& id = record.snapshot.id;
  const EnvironmentValues values = TakeEnvironment(record.spec);
  const bool kept_apart = !values.empty() && !IsFinal(record.snapshot.state);
  bool may_have_written = false;
  const auto insert = [&]() -> Result<void> {
    Result<void> inserted = sessions_.Insert(record);
    if (!inserted || !kept_apart) return inserted;
    may_have_written = true;
    Result<void> kept = environments_.Write(id, values);
    if (!kept) return std::move(kept).error().Within("keeping the environment");
    return kept;
  };
  Result<void> done = CommitWith(id, entry, Durability::kPowerLoss, insert);
  if (!done && may_have_written) static_cast<void>(environments_.Remove(id));
  return done;
}

Result<void> StoreFiles::Update(const SessionSnapshot& snapshot, const HistoryEntry& entry) {
  const bool final = IsFinal(snapshot.state);
  const Durability durability = final ? Durability::kPowerLoss : DurabilityNow();
  const auto update = [&] { return sessions_.Update(snapshot); };
  Result<void> updated = CommitWith(snapshot.id, entry, durability, update);
  if (!updated || !final) return updated;
  Result<void> removed = environments_.Remove(snapshot.id);
  if (removed) return {};
  // The end is stored all the same; the next start sweeps the file away.
  const auto nothing = [] { return Result<void>{}; };
  const HistoryEntry left{entry.at,
                          "its environment could not be deleted: " + removed.error().message};
  static_cast<void>(CommitWith(snapshot.id, left, DurabilityNow(), nothing));
  return {};
}

Result<void> StoreFiles::Reprioritise(const SessionId& id, std::int32_t priority,
                                      const HistoryEntry& entry) {
  const auto change = [&] { return sessions_.Reprioritise(id, priority); };
  return CommitWith(id, entry, Durability::kPowerLoss, change);
}

Result<void> StoreFiles::KeepMode(QueueMode mode) {
  const std::string sql = "UPDATE queue_mode SET paused = " + std::to_string(mode.paused) +
                          ", draining = " + std::to_string(mode.draining);
  return Commit(Durability::kPowerLoss, [&] { return database_->Execute(sql); });
}

Result<std::vector<SessionId>> StoreFiles::Prune(const KeepPolicy& policy, Timestamp now) {
  runs_.Forget();
  return pruning_.Prune(policy, now, kPruneBudget);
}

void StoreFiles::Settle() {
  const SteadyTime begun = steady_();
  if (database_->Checkpoint()) synced_at_ = begun;
}

Result<SessionRecord> StoreFiles::Load(const SessionId& id) {
  Result<SessionRecord> record = sessions_.Load(id);
  if (!record) return record;
  if (Result<void> merged = environments_.Merge(id, record->spec); !merged) {
    return std::move(merged).error();
  }
  return record;
}

Result<ArchiveContents> StoreFiles::LoadAll() {
  ArchiveContents contents;
  contents.complaints = complaints_;
  Result<std::vector<SessionRecord>> sessions = sessions_.LoadAll(contents.complaints);
  if (!sessions) return std::move(sessions).error();
  contents.sessions = std::move(*sessions);
  for (const auto& [flag, sql] :
       {std::pair{&contents.mode.paused, "SELECT paused FROM queue_mode"},
        std::pair{&contents.mode.draining, "SELECT draining FROM queue_mode"}}) {
    Result<std::int64_t> value = database_->QueryInteger(sql);
    if (!value) return std::move(value).error();
    *flag = *value != 0;
  }
  return contents;
}

}  // namespace benchd::store
