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

/// The arms of the method layouts as what they are builds of: base/1 ... base/8 are one arm, base,
/// whose runs come from eight layouts (docs/layouts.md). The daemon measures builds; the statistics
/// compare what they are builds of.
class LayoutGroups {
 public:
  /// @errors kInvalidArgument for an arm that is not named GROUP/NUMBER, a group with builds of two
  ///         roles, or with fewer than two.
  static Result<LayoutGroups> Make(const std::vector<Benchmark>& benchmarks);

  /// With one arm a group, in the order of their first builds.
  const std::vector<Benchmark>& benchmarks() const { return benchmarks_; }

  /// The runs of a block, each as its group's: `arm` points into benchmarks(), `position` is the
  /// number of its layout, so that the order of a block's values is that of the layouts. Runs of an
  /// unknown benchmark or arm stay so.
  std::vector<Run> Grouped(std::span<const Run> block) const;

 private:
  struct Place {
    std::uint32_t arm = 0;
    std::uint32_t layout = 0;
  };

  std::vector<Benchmark> benchmarks_;
  std::vector<std::vector<Place>> places_;  // of each benchmark's arms as they were
};

/// How many builds each arm needs until the look at layouts is known to `half_width` to each side,
/// if builds spread as `sd` on the same scale; at most a million.
std::uint64_t BuildsPerArm(double sd, double half_width, double confidence);

}  // namespace benchd
