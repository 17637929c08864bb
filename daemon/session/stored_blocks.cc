#include "daemon/session/stored_blocks.h"

#include <utility>

#include "core/model/spec_queries.h"

namespace benchd {
namespace {

/// Runs are read in pieces of that many.
constexpr std::uint64_t kRunsPerLoad = 4096;

std::size_t SizeOfBlock(const SessionSpec& spec, std::uint32_t benchmark) {
  std::size_t size = 0;
  for (const std::size_t count : RunsPerBlock(spec.benchmarks[benchmark])) size += count;
  return size;
}

}  // namespace

asio::awaitable<Result<void>> StoredBlocks::Load(SampleStore& store, SessionId id) {
  bool more = true;
  for (std::uint64_t first = 0; more; first += kRunsPerLoad) {
    Result<std::vector<Run>> runs = co_await store.LoadRuns(id, first, kRunsPerLoad);
    if (!runs) co_return std::move(runs).error();
    more = runs->size() == kRunsPerLoad;
    Result<void> taken = Take(std::move(runs).value());
    if (!taken) co_return taken;
  }
  if (block_.empty()) co_return Result<void>{};
  dropped_ += block_.size();
  const Run first = std::exchange(block_, {}).front();
  co_return co_await store.DropBlock(id, first.benchmark, first.block);
}

Result<void> StoredBlocks::Take(std::vector<Run> runs) {
  for (Run& run : runs) {
    if (run.phase == RunPhase::kDropped) {
      ++dropped_;
      continue;
    }
    const std::size_t size = SizeOfBlock(spec_, run.benchmark);
    block_.push_back(std::move(run));
    if (block_.size() < size) continue;
    const std::vector<Run> block = std::exchange(block_, {});
    if (Result<void> taken = take_(block); !taken) return taken;
  }
  return {};
}

}  // namespace benchd
