#include "daemon/store/records.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/try.h"
#include "core/model/inner_benchmarks.h"
#include "daemon/store/database.h"
#include "daemon/store/environment_files.h"
#include "daemon/store/open_database.h"
#include "daemon/store/pruning.h"
#include "daemon/store/run_table.h"
#include "daemon/store/session_table.h"
#include "daemon/store/state_files.h"

namespace benchd {

namespace {

constexpr std::chrono::seconds kLongestUnsynced{1};
/// The length of the log, 4 MiB, from which it is moved into the file between two sessions.
constexpr int kManyLogPages = 1024;
constexpr std::chrono::milliseconds kPruneBudget{50};

/// The disk space that runs and bundles leave free for submissions, cancellations and the ends of
/// sessions.
constexpr std::uint64_t kLargestReserve = std::uint64_t{64} << 20;
constexpr std::uint64_t kReserveShare = 16;

std::uint64_t ReserveOf(const DiskSpace& space) {
  return std::min(kLargestReserve, space.bytes / kReserveShare);
}

Error HistoryIsFull(const SessionId& id) {
  return {ErrorCode::kFailedPrecondition,
          fmt::format("session {}: its history has {} entries, so it cannot be moved any more",
                      id.value, kMaxHistoryLines),
          "cancel it, and submit it again with the right priority"};
}

}  // namespace

DiskSpace SpaceAround(const std::string& file) {
  struct statvfs found {};
  // The space is unknown; a write reports an error if it does not fit.
  if (::statvfs(file.c_str(), &found) != 0) return {};
  return {.bytes = std::uint64_t{found.f_blocks} * found.f_frsize,
          .available = std::uint64_t{found.f_bavail} * found.f_frsize};
}

struct Records::Tables {
  Tables(store::OpenedDatabase opened, store::EnvironmentFiles files, BundleFiles bundle_files,
         const StoreOptions& options)
      : database(std::move(opened.database)),
        runs(*database, options.limits),
        environments(std::move(files)),
        bundles(std::move(bundle_files)),
        warnings(std::move(opened.warnings)),
        limits(options.limits),
        disk(options.disk),
        steady(options.steady),
        sync(database->path() + "-wal", options.sync) {}

  std::unique_ptr<store::Database> database;
  store::SessionTable sessions{*database};
  store::RunTable runs;
  store::HistoryTable history{*database};
  store::SummaryTable summaries{*database};
  store::Pruning pruning{*database};
  store::EnvironmentFiles environments;
  BundleFiles bundles;
  std::vector<std::string> warnings;
  const StoreLimits limits;
  std::function<DiskSpace(const std::string& file)> disk;
  std::function<SteadyTime()> steady;
  store::LogSync sync;
  SteadyTime synced_at = steady();  ///< a sync was requested for all earlier commits

  static Result<std::unique_ptr<Tables>> Open(const std::filesystem::path& folder,
                                              const StoreOptions& options);

  /// Adds the summaries of all sessions from versions without summaries.
  Result<void> Summarise();
  /// Adds the summaries of a session that is done.
  Result<void> Summarise(const SessionId& id);

  /// Checks that the reserve of disk space is still free.
  Result<void> CheckRoom() const;
  /// Returns the free space beyond the reserve.
  std::uint64_t RoomLeft() const;

  /// Deletes a session's environment values and bundle.
  Result<void> RemoveFiles(const SessionId& id) const;

  /// Executes `change` as one transaction. Once per second, requests a sync afterwards.
  template <typename Change>
  Result<void> Commit(Change change) {
    const SteadyTime begun = steady();
    TRY(store::Transaction transaction, store::Transaction::Begin(*database));
    TRY_VOID(change());
    TRY_VOID(transaction.Commit());
    if (begun - synced_at >= kLongestUnsynced) {
      synced_at = begun;
      sync.Request();
    }
    return {};
  }

  /// Executes `change` and adds a history entry, as one transaction.
  template <typename Change>
  Result<void> CommitWith(const SessionId& id, const HistoryEntry& entry, Change change) {
    return Commit([&]() -> Result<void> {
      TRY_VOID(change());
      return history.Add(id, entry);
    });
  }
};

Result<std::unique_ptr<Records::Tables>> Records::Tables::Open(const std::filesystem::path& folder,
                                                               const StoreOptions& options) {
  TRY(store::OpenedDatabase opened, store::OpenDatabase(folder, options.lock_wait));
  TRY(store::EnvironmentFiles environments, store::EnvironmentFiles::Open(folder));
  TRY(BundleFiles bundles, BundleFiles::Open(folder));
  const bool migrated = opened.migrated;
  auto tables = std::make_unique<Tables>(std::move(opened), std::move(environments),
                                         std::move(bundles), options);
  if (migrated) {
    TRY_VOID(tables->Summarise());
  }
  TRY(std::set<SessionId> unfinished, tables->sessions.Unfinished());
  TRY_VOID(tables->environments.Sweep(unfinished));
  TRY_VOID(tables->bundles.Sweep(unfinished));
  return tables;
}

Result<void> Records::Tables::RemoveFiles(const SessionId& id) const {
  Result<void> values = environments.Remove(id);
  Result<void> bundle = bundles.Remove(id);
  if (!values) return std::move(values).error().Within("its environment could not be deleted");
  if (!bundle) return std::move(bundle).error().Within("its bundle could not be deleted");
  return {};
}

Result<void> Records::Tables::Summarise(const SessionId& id) {
  TRY(SessionRecord record, sessions.Load(id));
  ExpandBenchmarks(record.snapshot.found, record.spec);
  TRY_VOID(summaries.Add(record));
  return summaries.KeepNewest(record.spec.caller.uid, limits.summaries_a_user);
}

Result<void> Records::Tables::Summarise() {
  const auto add = [this](SessionRecord record) {
    ExpandBenchmarks(record.snapshot.found, record.spec);
    return summaries.Add(record);
  };
  return Commit([&] { return sessions.ForEachDone(add); });
}

Result<void> Records::Tables::CheckRoom() const {
  const DiskSpace space = disk(database->path());
  const std::uint64_t reserve = ReserveOf(space);
  if (space.available >= reserve) return {};
  return Error{ErrorCode::kResourceExhausted,
               fmt::format("{}: the disk is full ({} MiB free, {} MiB reserved for submissions and "
                           "the ends of sessions)",
                           database->path(), space.available >> 20, reserve >> 20),
               "make room on the file system of " + database->path()};
}

std::uint64_t Records::Tables::RoomLeft() const {
  const DiskSpace space = disk(database->path());
  if (space.bytes == 0) return kAnyRoom;
  return space.available - std::min(space.available, ReserveOf(space));
}

Records::Records(std::unique_ptr<Tables> tables) : tables_(std::move(tables)) {}
Records::Records(Records&&) noexcept = default;
Records::~Records() = default;

Result<Records> Records::Open(const std::filesystem::path& folder, const StoreOptions& options) {
  Result<std::unique_ptr<Tables>> tables = Tables::Open(folder, options);
  if (!tables) return std::move(tables).error().Within("opening the store");
  return Records(std::move(*tables));
}

Result<Records::AtStart> Records::LoadAtStart(Timestamp since, std::uint64_t at_least) {
  AtStart start;
  start.warnings = tables_->warnings;
  TRY(start.unfinished, tables_->sessions.LoadUnfinished(start.warnings));
  for (auto& [key, record] : start.unfinished) {
    ExpandBenchmarks(record.snapshot.found, record.spec);
  }
  TRY(start.turns, tables_->sessions.LoadTurns());
  TRY(start.times, tables_->sessions.LoadTimes(since, at_least));
  TRY(start.submissions, tables_->sessions.LoadSubmissions());
  for (const auto& [flag, sql] :
       {std::pair{&start.mode.paused, "SELECT paused FROM queue_mode"},
        std::pair{&start.mode.draining, "SELECT draining FROM queue_mode"}}) {
    TRY(std::int64_t value, tables_->database->QueryInteger(sql));
    *flag = value != 0;
  }
  return start;
}

Result<std::vector<SessionView>> Records::ListEnded(const SessionFilter& filter) {
  return tables_->sessions.ListEnded(filter);
}

Result<std::vector<SessionView>> Records::FindEnded(const std::string& prefix,
                                                    const std::optional<std::uint32_t>& owner) {
  return tables_->sessions.FindEnded(prefix, owner);
}

Result<std::optional<SessionId>> Records::OfRequest(std::uint32_t uid,
                                                    const std::string& request_id) {
  return tables_->sessions.OfRequest(uid, request_id);
}

Result<SessionRecord> Records::Load(const SessionId& id) {
  TRY(SessionRecord record, tables_->sessions.Load(id));
  // Before the spec is expanded, because the values are those of the benchmarks as submitted.
  if (!IsFinal(record.snapshot.state)) {
    TRY_VOID(tables_->environments.Merge(id, record.spec));
  }
  ExpandBenchmarks(record.snapshot.found, record.spec);
  return record;
}

Result<std::vector<HistoryEntry>> Records::History(const SessionId& id) {
  return tables_->history.Load(id);
}

Result<SessionDetails> Records::LoadDetails(const SessionId& id) {
  TRY(SessionRecord record, Load(id));
  TRY(std::vector<HistoryEntry> history, History(id));
  return SessionDetails{std::move(record), std::move(history)};
}

/// Stores everything or nothing: if one of the row, the environment values and the bundle cannot be
/// stored, the others are removed again.
Result<std::uint64_t> Records::Insert(SessionRecord record, const HistoryEntry& entry,
                                      BundleUpload* bundle) {
  const SessionId& id = record.snapshot.id;
  const store::EnvironmentValues values = store::TakeEnvironment(record.spec);
  const bool kept_apart = !values.empty() && !IsFinal(record.snapshot.state);
  bool may_have_written = false;
  std::uint64_t key = 0;
  const auto insert = [&]() -> Result<void> {
    TRY(key, tables_->sessions.Insert(record));
    may_have_written = true;
    if (kept_apart) {
      Result<store::UnsyncedFile> kept = tables_->environments.Write(id, values);
      if (!kept) return std::move(kept).error().Within("storing the environment");
      tables_->sync.Add(*std::move(kept));
    }
    if (bundle == nullptr) return {};
    Result<void> kept = bundle->KeepFor(id);
    if (!kept) return std::move(kept).error().Within("storing the bundle");
    return kept;
  };
  Result<void> done = tables_->CommitWith(id, entry, insert);
  if (!done && may_have_written) static_cast<void>(tables_->RemoveFiles(id));
  if (!done) return std::move(done).error();
  return key;
}

Result<void> Records::Update(const SessionSnapshot& snapshot, const HistoryEntry& entry) {
  const bool final = IsFinal(snapshot.state);
  const auto update = [&]() -> Result<void> {
    Result<void> stored = tables_->sessions.Update(snapshot);
    if (stored && snapshot.state == SessionState::kDone) stored = tables_->Summarise(snapshot.id);
    if (stored) stored = tables_->history.Add(snapshot.id, entry);
    if (stored && final) stored = tables_->sessions.Charge(snapshot.id);
    return stored;
  };
  Result<void> updated = tables_->Commit(update);
  if (!updated || !final) return updated;
  Result<void> removed = tables_->RemoveFiles(snapshot.id);
  if (removed) return {};
  // The final state is stored anyway; the next start removes the file.
  const HistoryEntry left{entry.at, removed.error().message};
  const auto tell = [&] { return tables_->history.Add(snapshot.id, left); };
  static_cast<void>(tables_->Commit(tell));
  return {};
}

Result<BundleUpload> Records::BeginBundle(std::uint32_t uid, const BundleClaim& claim,
                                          const BundleLimits& limits) {
  return tables_->bundles.Begin(uid, claim, limits, tables_->RoomLeft());
}

Result<void> Records::AppendBundle(BundleUpload* upload, const std::string& data) {
  return upload->Append(data, tables_->RoomLeft());
}

Result<void> Records::FinishBundle(BundleUpload* upload) { return upload->Finish(); }

Result<std::string> Records::ReadBundle(const SessionId& id, std::uint64_t offset,
                                        std::size_t most) {
  return tables_->bundles.Read(id, offset, most);
}

Result<void> Records::SetPriority(const SessionId& id, std::int32_t priority,
                                  const HistoryEntry& entry) {
  const auto change = [&]() -> Result<void> {
    TRY(std::uint64_t lines, tables_->history.Count(id));
    if (lines >= kMaxHistoryLines) return HistoryIsFull(id);
    return tables_->sessions.SetPriority(id, priority);
  };
  return tables_->CommitWith(id, entry, change);
}

Result<void> Records::KeepMode(QueueMode mode) {
  const std::string sql = fmt::format("UPDATE queue_mode SET paused = {:d}, draining = {:d}",
                                      mode.paused, mode.draining);
  return tables_->Commit([&] { return tables_->database->Execute(sql); });
}

Result<void> Records::Append(const SessionId& id, const std::vector<Run>& runs,
                             const std::string& log) {
  TRY_VOID(tables_->CheckRoom());
  if (std::optional<Error> unsynced = tables_->sync.TakeFailure()) return *std::move(unsynced);
  const auto append = [&] { return tables_->runs.Append(id, runs, log); };
  Result<void> done = tables_->Commit(append);
  // Keys that a rolled-back transaction assigned are invalid.
  if (!done) tables_->runs.Forget();
  return done;
}

Result<void> Records::DropBlock(const SessionId& id, RunPhase phase, std::uint32_t benchmark,
                                std::uint64_t block) {
  const auto drop = [&] { return tables_->runs.DropBlock(id, phase, benchmark, block); };
  return tables_->Commit(drop);
}

Result<std::vector<Run>> Records::LoadRuns(const SessionId& id, std::uint64_t first,
                                           std::uint64_t limit, std::uint64_t bytes) {
  return tables_->runs.Load(id, first, limit, bytes);
}

Result<LogTail> Records::LoadLog(const SessionId& id, std::size_t most_bytes) {
  return tables_->runs.LoadLog(id, most_bytes);
}

Result<std::vector<SessionId>> Records::Prune(const RetentionPolicy& policy, Timestamp now) {
  tables_->runs.Forget();
  return tables_->pruning.Prune(policy, now, kPruneBudget);
}

Result<std::vector<GateSummary>> Records::ListSummaries(const SummaryQuery& query) {
  return tables_->summaries.List(query);
}

bool Records::Checkpoint() {
  const SteadyTime begun = tables_->steady();
  const bool done = tables_->database->Checkpoint();
  if (done) tables_->synced_at = begun;
  return done;
}

bool Records::CheckpointIfDue() {
  if (tables_->database->pages_in_log() >= kManyLogPages) return Checkpoint();
  tables_->synced_at = tables_->steady();
  tables_->sync.Request();
  return true;
}

store::LogSync& Records::sync() { return tables_->sync; }

}  // namespace benchd
