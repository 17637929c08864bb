#include "core/stats/runs_test.h"

#include <algorithm>
#include <cmath>

namespace benchd {
namespace {

constexpr double kStretchesCritical = -2.576;

std::size_t LabelsThatOccur(const LabelRuns& labels) {
  return static_cast<std::size_t>(std::count_if(labels.counts().begin(), labels.counts().end(),
                                                [](std::uint64_t count) { return count > 0; }));
}

}  // namespace

void LabelRuns::Add(std::size_t label) {
  if (label >= counts_.size()) counts_.resize(label + 1);
  ++counts_[label];
  if (runs_ == 0 || label != last_) ++runs_;
  last_ = label;
}

std::optional<RunsTest> TestRuns(const LabelRuns& labels) {
  if (LabelsThatOccur(labels) < 2) return std::nullopt;
  double n = 0;
  double squares = 0;
  double cubes = 0;
  for (std::uint64_t count : labels.counts()) {
    const auto c = static_cast<double>(count);
    n += c;
    squares += c * c;
    cubes += c * c * c;
  }
  const double variance =
      (squares * (squares + n * (n + 1)) - 2 * n * cubes - n * n * n) / (n * n * (n - 1));
  if (!(variance > 0)) return std::nullopt;
  RunsTest test;
  test.runs = labels.runs();
  test.expected = n + 1 - squares / n;
  test.z = (static_cast<double>(test.runs) - test.expected) / std::sqrt(variance);
  return test;
}

bool NotInterleaved(const LabelRuns& arms) {
  const std::optional<RunsTest> test = TestRuns(arms);
  if (!test) return false;
  if (test->z < kStretchesCritical) return true;
  const bool single_row = std::any_of(arms.counts().begin(), arms.counts().end(),
                                      [](std::uint64_t count) { return count == 1; });
  return !single_row && test->runs == LabelsThatOccur(arms);
}

}  // namespace benchd
