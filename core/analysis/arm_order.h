#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/arm_pairs.h"
#include "core/model/metric.h"

namespace benchd {

/// Arms that cannot all be told apart, in the order of the spec.
struct ArmGroup {
  std::vector<std::string> arms;
  /// Those pairs among them that are clear, the better one first.
  std::vector<std::pair<std::string, std::string>> clear;
  bool operator==(const ArmGroup&) const = default;
};

/// The arms of one benchmark by one metric, references among them. A value.
struct ArmOrder {
  std::string benchmark;
  std::string metric;
  Better better = Better::kLower;
  /// The best first; every arm of a group is clearly better than each of all groups behind it.
  std::vector<ArmGroup> groups;
  bool operator==(const ArmOrder&) const = default;
};

/// As far as the intervals of the pairs tell it: one arm is clearly better than another where their
/// interval excludes no change. Without any comparison there is no group.
ArmOrder OrderArms(const ArmPairs& pairs);

}  // namespace benchd
