#include "core/analysis/retirement.h"

#include <algorithm>

namespace benchd {

bool ArmsMayRetire(const SessionSpec& spec, const SequentialDesign& design) {
  return !spec.keep_all && !design.OneLook() && !design.coin;
}

std::optional<double> ArmTimes::WithoutIdle(const std::vector<std::uint32_t>& idle,
                                            double measured) const {
  if (idle.empty() || !(all_ > 0)) return std::nullopt;
  double busy = 0;
  for (std::uint32_t arm = 0; arm < seconds_.size(); ++arm) {
    if (blocks_[arm] == 0 || std::ranges::find(idle, arm) != idle.end()) continue;
    busy += seconds_[arm] / static_cast<double>(blocks_[arm]);
  }
  return busy * (measured / all_);
}

}  // namespace benchd
