#pragma once

#include <asio/awaitable.hpp>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/base/session_id.h"
#include "daemon/model/session.h"

namespace benchd {

/// Keeps sessions: what was asked and how far it came. Called on the loop's thread.
class SessionArchive {
 public:
  virtual ~SessionArchive() = default;

  /// Commits a new session; after success it survives kill -9.
  virtual asio::awaitable<Result<void>> Insert(SessionRecord record) = 0;

  /// Commits where a session stands now. A final state also deletes its environment values.
  virtual asio::awaitable<Result<void>> Update(SessionSnapshot snapshot) = 0;

  /// Puts what was committed onto the disk, so that it survives a loss of power, too. Takes
  /// milliseconds: for when nothing is measured. A failure loses nothing but that.
  virtual asio::awaitable<void> Settle() = 0;

  /// @errors kNotFound.
  virtual asio::awaitable<Result<SessionRecord>> Load(SessionId id) = 0;

  /// All sessions, oldest submission first.
  virtual asio::awaitable<Result<std::vector<SessionRecord>>> LoadAll() = 0;
};

}  // namespace benchd
