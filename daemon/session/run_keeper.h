#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/session_id.h"
#include "core/model/run.h"
#include "daemon/ports/sample_store.h"
#include "daemon/session/series_runner.h"

namespace benchd {

/// Hands a session's runs to the store, in order of execution. Blocks of a few milliseconds share a
/// transaction, as a commit costs more than they do.
class RunKeeper {
 public:
  RunKeeper(SampleStore& store, SessionId id) : store_(store), id_(std::move(id)) {}

  /// Takes what has not been taken of a complete block.
  void Keep(BlockResult block);
  /// The same of a block that is not complete yet.
  void KeepSoFar(BlockResult& block);

  /// Takes what was printed outside of a block.
  void KeepLog(std::string text) { log_ += text; }

  /// Commits everything taken so far. After an error it is still there: call again.
  asio::awaitable<Result<void>> Commit();

  /// Commits the runs of a block that will be repeated, as dropped ones.
  asio::awaitable<Result<void>> Drop(BlockResult block);

 private:
  SampleStore& store_;
  const SessionId id_;
  std::vector<Run> runs_;
  std::string log_;
};

}  // namespace benchd
