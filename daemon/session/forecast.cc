#include "daemon/session/forecast.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benchd {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

Nanoseconds FromSeconds(double seconds) {
  return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

/// Seconds of a block of each benchmark, with its share of what lies between the runs; of one that
/// has none yet, the mean of all.
std::vector<double> BlockSeconds(std::span<const BenchmarkOutlook> outlooks, double elapsed) {
  double measured = 0;
  double blocks = 0;
  for (const BenchmarkOutlook& outlook : outlooks) {
    measured += outlook.seconds;
    blocks += static_cast<double>(outlook.blocks);
  }
  std::vector<double> seconds(outlooks.size(), blocks > 0 ? elapsed / blocks : 0);
  for (std::size_t i = 0; i < outlooks.size() && measured > 0; ++i) {
    const auto own = static_cast<double>(outlooks[i].blocks);
    if (own > 0) seconds[i] = outlooks[i].seconds / own * (elapsed / measured);
  }
  return seconds;
}

bool IsOpenGate(const Comparison& comparison) {
  return comparison.role == ComparisonRole::kGate && !comparison.decided;
}

/// Whether the interval is narrow enough for the number of blocks that are missing to mean
/// anything. It is computed from the distance between estimate and margin; where the interval
/// reaches further than twice as far, that is hardly two standard errors, and might be chance.
bool IsForetellable(const SessionSpec& spec, const Comparison& gate) {
  if (!gate.expected_blocks) return false;
  if (spec.limits.runs || spec.rule.kind == RuleKind::kPrecision) return true;
  const std::optional<Effect>& effect =
      gate.margin_kind == MarginKind::kRatio ? gate.change : gate.difference;
  if (!effect || !effect->lo || !effect->hi || !gate.margin) return false;
  const double threshold = gate.better == Better::kHigher ? -*gate.margin : *gate.margin;
  const double distance = threshold - effect->estimate;
  const double reach =
      distance > 0 ? *effect->hi - effect->estimate : effect->estimate - *effect->lo;
  return reach <= 2 * std::abs(distance);
}

}  // namespace

void Forecast(const SessionSpec& spec, std::span<const BenchmarkOutlook> outlooks, Report& report) {
  const bool begun = std::any_of(outlooks.begin(), outlooks.end(),
                                 [](const BenchmarkOutlook& one) { return one.blocks > 0; });
  if (!begun) return;
  const std::vector<double> block = BlockSeconds(outlooks, Seconds(report.elapsed));
  const double left = std::max(0.0, Seconds(spec.limits.max_time - report.elapsed));
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < outlooks.size(); ++i) numbers[spec.benchmarks[i].name] = i;

  std::vector<double> remaining(outlooks.size(), 0);
  bool open = false;
  for (const Comparison& gate : report.comparisons) {
    if (!IsOpenGate(gate)) continue;
    open = true;
    const std::size_t number = numbers.at(gate.benchmark);
    const double own =
        IsForetellable(spec, gate) ? *gate.expected_blocks * block[number] : kUnknown;
    remaining[number] = std::max(remaining[number], own);
  }
  for (Comparison& gate : report.comparisons) {
    if (!IsOpenGate(gate) || !IsForetellable(spec, gate)) continue;
    const std::size_t number = numbers.at(gate.benchmark);
    double eta = *gate.expected_blocks * block[number];
    for (std::size_t other = 0; other < remaining.size(); ++other) {
      // Who is nearer has its verdict first.
      if (other != number && remaining[other] < remaining[number]) eta += remaining[other];
    }
    if (eta <= left) gate.eta = FromSeconds(eta);
  }
  double all = 0;
  for (const double one : remaining) all += one;
  if (open && all <= left) report.eta = FromSeconds(all);
}

}  // namespace benchd
