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

/// The minimum number of builds of an arm. For layouts with two modes, two builds gave 8.5 % wrong
/// verdicts at a stated 1 %, three builds 3.0 %, and four builds 0.8 %.
inline constexpr std::size_t kFewestLayouts = 4;
/// The maximum number of builds of an arm that a user may request. A session has at most 64 arms.
inline constexpr std::size_t kMostLayouts = 32;

/// Groups the arms of the method layouts: base/1 ... base/8 become one arm, base, whose runs come
/// from eight layouts (docs/layouts.md). The daemon measures builds, whereas the statistics compare
/// groups.
class LayoutGroups {
 public:
  /// @errors kInvalidArgument for an arm that is not named GROUP/NUMBER, and for a group that
  /// contains builds of two roles or fewer than kFewestLayouts builds
  static Result<LayoutGroups> Make(const std::vector<Benchmark>& benchmarks);

  /// Returns the benchmarks with one arm per group, in the order of the first builds of the groups.
  const std::vector<Benchmark>& benchmarks() const { return benchmarks_; }

  /// Assigns the runs of a block to their groups: `arm` becomes an index into benchmarks(), and
  /// `position` the number of the layout, so that the values of a block are in the order of the
  /// layouts. Runs of an unknown benchmark or arm remain unchanged.
  std::vector<Run> Grouped(std::span<const Run> block) const;

  /// The group and layout of an arm's runs.
  struct Place {
    std::uint32_t arm = 0;  ///< index into the arms of benchmarks()
    std::uint32_t layout = 0;
  };
  /// @param benchmark, arm  indices before grouping; both must be known
  Place PlaceOf(std::size_t benchmark, std::size_t arm) const { return places_[benchmark][arm]; }

 private:
  std::vector<Benchmark> benchmarks_;
  std::vector<std::vector<Place>> places_;  // by benchmark and arm before grouping
};

/// The mean of one build of an arm.
struct LayoutMean {
  std::uint32_t layout = 0;
  std::uint64_t runs = 0;
  double mean = 0;
  bool operator==(const LayoutMean&) const = default;
};

/// Returns the means of the builds of one arm, as the method compares them, sorted by the number of
/// the build.
///
/// @param runs      the layout and the value of each run
/// @param harmonic  whether to use harmonic means, for rates that are all > 0
std::vector<LayoutMean> MeansOfLayouts(std::span<const std::pair<std::uint32_t, double>> runs,
                                       bool harmonic);

/// Returns the mean of the builds, which have equal weights. It is the geometric mean if ratios are
/// compared, which requires means > 0. `builds` must not be empty.
double MeanOfLayouts(std::span<const LayoutMean> builds, bool geometric);

/// Returns the number of builds per arm at which the look at layouts has an interval of +-
/// `half_width`, if the standard deviation of the builds is `sd` on the same scale. Returns at most
/// a million.
std::uint64_t BuildsPerArm(double sd, double half_width, double confidence);

}  // namespace benchd
