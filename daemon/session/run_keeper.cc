#include "daemon/session/run_keeper.h"

#include <iterator>
#include <utility>

namespace benchd {

void RunKeeper::Keep(BlockResult block) {
  const auto first = block.runs.begin() + static_cast<std::ptrdiff_t>(block.kept);
  runs_.insert(runs_.end(), std::make_move_iterator(first),
               std::make_move_iterator(block.runs.end()));
  log_ += block.log;
}

void RunKeeper::KeepSoFar(BlockResult& block) {
  const auto first = block.runs.begin() + static_cast<std::ptrdiff_t>(block.kept);
  runs_.insert(runs_.end(), first, block.runs.end());
  block.kept = block.runs.size();
  log_ += std::exchange(block.log, {});
}

asio::awaitable<Result<void>> RunKeeper::Commit() {
  if (!runs_.empty()) {
    std::vector<Run> runs = runs_;
    Result<void> kept = co_await store_.AppendRuns(id_, std::move(runs));
    if (!kept) co_return std::move(kept).error().Within("storing a block");
    runs_.clear();
  }
  if (!log_.empty()) {
    std::string log = log_;
    Result<void> kept = co_await store_.AppendLog(id_, std::move(log));
    if (!kept) co_return std::move(kept).error().Within("storing what a block printed");
    log_.clear();
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> RunKeeper::Drop(BlockResult block) {
  const std::uint32_t benchmark = block.runs.front().benchmark;
  const std::uint64_t number = block.runs.front().block;
  for (std::size_t run = block.kept; run < block.runs.size(); ++run) {
    block.runs[run].phase = RunPhase::kDropped;
  }
  const bool some_stored = block.kept > 0;
  Keep(std::move(block));
  Result<void> kept = co_await Commit();
  if (kept && some_stored) kept = co_await store_.DropBlock(id_, benchmark, number);
  co_return kept;
}

}  // namespace benchd
