#include "daemon/session/machine_end.h"

#include <algorithm>
#include <cstddef>

namespace benchd {

void TellMachineEnd(const MachineEnd& end, SessionSnapshot& snapshot) {
  if (snapshot.machine) {
    std::vector<SettingState>& isolation = snapshot.machine->isolation;
    const std::size_t known = std::min(isolation.size(), end.at_end.size());
    for (std::size_t i = 0; i < known; ++i) isolation[i].at_end = end.at_end[i];
  }
  if (!snapshot.report) return;
  std::vector<Warning>& warnings = snapshot.report->warnings;
  warnings.insert(warnings.end(), end.warnings.begin(), end.warnings.end());
}

}  // namespace benchd
