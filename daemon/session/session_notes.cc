#include "daemon/session/session_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace benchd {
namespace {

// Recommend CPU time, which other processes affect less, only to sessions that gate on wall time
// and not already on CPU time.
bool CpuTimeWouldHelp(const Report& report) {
  const auto gates_on = [&report](std::string_view metric) {
    return std::ranges::any_of(report.comparisons,
                               [metric](const Comparison& one) {
                                 return one.role == ComparisonRole::kGate && one.metric == metric;
                               }) ||
           std::ranges::any_of(report.estimates, [metric](const Estimate& one) {
             return one.asked && one.metric == metric;
           });
  };
  return gates_on("wall_time") && !gates_on("cpu_time");
}

}  // namespace

Warning PointersNamed(const std::vector<std::string>& paths) {
  const bool one = paths.size() == 1;
  Warning warning =
      MakeWarning("lfs_pointers",
                  (one ? "a file named by a command is an LFS pointer"
                       : Counted(paths.size(), "file") + " named by commands are LFS pointers") +
                      (" instead of the content: " + Join(paths, ", ")));
  warning.hint = "git lfs pull";
  return warning;
}

void AddNotes(const SessionNotes& notes, Report& report) {
  const auto warn = [&report](WarningCode code, std::string message) {
    report.warnings.push_back(MakeWarning(code, std::move(message)));
  };
  if (notes.interrupted) {
    warn("interrupted",
         fmt::format(
             "the session was interrupted and resumed from its stored blocks; dropped runs: {}",
             notes.dropped_runs));
  }
  if (notes.paused > Nanoseconds::zero()) {
    warn("paused", fmt::format("nothing was measured for {} s because the disk was full",
                               std::llround(Seconds(notes.paused))));
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
