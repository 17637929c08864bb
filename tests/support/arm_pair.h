#pragma once

#include "core/model/comparison.h"

namespace benchd::test {

/// Compares `second` with `first` in wall time, with an interval around `change`, as ranking uses
/// it.
inline Comparison PairOf(const char* first, const char* second, double change, double half = 0.01) {
  Comparison pair;
  pair.reference = first;
  pair.candidate = second;
  pair.metric = "wall_time";
  pair.better = Better::kLower;
  pair.change = Effect{change, change - half, change + half};
  return pair;
}

}  // namespace benchd::test
