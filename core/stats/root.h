#pragma once

namespace benchd {

/// Where a function that falls on [low, high] crosses `level`, to the last bits, by bisection: such
/// a root is needed once per session, so nothing faster is worth its edge cases.
template <typename Function>
double RootOfFalling(Function function, double level, double low, double high) {
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (function(middle) > level ? low : high) = middle;
  }
}

}  // namespace benchd
