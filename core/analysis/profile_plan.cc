#include "core/analysis/profile_plan.h"

#include <algorithm>
#include <cmath>

#include "core/stats/tails.h"

namespace benchd {

double SdOfFunction(const ProfileQuestion& question) {
  const double sampled =
      2 * question.seconds * question.share * (1 - question.share) / question.frequency_hz;
  const double varied = question.share * question.relative_sd * question.seconds;
  return std::sqrt(sampled + varied * varied);
}

double SmallestShownChange(const ProfileQuestion& question, std::uint64_t blocks) {
  const auto n = static_cast<double>(blocks);
  const double tail = question.alpha / 4 / static_cast<double>(question.functions);
  return 2 * StudentTUpperQuantile(tail, n - 1) * SdOfFunction(question) / std::sqrt(n);
}

ProfilePlan PlanProfile(const ProfileQuestion& question, std::uint64_t most_blocks) {
  const std::uint64_t most = std::clamp<std::uint64_t>(most_blocks, 2, kMostPlannedBlocks);
  std::uint64_t few = std::min(kFewestPlannedBlocks, most);
  std::uint64_t enough = most;
  const auto shows = [&question](std::uint64_t blocks) {
    return SmallestShownChange(question, blocks) <= question.change;
  };
  // The shown change falls with every block.
  while (few < enough) {
    const std::uint64_t middle = few + (enough - few) / 2;
    if (shows(middle)) {
      enough = middle;
    } else {
      few = middle + 1;
    }
  }
  return {enough, SmallestShownChange(question, enough), shows(enough)};
}

}  // namespace benchd
