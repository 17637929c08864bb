#include "client/report/block_picture.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "client/present/gates.h"
#include "client/present/units.h"
#include "client/report/metric_picture.h"
#include "client/report/plot.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;

/// The mean of an arm's runs in one block. A block usually has one run of each arm.
struct BlockMean {
  double sum = 0;
  std::uint64_t runs = 0;

  void Add(double value) {
    sum += value;
    ++runs;
  }
  double Mean() const { return sum / static_cast<double>(runs); }
};

struct Block {
  BlockMean reference;
  BlockMean candidate;

  bool IsComplete() const { return reference.runs > 0 && candidate.runs > 0; }
};

/// Returns the complete blocks, by number.
std::map<std::uint64_t, Block> CompleteBlocks(const MetricRuns& runs,
                                              const v1::Comparison& comparison) {
  std::map<std::uint64_t, Block> blocks;
  for (const RunOfPicture& run : runs.runs) {
    if (run.warmup || !run.block) continue;
    const std::string& arm = runs.arms[run.arm].name;
    if (arm == comparison.reference()) blocks[*run.block].reference.Add(run.value);
    if (arm == comparison.candidate()) blocks[*run.block].candidate.Add(run.value);
  }
  std::erase_if(blocks, [](const auto& entry) { return !entry.second.IsComplete(); });
  return blocks;
}

bool PairsRuns(const v1::Comparison& comparison) {
  return comparison.method() != v1::METHOD_WELCH && comparison.method() != v1::METHOD_LAYOUTS;
}

}  // namespace

std::optional<UnitsOfPicture> BlocksOf(const MetricRuns& runs, const v1::Comparison& comparison) {
  const Judged judged = JudgedBy(comparison);
  if (!judged.estimate || !PairsRuns(comparison)) return std::nullopt;
  const std::map<std::uint64_t, Block> blocks = CompleteBlocks(runs, comparison);
  if (blocks.size() < 2 || blocks.size() > kMostBlocksDrawn) return std::nullopt;

  const double first = blocks.begin()->second.reference.Mean();
  Range values{first, first};
  Range changes;
  std::vector<std::pair<std::uint64_t, double>> marks;
  for (const auto& [number, block] : blocks) {
    const double reference = block.reference.Mean();
    const double candidate = block.candidate.Mean();
    if (judged.relative && !(reference > 0)) return std::nullopt;
    const double change = judged.relative ? candidate / reference - 1 : candidate - reference;
    marks.emplace_back(number, change);
    changes.Include(change);
    values.Include(reference);
    values.Include(candidate);
  }
  const AxisUnit axis = AxisOf(judged);
  const ColumnFormat format =
      judged.relative
          ? ColumnFormat::OfChanges(changes.low, changes.high)
          : ColumnFormat::OfDifferences(0, changes.low, changes.high, axis.unit, kPlain);
  const auto value_text = [&](double value) {
    return ValueLabel(value, values, comparison.unit());
  };
  UnitGroup group;
  for (const auto& [number, change] : marks) {
    const Block& block = blocks.at(number);
    group.units.push_back(
        {{"block " + std::to_string(number), value_text(block.reference.Mean()),
          value_text(block.candidate.Mean()), format.WithUnit(format.Signed(change))},
         change,
         {},
         {}});
  }
  group.label = Counted(blocks.size(), "block");
  group.numbers = ChangeText(comparison);
  group.mean = {{"all blocks", "", "", group.numbers}, *judged.estimate, judged.lo, judged.hi};
  group.margin = MarginOf(comparison);
  const std::string reference = OneLine(comparison.reference());
  const std::string candidate = OneLine(comparison.candidate());
  return UnitsOfPicture{
      "Blocks: " + candidate + " vs " + reference,
      "Each mark is the change within one block, whose runs were measured beside each other. Below "
      "the marks is the change over all blocks, with its interval.",
      {"block", reference, candidate, "change"},
      axis,
      {std::move(group)}};
}

}  // namespace benchd::client
