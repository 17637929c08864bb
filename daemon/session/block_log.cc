#include "daemon/session/block_log.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/try.h"

namespace benchd {

asio::awaitable<Result<void>> UntilThereIsRoom(
    const Clock* clock, std::function<bool(const Error&)> stop,
    std::function<asio::awaitable<Result<void>>()> attempt) {
  for (;;) {
    Result<void> kept = co_await attempt();
    if (kept || stop(kept.error())) co_return kept;
    co_await clock->Wait(std::chrono::seconds(1));
  }
}

template <typename Runs>
void BlockLog::Take(Runs first, Runs end) {
  for (; first != end; ++first) {
    const Run& taken = runs_.emplace_back(*first);
    bytes_ += sizeof(Run) + taken.samples.size() * sizeof(Sample) +
              taken.metrics.size() * sizeof(MetricInfo);
    for (const Sample& sample : taken.samples) bytes_ += sample.inner_benchmark.size();
  }
}

void BlockLog::Keep(BlockResult block) {
  const auto first = block.runs.begin() + static_cast<std::ptrdiff_t>(block.kept);
  Take(std::make_move_iterator(first), std::make_move_iterator(block.runs.end()));
  KeepLog(std::move(block.log));
}

void BlockLog::KeepSoFar(BlockResult& block) {
  const auto first = block.runs.begin() + static_cast<std::ptrdiff_t>(block.kept);
  Take(first, block.runs.end());
  block.kept = block.runs.size();
  KeepLog(std::exchange(block.log, {}));
}

asio::awaitable<Result<void>> BlockLog::Commit() {
  if (runs_.empty() && log_.empty()) co_return Result<void>{};
  Result<void> kept = co_await store_.DoForSession(&Records::Append, id_, runs_, log_);
  if (!kept) co_return std::move(kept).error().Within("storing a block");
  runs_.clear();
  log_.clear();
  bytes_ = 0;
  co_return Result<void>{};
}

asio::awaitable<Result<void>> BlockLog::Drop(BlockResult block) {
  std::set<std::uint32_t> benchmarks;
  for (const Run& run : block.runs) benchmarks.insert(run.benchmark);
  const std::uint64_t number = block.runs.front().block;
  const RunPhase phase = block.runs.front().phase;
  for (std::size_t run = block.kept; run < block.runs.size(); ++run) {
    block.runs[run].phase = RunPhase::kDropped;
  }
  const bool some_stored = block.kept > 0;
  Keep(std::move(block));
  Result<void> kept = co_await Commit();
  for (const std::uint32_t benchmark : benchmarks) {
    if (!kept || !some_stored) break;
    kept = co_await store_.DoForSession(&Records::DropBlock, id_, phase, benchmark, number);
  }
  co_return kept;
}

namespace {

/// The maximum number of runs that are read at once.
constexpr std::uint64_t kRunsPerLoad = 4096;

}  // namespace

asio::awaitable<Result<void>> StoredBlocks::Load(Store& store, SessionId id) {
  std::uint64_t loaded = 0;
  for (;;) {
    CO_TRY(std::vector<Run> runs, co_await store.DoForSession(&Records::LoadRuns, id, loaded,
                                                              kRunsPerLoad, kRunBytesPerLoad));
    if (runs.empty()) break;
    loaded += runs.size();
    Result<void> taken = Take(std::move(runs));
    if (!taken) co_return taken;
  }
  if (IsComplete()) co_return Give();
  if (block_.empty()) co_return Result<void>{};
  dropped_ += block_.size();
  const Run first = std::exchange(block_, {}).front();
  const std::map<std::uint32_t, std::size_t> lacking = std::exchange(lacking_, {});
  for (const auto& [benchmark, runs] : lacking) {
    CO_TRY_VOID(
        co_await store.DoForSession(&Records::DropBlock, id, first.phase, benchmark, first.block));
  }
  co_return Result<void>{};
}

Result<void> StoredBlocks::Take(std::vector<Run> runs) {
  for (Run& run : runs) {
    if (run.phase == RunPhase::kDropped) {
      ++dropped_;
      continue;
    }
    if (IsComplete() && !Continues(run)) TRY_VOID(Give());
    auto lacking = lacking_.find(run.benchmark);
    if (lacking == lacking_.end()) lacking = lacking_.emplace(run.benchmark, size_(run)).first;
    if (lacking->second > 0) --lacking->second;
    block_.push_back(std::move(run));
  }
  return {};
}

bool StoredBlocks::IsComplete() const {
  return !block_.empty() &&
         std::ranges::all_of(lacking_, [](const auto& one) { return one.second == 0; });
}

/// Returns whether the run belongs to the current block although that is complete.
bool StoredBlocks::Continues(const Run& run) const {
  const Run& first = block_.front();
  return run.phase != RunPhase::kWarmup && run.phase == first.phase && run.block == first.block &&
         lacking_.contains(run.benchmark);
}

Result<void> StoredBlocks::Give() {
  lacking_.clear();
  return take_(std::exchange(block_, {}));
}

}  // namespace benchd
