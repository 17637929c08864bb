#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "daemon/session/block_executor.h"
#include "daemon/session/ports.h"
#include "daemon/store/store.h"

namespace benchd {

inline bool IsDiskFull(const Error& error) { return error.code == ErrorCode::kResourceExhausted; }

/// Stores data that must not be lost, even if the disk is full: repeats the attempt every second
/// until it succeeds or `stop` returns true for its error. `clock` must outlive it.
/// @return the result of the last attempt
asio::awaitable<Result<void>> UntilThereIsRoom(
    const Clock* clock, std::function<bool(const Error&)> stop,
    std::function<asio::awaitable<Result<void>>()> attempt);

/// Stores a session's runs in order of execution. Blocks of a few milliseconds share a transaction,
/// because a commit takes longer than such a block.
class BlockLog {
 public:
  /// Limit on uncommitted data, which is held in memory.
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  BlockLog(Store& store, SessionId id) : store_(store), id_(std::move(id)) {}

  /// Takes the runs of a complete block that have not been taken yet.
  void Keep(BlockResult block);
  /// Takes the runs of a block that is not complete yet.
  void KeepSoFar(BlockResult& block);

  /// Takes output that does not belong to a block.
  void KeepLog(std::string text) {
    bytes_ += text.size();
    log_ += text;
  }

  /// Returns whether uncommitted data has reached its approximate limit.
  bool IsFull() const { return bytes_ >= kMostBytes; }

  /// Commits everything taken so far. After an error the data is still held: call again.
  asio::awaitable<Result<void>> Commit();

  /// Commits the runs of a block that will be repeated, marked as dropped.
  asio::awaitable<Result<void>> Drop(BlockResult block);

 private:
  template <typename Runs>
  void Take(Runs first, Runs end);

  Store& store_;
  const SessionId id_;
  std::size_t bytes_ = 0;
  std::vector<Run> runs_;
  std::string log_;
};

/// Assembles the stored runs of a session into blocks, in order of execution.
///
/// Only the last block can be incomplete, because it was running when benchd ended. It is then
/// marked as dropped in the store. Benchmarks that shared processes have their runs in turn. Their
/// blocks are one, as when they were run (BlockResult).
class StoredBlocks {
 public:
  /// Takes a complete block; an error ends the loading and is returned.
  using Taker = std::function<Result<void>(std::vector<Run>)>;

  /// Returns the number of runs of the block to which the first run of a benchmark belongs. All
  /// blocks before it have been taken then.
  using Sizer = std::function<std::size_t(const Run& first)>;

  StoredBlocks(Sizer size, Taker take) : size_(std::move(size)), take_(std::move(take)) {}

  asio::awaitable<Result<void>> Load(Store& store, SessionId id);

  /// Returns the number of runs of incomplete blocks, from this or earlier interruptions.
  std::uint64_t dropped() const { return dropped_; }

 private:
  Result<void> Take(std::vector<Run> runs);
  /// Returns whether the block has all runs that it should have. It may have more: an earlier
  /// release ran every arm until the end.
  bool IsComplete() const;
  bool Continues(const Run& run) const;
  Result<void> Give();

  const Sizer size_;
  const Taker take_;
  std::vector<Run> block_;  // the current block
  /// The number of runs that it lacks, by benchmark: of one, or of each benchmark of a group.
  std::map<std::uint32_t, std::size_t> lacking_;
  std::uint64_t dropped_ = 0;
};

}  // namespace benchd
