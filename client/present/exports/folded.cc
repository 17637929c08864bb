#include <algorithm>
#include <string>
#include <string_view>

#include "client/present/exports.h"
#include "client/present/stacks.h"
#include "client/present/text.h"
#include "client/present/units.h"

namespace benchd::client {
namespace {

// Returns a name as the first frame of a stack, which has no semicolon.
std::string FrameOf(std::string_view name) {
  std::string frame = OneLine(name);
  std::ranges::replace(frame, ';', ':');
  return frame;
}

// Renders one line for each arm and stack, in the format of FlameGraph's stackcollapse-perf.pl. The
// first frame is the arm or, with several benchmarks, the benchmark and then the arm.
std::string RenderFolded(const v1::Session&, std::span<const v1::Run> runs) {
  const std::vector<ArmStacks> all = SumStacks(runs, /*by_layout=*/false);
  const bool several = std::ranges::any_of(
      all, [&all](const ArmStacks& one) { return one.benchmark != all.front().benchmark; });
  std::string text;
  for (const ArmStacks& one : all) {
    const std::string start =
        (several ? FrameOf(one.benchmark) + ";" : "") + FrameOf(one.arm) + ";";
    for (const auto& [stack, count] : one.counts) {
      text += start + OneLine(stack) + " " + Fixed(count, 0) + "\n";
    }
  }
  return text;
}

}  // namespace

ExportFormat FoldedExportFormat() {
  return {.name = "folded",
          .summary = "sampled stacks, for speedscope and FlameGraph",
          .help = "write sampled stacks to FILE",
          .of_stacks = true,
          .render = RenderFolded};
}

}  // namespace benchd::client
