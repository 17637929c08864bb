#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/base/session_id.h"
#include "daemon/model/run.h"

namespace benchd {

/// Keeps the runs of sessions. Called on the loop's thread; the work happens on the writer's.
class SampleStore {
 public:
  virtual ~SampleStore() = default;

  /// Commits one block's runs as one transaction: all or none. Done when it answers.
  virtual asio::awaitable<Result<void>> AppendBlock(SessionId id, std::vector<Run> runs) = 0;

  /// Runs in order of execution, all phases, from the `first`-th on, `limit` at most.
  virtual asio::awaitable<Result<std::vector<Run>>> LoadRuns(SessionId id, std::uint64_t first,
                                                             std::uint64_t limit) = 0;

  /// Keeps a run's output (OutputKind::kLog) and gives back all of a session's, in order.
  virtual asio::awaitable<Result<void>> AppendLog(SessionId id, std::string text) = 0;
  virtual asio::awaitable<Result<std::string>> LoadLog(SessionId id) = 0;
};

}  // namespace benchd
