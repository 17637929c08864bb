#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/base/session_id.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "daemon/ports/sample_store.h"

namespace benchd {

/// Puts the stored runs of a session together to the blocks they were, in order of execution.
///
/// Only the last block can be incomplete: the one that was under way when benchd ended. It is
/// dropped in the store.
class StoredBlocks {
 public:
  /// Takes a complete block; an error of its ends the loading and is the answer.
  using Taker = std::function<Result<void>(const std::vector<Run>&)>;

  /// `spec` outlives this.
  StoredBlocks(const SessionSpec& spec, Taker take) : spec_(spec), take_(std::move(take)) {}

  asio::awaitable<Result<void>> Load(SampleStore& store, SessionId id);

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
