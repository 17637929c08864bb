#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/stats/descriptive.h"

namespace benchd {

/// The values of two arms that tests draw or read.
struct TwoArms {
  std::vector<double> base;
  std::vector<double> candidate;
};

/// Skewed values around `offset`, with the candidate 2 % above; lengths may differ.
inline TwoArms DrawArms(unsigned seed, std::size_t n_b, std::size_t n_c, double offset = 10) {
  std::mt19937_64 random(seed);
  std::gamma_distribution<double> noise(1.5, 0.3);
  TwoArms arms;
  for (std::size_t i = 0; i < n_b; ++i) arms.base.push_back(offset + noise(random));
  for (std::size_t i = 0; i < n_c; ++i) arms.candidate.push_back(1.02 * offset + noise(random));
  return arms;
}

/// Values with exactly that mean and variance: half below, half above, an odd one in between.
inline Moments MomentsWith(std::uint64_t n, double mean, double variance) {
  const auto half = n / 2;
  const double step =
      std::sqrt(variance * static_cast<double>(n - 1) / (2 * static_cast<double>(half)));
  Moments moments;
  for (std::uint64_t i = 0; i < half; ++i) {
    moments.Add(mean - step);
    moments.Add(mean + step);
  }
  if (n % 2 == 1) moments.Add(mean);
  return moments;
}

}  // namespace benchd
