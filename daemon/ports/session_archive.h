#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/session_id.h"
#include "core/model/session.h"

namespace benchd {

/// Everything that is kept, as benchd finds it at its start.
struct ArchiveContents {
  std::vector<SessionRecord> sessions;  ///< in the order of their Insert()
  QueueMode mode;
  /// A sentence each: what could not be read and stays where it is, what was set aside.
  std::vector<std::string> complaints;
};

/// Keeps sessions: what was asked and how far it came. Called on the loop's thread.
///
/// What has been answered survives kill -9; what a client asked for (Insert, Reprioritise, a final
/// Update, KeepMode) also a loss of power. Each change of a session has its line in its history,
/// committed with it.
class SessionArchive {
 public:
  virtual ~SessionArchive() = default;

  /// Commits a new session.
  virtual asio::awaitable<Result<void>> Insert(SessionRecord record, HistoryEntry entry) = 0;

  /// Commits where a session stands now. A final state also deletes its environment values.
  virtual asio::awaitable<Result<void>> Update(SessionSnapshot snapshot, HistoryEntry entry) = 0;

  /// Commits another priority. @errors kNotFound.
  virtual asio::awaitable<Result<void>> Reprioritise(SessionId id, std::int32_t priority,
                                                     HistoryEntry entry) = 0;

  /// What happened to a session, oldest first. @errors kNotFound.
  virtual asio::awaitable<Result<std::vector<HistoryEntry>>> History(SessionId id) = 0;

  /// Commits whether the queue is paused or draining.
  virtual asio::awaitable<Result<void>> KeepMode(QueueMode mode) = 0;

  /// Deletes ended sessions with all their runs, oldest end first: a piece of about 100 ms, to be
  /// asked for again until it answers nobody, which means that the policy is kept to.
  /// @return who was deleted; a session that takes several pieces is named by each.
  virtual asio::awaitable<Result<std::vector<SessionId>>> Prune(KeepPolicy policy,
                                                                Timestamp now) = 0;

  /// Puts what was committed onto the disk, so that it survives a loss of power, too. Takes
  /// milliseconds: for when nothing is measured. A failure loses nothing but that.
  virtual asio::awaitable<void> Settle() = 0;

  /// @errors kNotFound.
  virtual asio::awaitable<Result<SessionRecord>> Load(SessionId id) = 0;

  /// All there is. A session that cannot be read is a complaint, not an error.
  virtual asio::awaitable<Result<ArchiveContents>> LoadAll() = 0;
};

}  // namespace benchd
