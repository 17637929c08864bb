#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/session_id.h"
#include "core/model/run.h"

namespace benchd {

/// The end of a session's log.
struct LogTail {
  std::string text;
  std::uint64_t left_out = 0;  ///< bytes before it
};

/// Keeps the runs of sessions. Called on the loop's thread; the work happens on the writer's.
class SampleStore {
 public:
  virtual ~SampleStore() = default;

  /// Commits runs as one transaction: all or none. They survive kill -9 when it answers, and a loss
  /// of power once a second has passed and a further call has answered.
  /// @errors kResourceExhausted: the disk is full; nothing was kept, the same call may be repeated.
  virtual asio::awaitable<Result<void>> AppendRuns(SessionId id, std::vector<Run> runs) = 0;

  /// Marks the measured runs of an incomplete block as RunPhase::kDropped: it will be repeated.
  virtual asio::awaitable<Result<void>> DropBlock(SessionId id, std::uint32_t benchmark,
                                                  std::uint64_t block) = 0;

  /// Runs in order of execution, all phases, from the `first`-th on, `limit` at most.
  virtual asio::awaitable<Result<std::vector<Run>>> LoadRuns(SessionId id, std::uint64_t first,
                                                             std::uint64_t limit) = 0;

  /// Keeps a run's output (OutputKind::kLog) and gives back a session's, in order: its last `most`
  /// bytes, as it may be far larger than memory.
  virtual asio::awaitable<Result<void>> AppendLog(SessionId id, std::string text) = 0;
  virtual asio::awaitable<Result<LogTail>> LoadLog(SessionId id, std::size_t most) = 0;
};

}  // namespace benchd
