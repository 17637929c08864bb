#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "tests/analysis/session_builder.h"

namespace benchd {

/// One reference, one candidate, one benchmark `main`.
inline SessionSpec Two(double alpha = 0.01) {
  return MakeSpec({MakeBenchmark("main", 1, {"base", "candidate"})}, alpha);
}

inline SessionAnalysis Start(const SessionSpec& spec) {
  return SessionAnalysis::Create(spec).value();
}

inline void Feed(SessionAnalysis& analysis, const Block& block) {
  const Result<void> added = analysis.Add(block);
  ASSERT_TRUE(added) << added.error().message;
}

inline void FeedWall(SessionAnalysis& analysis, int blocks, const std::vector<double>& seconds) {
  for (int i = 0; i < blocks; ++i) Feed(analysis, WallBlock(0, seconds));
}

/// Wall times around `seconds` with 1 % of noise.
class Noise {
 public:
  explicit Noise(unsigned seed) : random_(seed) {}
  Block Wall(const std::vector<double>& seconds) {
    std::vector<double> values;
    for (double s : seconds) values.push_back(s * (1 + 0.01 * normal_(random_)));
    return WallBlock(0, values);
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace benchd
