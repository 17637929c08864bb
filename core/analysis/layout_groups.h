#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Fewest builds of an arm. Where layouts have two modes of their own, two and three builds gave
/// 8.5 and 3.0 % wrong verdicts at a stated 1 %, four 0.8 %.
inline constexpr std::size_t kFewestLayouts = 4;
/// Most builds of an arm that are asked for: a session takes 64 arms.
inline constexpr std::size_t kMostLayouts = 32;

/// The arms of the method layouts as what they are builds of: base/1 ... base/8 are one arm, base,
/// whose runs come from eight layouts (docs/layouts.md). The daemon measures builds; the statistics
/// compare what they are builds of.
class LayoutGroups {
 public:
  /// @errors kInvalidArgument for an arm that is not named GROUP/NUMBER, a group with builds of two
  ///         roles, or with fewer than kFewestLayouts.
  static Result<LayoutGroups> Make(const std::vector<Benchmark>& benchmarks);

  /// With one arm a group, in the order of their first builds.
  const std::vector<Benchmark>& benchmarks() const { return benchmarks_; }

  /// The runs of a block, each as its group's: `arm` points into benchmarks(), `position` is the
  /// number of its layout, so that the order of a block's values is that of the layouts. Runs of an
  /// unknown benchmark or arm stay so.
  std::vector<Run> Grouped(std::span<const Run> block) const;

  /// Where the runs of an arm belong.
  struct Place {
    std::uint32_t arm = 0;  ///< of benchmarks()
    std::uint32_t layout = 0;
  };
  /// @param benchmark, arm  as they were before; both known
  Place PlaceOf(std::size_t benchmark, std::size_t arm) const { return places_[benchmark][arm]; }

 private:
  std::vector<Benchmark> benchmarks_;
  std::vector<std::vector<Place>> places_;  // of each benchmark's arms as they were
};

/// What one build of an arm came to.
struct LayoutMean {
  std::uint32_t layout = 0;
  std::uint64_t runs = 0;
  double mean = 0;
  bool operator==(const LayoutMean&) const = default;
};

/// The builds of one arm, by their numbers, as the method compares them.
///
/// @param runs      the layout of each run, and its value
/// @param harmonic  for rates that are all > 0
std::vector<LayoutMean> MeansOfLayouts(std::span<const std::pair<std::uint32_t, double>> runs,
                                       bool harmonic);

/// Their mean, each build counting once: geometric where ratios are compared, which needs means
/// that are all > 0. Not of none.
double MeanOfLayouts(std::span<const LayoutMean> builds, bool geometric);

/// How many builds each arm needs until the look at layouts is known to `half_width` to each side,
/// if builds spread as `sd` on the same scale; at most a million.
std::uint64_t BuildsPerArm(double sd, double half_width, double confidence);

}  // namespace benchd
