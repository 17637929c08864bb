#include "daemon/session/forecast.h"

#include <algorithm>

namespace benchd {
namespace {

Nanoseconds FromCount(double nanoseconds) {
  return Nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

}  // namespace

void Forecast(const Progress& progress, Report& report) {
  if (progress.blocks == 0) return;
  const double block_ns =
      static_cast<double>(report.elapsed.count()) / static_cast<double>(progress.blocks);
  const double left_ns =
      std::max(0.0, static_cast<double>((progress.max_time - report.elapsed).count()));
  double longest_ns = 0;
  bool open = false;
  for (Comparison& comparison : report.comparisons) {
    if (comparison.role != ComparisonRole::kGate || comparison.decided) continue;
    open = true;
    // An unknown time to verdict is the time limit: the session ends there at the latest.
    double eta_ns = left_ns;
    if (comparison.expected_blocks) {
      eta_ns = std::min(left_ns, *comparison.expected_blocks * block_ns *
                                     static_cast<double>(progress.benchmarks));
      comparison.eta = FromCount(eta_ns);
    }
    longest_ns = std::max(longest_ns, eta_ns);
  }
  if (open) report.eta = FromCount(longest_ns);
}

}  // namespace benchd
