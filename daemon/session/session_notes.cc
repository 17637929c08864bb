#include "daemon/session/session_notes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace benchd {
namespace {

// CPU time is less affected by what else ran: news for those alone who gate on wall time and not on
// it already.
bool CpuTimeWouldHelp(const Report& report) {
  const auto gates_on = [&report](std::string_view metric) {
    return std::ranges::any_of(report.comparisons, [metric](const Comparison& one) {
      return one.role == ComparisonRole::kGate && one.metric == metric;
    });
  };
  return gates_on("wall_time") && !gates_on("cpu_time");
}

}  // namespace

Warning PointersNamed(const std::vector<std::string>& paths) {
  const bool one = paths.size() == 1;
  Warning warning =
      MakeWarning("lfs_pointers",
                  (one ? "a file that a command names is an LFS pointer"
                       : Counted(paths.size(), "file") + " that commands name are LFS pointers") +
                      (" and not the content: " + Join(paths, ", ")));
  warning.hint = "git lfs pull";
  return warning;
}

void AddNotes(const SessionNotes& notes, Report& report) {
  const auto warn = [&report](WarningCode code, std::string message) {
    report.warnings.push_back(MakeWarning(code, std::move(message)));
  };
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
  const bool cpu_time_would_help = CpuTimeWouldHelp(*snapshot.report);
  for (Warning warning : end.warnings) {
    const bool of_others = warning.code == "other_process" || warning.code == "contention";
    if (of_others && cpu_time_would_help) {
      warning.hint = "gate on cpu_time, which is less affected";
    }
    snapshot.report->warnings.push_back(std::move(warning));
  }
}

}  // namespace benchd
