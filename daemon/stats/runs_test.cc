#include "daemon/stats/runs_test.h"

#include <cmath>
#include <map>

namespace benchd {
namespace {

constexpr double kStretchesCritical = -2.576;

std::map<std::size_t, std::size_t> CountLabels(std::span<const std::size_t> labels) {
  std::map<std::size_t, std::size_t> counts;
  for (std::size_t label : labels) ++counts[label];
  return counts;
}

}  // namespace

std::optional<RunsTest> TestRuns(std::span<const std::size_t> labels) {
  const std::map<std::size_t, std::size_t> counts = CountLabels(labels);
  if (counts.size() < 2) return std::nullopt;
  double squares = 0;
  double cubes = 0;
  for (const auto& [label, count] : counts) {
    const auto c = static_cast<double>(count);
    squares += c * c;
    cubes += c * c * c;
  }
  const auto n = static_cast<double>(labels.size());
  const double variance =
      (squares * (squares + n * (n + 1)) - 2 * n * cubes - n * n * n) / (n * n * (n - 1));
  if (!(variance > 0)) return std::nullopt;
  RunsTest test;
  test.runs = 1;
  for (std::size_t i = 1; i < labels.size(); ++i) test.runs += labels[i] != labels[i - 1];
  test.expected = n + 1 - squares / n;
  test.z = (static_cast<double>(test.runs) - test.expected) / std::sqrt(variance);
  return test;
}

bool NotInterleaved(std::span<const std::size_t> arms) {
  const std::optional<RunsTest> test = TestRuns(arms);
  if (!test) return false;
  if (test->z < kStretchesCritical) return true;
  const std::map<std::size_t, std::size_t> counts = CountLabels(arms);
  for (const auto& [arm, count] : counts) {
    if (count < 2) return false;
  }
  return test->runs == counts.size();
}

}  // namespace benchd
