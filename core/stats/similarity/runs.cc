#include "core/stats/similarity/runs.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/stats/descriptive.h"

namespace benchd {
namespace {

constexpr double kClippedShare = 0.01;

std::string Number(std::size_t index) { return std::to_string(index + 1); }

}  // namespace

Result<void> CheckRuns(RunSeries runs) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs[r].empty()) return InvalidArgument("run " + Number(r), "empty");
  }
  if (runs.size() < 2) {
    return InvalidArgument("runs", "only " + Counted(runs.size(), "run") + "; at least 2 needed",
                           "give two runs or more: they are compared with each other");
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto wrong = std::find_if_not(runs[r].begin(), runs[r].end(),
                                        [](double value) { return std::isfinite(value); });
    if (wrong != runs[r].end()) {
      const auto at = static_cast<std::size_t>(wrong - runs[r].begin());
      return InvalidArgument("run " + Number(r) + ", value " + Number(at), "not finite",
                             "leave the run out, or measure it again");
    }
    if (runs[r].size() != runs[0].size()) {
      return InvalidArgument("run " + Number(r),
                             "it has " + std::to_string(runs[r].size()) + " values, run 1 has " +
                                 std::to_string(runs[0].size()) + ": unequal lengths",
                             "cut all runs to the shortest");
    }
  }
  return {};
}

std::vector<std::vector<double>> CutToShortest(RunSeries runs) {
  std::vector<std::vector<double>> cut(runs.begin(), runs.end());
  if (cut.empty()) return cut;
  std::size_t shortest = cut.front().size();
  for (const std::vector<double>& run : cut) shortest = std::min(shortest, run.size());
  for (std::vector<double>& run : cut) run.resize(shortest);
  return cut;
}

std::vector<std::vector<double>> ClipSpikes(RunSeries runs) {
  std::vector<std::vector<double>> clipped(runs.begin(), runs.end());
  for (std::vector<double>& run : clipped) {
    std::vector<double> sorted = run;
    std::sort(sorted.begin(), sorted.end());
    const double low = QuantileType7(sorted, kClippedShare).value_or(sorted.front());
    const double high = QuantileType7(sorted, 1 - kClippedShare).value_or(sorted.back());
    if (!(low <= high)) continue;  // their range is beyond that of a double
    for (double& value : run) value = std::clamp(value, low, high);
  }
  return clipped;
}

}  // namespace benchd
