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

/// Fewest builds of an arm. For layouts with two modes, two and three builds gave 8.5 and 3.0 %
/// wrong verdicts at a stated 1 %; four gave 0.8 %.
inline constexpr std::size_t kFewestLayouts = 4;
/// Most builds of an arm that a user may request: a session takes 64 arms.
inline constexpr std::size_t kMostLayouts = 32;

/// Groups the arms of the method layouts: base/1 ... base/8 become one arm, base, whose runs come
/// from eight layouts (docs/layouts.md). The daemon measures builds; the statistics compare groups.
class LayoutGroups {
 public:
  /// @errors kInvalidArgument for an arm that is not named GROUP/NUMBER, and for a group that has
  /// builds of two roles or fewer than kFewestLayouts builds.
  static Result<LayoutGroups> Make(const std::vector<Benchmark>& benchmarks);

  /// With one arm per group, in the order of their first builds.
  const std::vector<Benchmark>& benchmarks() const { return benchmarks_; }

  /// The runs of a block, assigned to their groups: `arm` is an index into benchmarks(), and
  /// `position` is the number of the layout, so that a block's values are in the order of the
  /// layouts. Runs of an unknown benchmark or arm are unchanged.
  std::vector<Run> Grouped(std::span<const Run> block) const;

  /// The group and layout of an arm's runs.
  struct Place {
    std::uint32_t arm = 0;  ///< of benchmarks()
    std::uint32_t layout = 0;
  };
  /// @param benchmark, arm  indices before grouping; both known
  Place PlaceOf(std::size_t benchmark, std::size_t arm) const { return places_[benchmark][arm]; }

 private:
  std::vector<Benchmark> benchmarks_;
  std::vector<std::vector<Place>> places_;  // of each benchmark's original arms
};

/// The mean of one build of an arm.
struct LayoutMean {
  std::uint32_t layout = 0;
  std::uint64_t runs = 0;
  double mean = 0;
  bool operator==(const LayoutMean&) const = default;
};

/// The builds of one arm as the method compares them, sorted by number.
///
/// @param runs      the layout of each run, and its value
/// @param harmonic  for rates that are all > 0
std::vector<LayoutMean> MeansOfLayouts(std::span<const std::pair<std::uint32_t, double>> runs,
                                       bool harmonic);

/// The mean of the builds, each with equal weight: geometric if ratios are compared, which requires
/// means > 0. `builds` must not be empty.
double MeanOfLayouts(std::span<const LayoutMean> builds, bool geometric);

/// The number of builds per arm until the look at layouts has an interval of +- `half_width`, if
/// the builds' standard deviation is `sd` on the same scale; at most a million.
std::uint64_t BuildsPerArm(double sd, double half_width, double confidence);

}  // namespace benchd
