#include "daemon/session/session_notes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace benchd {

void AddNotes(const SessionNotes& notes, Report& report) {
  const auto warn = [&report](const char* code, std::string message) {
    report.warnings.push_back({.code = code, .message = std::move(message)});
  };
  if (notes.failed_runs > 0) {
    warn("failed_runs", std::to_string(notes.failed_runs) +
                            " runs failed and count like any other (--ignore-failure)");
  }
  if (notes.interrupted) {
    warn("interrupted", "it was interrupted and went on from its stored blocks; runs dropped: " +
                            std::to_string(notes.dropped_runs));
  }
  if (notes.paused > Nanoseconds::zero()) {
    warn("paused", "nothing was measured for " +
                       std::to_string(std::llround(Seconds(notes.paused))) +
                       " s because the disk was full");
  }
}

void AddReleaseReport(const MachineEnd& end, SessionSnapshot& snapshot) {
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
