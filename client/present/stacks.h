#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// The sampled stacks of one arm, over all of its runs.
struct ArmStacks {
  std::string benchmark;
  std::string arm;
  /// How often each folded stack was seen: the functions from the outermost to the innermost,
  /// separated by semicolons (core/model/profile.h).
  std::map<std::string, double> counts;
  bool operator==(const ArmStacks&) const = default;
};

/// Adds up the sampled stacks of the measured runs, in the order in which their arms first occur.
/// Arms without any are left out.
///
/// @param by_layout  whether the builds of an arm (METHOD_LAYOUTS) are one arm
std::vector<ArmStacks> SumStacks(std::span<const v1::Run> runs, bool by_layout);

}  // namespace benchd::client
