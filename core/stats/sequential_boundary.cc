#include "core/stats/sequential_boundary.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/result.h"
#include "core/base/try.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

constexpr double kSmallestAlpha = 1e-300;
constexpr double kLargestRatio = 1e12;
constexpr double kHorizonFloor = 1.5;
// With a root of 40, every level in this file is below 1e-300.
constexpr double kLargestRoot = 40;

}  // namespace

double RobbinsLevel(double a) {
  if (a > kLargestRoot) return 0;
  return std::min(1.0, 2 * (NormalUpperTail(a) + a * NormalDensity(a)));
}

Result<double> RobbinsRoot(double alpha) {
  if (!(alpha >= kSmallestAlpha && alpha < 1)) {
    return InvalidArgument("alpha", "must lie between 1e-300 and 1 (half of that when one-sided)");
  }
  return RootOfFalling(RobbinsLevel, alpha, 0, kLargestRoot);
}

double HorizonLevel(double c, double log_ratio) {
  if (c < kHorizonFloor) return 1;
  if (c > kLargestRoot) return 0;
  return std::min(1.0, NormalDensity(c) * ((c - 1 / c) * log_ratio + 4 / c));
}

Result<double> HorizonRoot(double alpha, double ratio) {
  if (!(alpha >= kSmallestAlpha && alpha <= kLargestHorizonAlpha)) {
    return InvalidArgument("alpha", "must be at most 0.34 (0.17 when one-sided) with --max-runs",
                           "use a higher confidence, or omit --max-runs");
  }
  if (!(ratio >= 1 && ratio <= kLargestRatio)) {
    return InvalidArgument("max-runs", "must be between min-runs and 1e12 times that");
  }
  const double log_ratio = std::log(ratio);
  return RootOfFalling([log_ratio](double c) { return HorizonLevel(c, log_ratio); }, alpha,
                       kHorizonFloor, kLargestRoot);
}

SequentialBoundary::SequentialBoundary(Shape shape, std::uint64_t first_look, double log_ratio)
    : shape_(shape), first_look_(first_look), log_ratio_(log_ratio) {}

Result<SequentialBoundary> SequentialBoundary::Robbins(double alpha, std::uint64_t first_look) {
  if (first_look < 2) return InvalidArgument("min-runs", "must be at least 2");
  TRY(double root, RobbinsRoot(alpha));
  SequentialBoundary boundary(Shape::kRobbins, first_look, 0);
  boundary.root_ = root;
  return boundary;
}

Result<SequentialBoundary> SequentialBoundary::Horizon(double alpha, std::uint64_t first_look,
                                                       std::uint64_t horizon) {
  if (first_look < 2) return InvalidArgument("min-runs", "must be at least 2");
  const double ratio = static_cast<double>(horizon) / static_cast<double>(first_look);
  TRY(double root, HorizonRoot(alpha, ratio));
  SequentialBoundary boundary(Shape::kHorizon, first_look, std::log(ratio));
  boundary.root_ = root;
  return boundary;
}

double SequentialBoundary::CriticalT(std::uint64_t n) const {
  return CriticalTAtInformation(static_cast<double>(n), static_cast<double>(n - 1));
}

double SequentialBoundary::CriticalTAtInformation(double information, double dof) const {
  return StudentTUpperQuantile(NormalUpperTail(ZForCrossingAt(root_, information)), dof);
}

double SequentialBoundary::ZForCrossing(double crossing, std::uint64_t n) const {
  assert(n >= first_look_);
  return ZForCrossingAt(crossing, static_cast<double>(n));
}

double SequentialBoundary::LogElapsed(double information) const {
  return std::log(std::max(1.0, information / static_cast<double>(first_look_)));
}

double SequentialBoundary::ZForCrossingAt(double crossing, double information) const {
  if (shape_ == Shape::kHorizon) return crossing;
  return std::sqrt(crossing * crossing + LogElapsed(information));
}

double SequentialBoundary::CrossingAt(double z, double information) const {
  if (shape_ == Shape::kHorizon) return z;
  return std::sqrt(std::max(0.0, z * z - LogElapsed(information)));
}

double SequentialBoundary::PValue(double crossing) const {
  return shape_ == Shape::kHorizon ? HorizonLevel(crossing, log_ratio_) : RobbinsLevel(crossing);
}

}  // namespace benchd
