#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/limits.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/summary.h"
#include "daemon/store/bundle_files.h"
#include "daemon/store/log_sync.h"
#include "daemon/store/store_limits.h"

namespace benchd {

/// The size and the free space of a file system, in bytes.
struct DiskSpace {
  std::uint64_t bytes = 0;
  std::uint64_t available = 0;  ///< to unprivileged processes
};

/// Returns the space of the file system that contains `file`; all zeros if it is unknown.
DiskSpace SpaceAround(const std::string& file);

/// Options of Records::Open() and Store::Open().
struct StoreOptions {
  /// The clock that determines when a sync is requested for commits that no client waits for (once
  /// per second). Called on the thread that executes the calls.
  std::function<SteadyTime()> steady = [] { return SteadyTime(std::chrono::steady_clock::now()); };
  /// The time to wait for another process's lock.
  std::chrono::milliseconds lock_wait{5000};
  StoreLimits limits;
  std::function<DiskSpace(const std::string& file)> disk = SpaceAround;
  /// Syncs an open file to the disk; called on the threads that sync.
  store::LogSync::SyncFile sync = store::LogSync::SyncData;
  /// Whether a Store runs on separate threads (store.h).
  bool own_thread = true;
};

/// A session whose history has this many entries cannot be moved any more. Without this limit, a
/// user could make it grow endlessly by moving the session back and forth. Every other operation
/// adds at most one entry.
inline constexpr std::uint64_t kMaxHistoryLines = 100;

/// The memory that one call of LoadRuns() should use. A session may be larger than memory.
inline constexpr std::uint64_t kRunBytesPerLoad = std::uint64_t{4} << 20;

/// The persistent state of benchd: sessions with their histories, runs and logs, and the mode of
/// the queue.
///
/// The data is in one SQLite file, FOLDER/benchd.db (0600); environment values are in separate
/// files (environment_files.h). Calls block, and only one thread may use an object at a time; the
/// daemon uses a Store. Each call that changes data is one transaction, which includes the history
/// entry.
///
/// @errors of every call:
/// - kResourceExhausted if the disk is full. Nothing was changed, and the call may be repeated.
/// - kUnavailable if another process locks the file for `lock_wait`.
/// - kFailedPrecondition if the file is damaged. The write-ahead log is then kept, so the next
///   start checks the whole file and sets it aside.
/// - kPermissionDenied if the file is not writable.
/// - kNotFound if the session does not exist.
/// - kInternal for all other failures.
class Records {
 public:
  /// The state that benchd needs at startup.
  struct AtStart {
    std::vector<StoredSession> unfinished;  ///< in the order of their Insert()
    QueueMode mode;
    /// The users with started sessions, ordered by the start of their latest session, earliest
    /// first.
    std::vector<std::uint32_t> turns;
    std::vector<MachineTime> times;  ///< oldest first
    /// The user and time of every submission in the day before the last submission, oldest first.
    std::vector<std::pair<std::uint32_t, Timestamp>> submissions;
    /// Sentences about rows that cannot be read and files that were set aside.
    std::vector<std::string> warnings;
  };

  /// Opens the file; creates the folder (0700) and the file if they are missing. Checking the file
  /// takes about a second per gibibyte. A damaged file is set aside and replaced by a new one,
  /// which LoadAtStart() reports as a warning.
  /// @errors kPermissionDenied and kUnavailable as above; kFailedPrecondition if the file belongs
  ///         to another program or version. The file is then unchanged.
  static Result<Records> Open(const std::filesystem::path& folder, const StoreOptions& options);
  Records(Records&&) noexcept;
  Records& operator=(Records&&) = delete;
  ~Records();

  /// Loads the state for startup, without environment values. `times` covers the sessions that
  /// ended at or after `since`, and the last `at_least` sessions in any case. A session that cannot
  /// be read causes a warning, not an error.
  Result<AtStart> LoadAtStart(Timestamp since, std::uint64_t at_least);
  /// Returns the ended sessions that a filter selects, newest first.
  Result<std::vector<SessionView>> ListEnded(const SessionFilter& filter);
  /// Returns up to three ended sessions whose ids begin with `prefix`. They belong to `owner` (if
  /// absent, to any user), except for a session whose id is `prefix` itself.
  Result<std::vector<SessionView>> FindEnded(const std::string& prefix,
                                             const std::optional<std::uint32_t>& owner);
  /// Returns the session that this request of the user created, if any.
  Result<std::optional<SessionId>> OfRequest(std::uint32_t uid, const std::string& request_id);
  /// Loads a session; until it has ended, with its environment values. In this and in every other
  /// call, the spec has the benchmarks that were found in its programs (model/inner_benchmarks.h).
  Result<SessionRecord> Load(const SessionId& id);
  /// Returns a session's history, oldest entry first.
  Result<std::vector<HistoryEntry>> History(const SessionId& id);
  /// Combines Load() and History().
  Result<SessionDetails> LoadDetails(const SessionId& id);

  // A change survives kill -9 once its call has returned. It survives a power loss once a sync that
  // began afterwards has succeeded (sync()). At least once per second, a change requests a sync.

  /// Stores a new session with its bundle; null if it does not have a bundle.
  /// @return the key of its row. @errors kAlreadyExists.
  Result<std::uint64_t> Insert(SessionRecord record, const HistoryEntry& entry,
                               BundleUpload* bundle = nullptr);
  /// Stores a session's current state. A final state also deletes its environment values and its
  /// bundle. If that fails, an entry is added to its history, and the next start deletes them.
  Result<void> Update(const SessionSnapshot& snapshot, const HistoryEntry& entry);
  /// Changes a session's priority.
  /// @errors kFailedPrecondition if the session's history has kMaxHistoryLines entries.
  Result<void> SetPriority(const SessionId& id, std::int32_t priority, const HistoryEntry& entry);
  /// Stores the mode of the queue.
  Result<void> KeepMode(QueueMode mode);

  /// Appends runs and their output to a session. If the log exceeds StoreLimits::log_bytes, its
  /// oldest part is deleted. Part of the disk is reserved for other calls, so kResourceExhausted is
  /// returned before the disk is full.
  /// @errors kInvalidArgument with the metric's name if a value is not finite; kFailedPrecondition
  ///         if the session exceeds StoreLimits::session_bytes, session_metrics or session_stacks;
  ///         once, the error of a sync that was requested earlier.
  Result<void> Append(const SessionId& id, const std::vector<Run>& runs, const std::string& log);
  /// Marks the runs of an incomplete block of a phase as RunPhase::kDropped: it will be repeated.
  Result<void> DropBlock(const SessionId& id, RunPhase phase, std::uint32_t benchmark,
                         std::uint64_t block);
  /// Returns a session's runs of all phases in order of execution, starting at the `first`-th (from
  /// 0); empty after the last. Returns at most `limit` runs, and only as many as use `bytes` of
  /// memory together, but at least one: a single run may have 100,000 samples.
  Result<std::vector<Run>> LoadRuns(const SessionId& id, std::uint64_t first, std::uint64_t limit,
                                    std::uint64_t bytes);
  /// Returns the last `most_bytes` of a session's log, which may be far larger than memory.
  Result<LogTail> LoadLog(const SessionId& id, std::size_t most_bytes);

  // Bundles (bundle_files.h). The caller owns an upload and keeps it between calls. Uploads leave
  // the same reserve of disk space as Append().

  Result<BundleUpload> BeginBundle(std::uint32_t uid, const BundleClaim& claim,
                                   const BundleLimits& limits);
  Result<void> AppendBundle(BundleUpload* upload, const std::string& data);
  Result<void> FinishBundle(BundleUpload* upload);
  Result<std::string> ReadBundle(const SessionId& id, std::uint64_t offset, std::size_t most);

  /// Returns summaries of the sessions that are done, including deleted ones.
  Result<std::vector<GateSummary>> ListSummaries(const SummaryQuery& query);

  /// Deletes ended sessions with all their runs, earliest end first. A call takes about 100 ms;
  /// repeat it until the result is empty, which means that the policy is satisfied.
  /// @return the deleted sessions; one that takes several calls is in the result of each.
  Result<std::vector<SessionId>> Prune(const RetentionPolicy& policy, Timestamp now);
  /// Syncs all commits to the disk. Takes milliseconds, so call it only while nothing is measured.
  /// @return whether all commits are on the disk; a failure does not lose data.
  bool Checkpoint();
  /// Does the same if there are many commits since the last time; otherwise only requests a sync.
  /// @return like Checkpoint(); true if a sync was requested.
  bool CheckpointIfDue();

  /// Puts the changes onto the disk. May be used on another thread (log_sync.h).
  store::LogSync& sync();

 private:
  struct Tables;
  explicit Records(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

}  // namespace benchd
