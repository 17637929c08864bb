#include "daemon/schedule/next_benchmark.h"

#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace benchd {
namespace {

/// The open benchmark for which `key` is least, then the one with the fewest blocks, then the
/// first. A `key` of nothing stands for: not this one.
template <typename Key>
std::optional<std::uint32_t> Least(std::span<const BenchmarkOutlook> outlooks, const Key& key) {
  std::optional<std::uint32_t> least;
  std::pair<double, std::uint64_t> least_rank;
  for (std::size_t i = 0; i < outlooks.size(); ++i) {
    const std::optional<double> value =
        outlooks[i].open ? key(outlooks[i]) : std::optional<double>();
    if (!value) continue;
    const std::pair rank{*value, outlooks[i].blocks};
    if (least && rank >= least_rank) continue;
    least = static_cast<std::uint32_t>(i);
    least_rank = rank;
  }
  return least;
}

std::optional<double> OfThoseBelowTheirMinimum(const BenchmarkOutlook& outlook) {
  if (outlook.blocks >= outlook.minimum) return std::nullopt;
  return 0;  // equal, so that the fewest blocks come first
}

std::optional<double> ByTimeToVerdict(const BenchmarkOutlook& outlook) {
  return outlook.ExpectedSeconds().value_or(std::numeric_limits<double>::infinity());
}

std::optional<double> ByTimeGiven(const BenchmarkOutlook& outlook) { return outlook.seconds; }

}  // namespace

std::uint32_t NextBenchmark(std::span<const BenchmarkOutlook> outlooks) {
  if (const auto below = Least(outlooks, OfThoseBelowTheirMinimum)) return *below;
  std::uint64_t given = 0;
  for (const BenchmarkOutlook& outlook : outlooks) given += outlook.blocks;
  const bool fair_turn = given % kFairTurn == kFairTurn - 1;
  const std::optional<std::uint32_t> next =
      fair_turn ? Least(outlooks, ByTimeGiven) : Least(outlooks, ByTimeToVerdict);
  assert(next.has_value());
  return *next;
}

}  // namespace benchd
