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

namespace benchd {

/// What may come into the store of one session, and stay of one user.
struct StoreLimits {
  /// The newest that a session's runs printed.
  std::uint64_t log_bytes = Budgets().At(Limit::kLogASession);
  /// Runs and log of a session.
  std::uint64_t session_bytes = Budgets().At(Limit::kStoredASession);
  /// Names, and inner benchmarks with each, of what a session's runs measure.
  std::uint64_t session_metrics = Budgets().At(Limit::kMetricsASession);
  std::uint64_t summaries_a_user = Budgets().At(Limit::kSummariesAUser);  ///< the newest
};

/// A file system, in bytes.
struct DiskSpace {
  std::uint64_t bytes = 0;
  std::uint64_t available = 0;  ///< to who is not root
};

/// The space where `file` lies; nothing of nothing where the system does not tell.
DiskSpace SpaceAround(const std::string& file);

/// How records are opened, and the Store before them.
struct StoreOptions {
  /// By this clock commits reach the disk each second; asked where the work is done.
  std::function<SteadyTime()> steady = [] { return SteadyTime(std::chrono::steady_clock::now()); };
  /// How long another process' lock is waited for.
  std::chrono::milliseconds lock_wait{5000};
  StoreLimits limits;
  std::function<DiskSpace(const std::string& file)> disk = SpaceAround;
  /// Of a Store: whether it works on a thread of its own (store.h).
  bool own_thread = true;
};

/// The end of a session's log.
struct LogTail {
  std::string text;
  std::uint64_t left_out = 0;  ///< bytes before it, kept or not
};

/// What a session's history may have for a move to add its line: who moves a session back and forth
/// would let it grow without end. All else that a user does to it is one line.
inline constexpr std::uint64_t kMaxHistoryLines = 100;

/// What a load of runs should take: sessions are larger than memory.
inline constexpr std::uint64_t kRunBytesPerLoad = std::uint64_t{4} << 20;

/// What benchd keeps: sessions, what happened to them, their runs and logs, the queue's mode.
///
/// One SQLite file, FOLDER/benchd.db (0600), with environment values beside it
/// (state_files.h). Synchronous, and used by one thread at a time: the daemon asks through a
/// Store. Each call that changes something is one transaction with its line of history: all or
/// none.
///
/// @errors of every call: kResourceExhausted when the disk is full (nothing was kept, the same call
///         may be repeated); kUnavailable when another process holds the file for `lock_wait`;
///         kFailedPrecondition when it is damaged (the log then stays: the next start checks the
///         whole file and sets it aside); kPermissionDenied when it cannot be written; kNotFound
///         for a session that is not there; else kInternal.
class Records {
 public:
  /// What benchd has to know at its start.
  struct AtStart {
    std::vector<StoredSession> unfinished;  ///< in the order of their Insert()
    QueueMode mode;
    /// The users whose sessions have begun, the one whose last session began first in front.
    std::vector<std::uint32_t> turns;
    std::vector<MachineTime> times;  ///< oldest first
    /// Whose submissions came within the last day of which there are any, in that order.
    std::vector<std::pair<std::uint32_t, Timestamp>> submissions;
    /// A sentence each: what could not be read and stays where it is, what was set aside.
    std::vector<std::string> warnings;
  };

  /// Opens the file, making folder (0700) and file where there are none; a second for each gibibyte
  /// that has to be checked. A damaged file is set aside and a new one made:
  /// LoadAtStart() tells of it.
  /// @errors kPermissionDenied, kUnavailable as above; kFailedPrecondition when the file is another
  ///         program's or another version's. It is then left as it is.
  static Result<Records> Open(const std::filesystem::path& folder, const StoreOptions& options);
  Records(Records&&) noexcept;
  Records& operator=(Records&&) = delete;
  ~Records();

  /// The time of sessions that ended before `since` counts for the last `at_least` alone. Without
  /// environment values. A session that cannot be read is a warning, not an error.
  Result<AtStart> LoadAtStart(Timestamp since, std::uint64_t at_least);
  /// The ended sessions that a filter selects, the newest first.
  Result<std::vector<SessionView>> ListEnded(const SessionFilter& filter);
  /// Up to three ended sessions whose ids begin with `prefix`: those of `owner`, or of anybody
  /// without one, and the one that has `prefix` as its id.
  Result<std::vector<SessionView>> FindEnded(const std::string& prefix,
                                             const std::optional<std::uint32_t>& owner);
  /// The session that a request of that user's has become.
  Result<std::optional<SessionId>> OfRequest(std::uint32_t uid, const std::string& request_id);
  /// With environment values, until the session has ended.
  Result<SessionRecord> Load(const SessionId& id);
  /// What happened to a session, oldest first.
  Result<std::vector<HistoryEntry>> History(const SessionId& id);
  /// Both at once.
  Result<SessionDetails> LoadDetails(const SessionId& id);

  // What was answered survives kill -9. A loss of power: what a client asked for (Insert,
  // SetPriority, KeepMode), a final Update, and any call that answers a second after the last one
  // that did.

  /// Keeps a new session, with the bundle that has come for it; without one it is null.
  /// @return the key of its row. @errors kAlreadyExists.
  Result<std::uint64_t> Insert(SessionRecord record, const HistoryEntry& entry,
                               BundleUpload* bundle = nullptr);
  /// Keeps where a session stands now. A final state also deletes its environment values and its
  /// bundle; where that fails its history tells, and the next start does it.
  Result<void> Update(const SessionSnapshot& snapshot, const HistoryEntry& entry);
  /// @errors kFailedPrecondition: the session's history has kMaxHistoryLines.
  Result<void> SetPriority(const SessionId& id, std::int32_t priority, const HistoryEntry& entry);
  Result<void> KeepMode(QueueMode mode);

  /// Keeps runs, and what they printed, behind those before; of the log the newest that fits
  /// StoreLimits::log_bytes. A part of the disk is left to the other calls: kResourceExhausted
  /// comes before it is full.
  /// @errors kInvalidArgument for a value that is not finite, with the metric's name;
  ///         kFailedPrecondition when the session would take more than
  ///         StoreLimits::session_bytes, or have more metrics than StoreLimits::session_metrics.
  Result<void> Append(const SessionId& id, const std::vector<Run>& runs, const std::string& log);
  /// Marks the measured runs of an incomplete block as RunPhase::kDropped: it will be repeated.
  Result<void> DropBlock(const SessionId& id, std::uint32_t benchmark, std::uint64_t block);
  /// Runs in order of execution, all phases, from the `first`-th on, `limit` at most; as many as
  /// take `bytes` in memory with their samples, of which one may have 100,000, and one at least.
  /// Empty at the end.
  Result<std::vector<Run>> LoadRuns(const SessionId& id, std::uint64_t first, std::uint64_t limit,
                                    std::uint64_t bytes);
  /// The last `most_bytes` of what a session's runs printed, which may be far larger than memory.
  Result<LogTail> LoadLog(const SessionId& id, std::size_t most_bytes);

  // Bundles (bundle_files.h). An upload belongs to who asks, and outlives each call. It leaves the
  // same part of the disk to the other calls as Append().

  Result<BundleUpload> BeginBundle(std::uint32_t uid, const BundleClaim& claim,
                                   const BundleLimits& limits);
  Result<void> AppendBundle(BundleUpload* upload, const std::string& data);
  Result<void> FinishBundle(BundleUpload* upload);
  Result<std::string> ReadBundle(const SessionId& id, std::uint64_t offset, std::size_t most);

  /// Summaries of the sessions that are done, also of those that are deleted.
  Result<std::vector<GateSummary>> ListSummaries(const SummaryQuery& query);

  /// Deletes ended sessions with all their runs, oldest end first: a piece of about 100 ms, to be
  /// asked for again until it answers nobody, which means that the policy is kept to.
  /// @return who was deleted; a session that takes several pieces is named by each.
  Result<std::vector<SessionId>> Prune(const RetentionPolicy& policy, Timestamp now);
  /// Puts what was committed onto the disk. Takes milliseconds: for when nothing is measured.
  /// @return whether all of it is there; a failure loses nothing.
  bool Checkpoint();

 private:
  struct Tables;
  explicit Records(std::unique_ptr<Tables> tables);
  std::unique_ptr<Tables> tables_;
};

}  // namespace benchd
