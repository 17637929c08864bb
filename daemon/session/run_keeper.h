#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "daemon/ports/ports.h"
#include "daemon/session/batch_runner.h"
#include "daemon/store/store.h"

namespace benchd {

inline bool IsDiskFull(const Error& error) { return error.code == ErrorCode::kResourceExhausted; }

/// Stores what must not be lost, be it that the disk is full: attempts it, a second apart, until it
/// succeeds or the `stop` of its error is true. `clock` outlives it.
/// @return what the last attempt answered.
asio::awaitable<Result<void>> UntilThereIsRoom(
    const Clock* clock, std::function<bool(const Error&)> stop,
    std::function<asio::awaitable<Result<void>>()> attempt);

/// Hands a session's runs to the store, in order of execution. Blocks of a few milliseconds share a
/// transaction, as a commit costs more than they do.
class RunKeeper {
 public:
  /// What is taken and not committed should not be larger: it is held in memory.
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  RunKeeper(Store& store, SessionId id) : store_(store), id_(std::move(id)) {}

  /// Takes what has not been taken of a complete block.
  void Keep(BlockResult block);
  /// The same of a block that is not complete yet.
  void KeepSoFar(BlockResult& block);

  /// Takes what was printed outside of a block.
  void KeepLog(std::string text) {
    bytes_ += text.size();
    log_ += text;
  }

  /// How large about that is what has been taken and not committed.
  bool IsFull() const { return bytes_ >= kMostBytes; }

  /// Commits everything taken so far. After an error it is still there: call again.
  asio::awaitable<Result<void>> Commit();

  /// Commits the runs of a block that will be repeated, as dropped ones.
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

/// Puts the stored runs of a session together to the blocks they were, in order of execution.
///
/// Only the last block can be incomplete: the one that was under way when benchd ended. It is
/// dropped in the store.
class StoredBlocks {
 public:
  /// Takes a complete block; an error of its ends the loading and is the answer.
  using Taker = std::function<Result<void>(std::vector<Run>)>;

  /// `spec` outlives this.
  StoredBlocks(const SessionSpec& spec, Taker take) : spec_(spec), take_(std::move(take)) {}

  asio::awaitable<Result<void>> Load(Store& store, SessionId id);

  /// Runs that are in no block, now or from earlier interruptions.
  std::uint64_t dropped() const { return dropped_; }

 private:
  Result<void> Take(std::vector<Run> runs);

  const SessionSpec& spec_;
  const Taker take_;
  std::vector<Run> block_;  // the one that is not complete yet
  std::uint64_t dropped_ = 0;
};

}  // namespace benchd
