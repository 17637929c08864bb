#pragma once

#include <limits>
#include <optional>

#include "core/stats/paired.h"

namespace benchd {

/// The intersection of the intervals of all looks so far, on one scale.
///
/// Under watching all of them cover the truth together with the stated probability, so that what
/// they have in common does, too: it never widens, and once it lies on one side of a margin it
/// stays there. Empty where two looks exclude each other, which is as improbable as a wrong
/// verdict while the model holds; it then stays empty. A value type of two doubles.
/// Source: S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Annals of Statistics 49 (2021)
/// 1055-1080.
class RunningInterval {
 public:
  /// Takes the interval of one look; an end that is infinite or NaN says nothing.
  /// @param rounding  two that miss each other by no more than that are the same point, computed
  ///                  twice: the later one changes nothing
  void Take(const Interval& look, double rounding);

  /// All numbers before the first look; lo > hi when empty.
  const Interval& ends() const { return ends_; }
  bool empty() const { return ends_.lo > ends_.hi; }
  bool looked() const { return looked_; }
  /// Nothing before the first look, and when empty.
  std::optional<Interval> value() const;

 private:
  Interval ends_{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  bool looked_ = false;
};

}  // namespace benchd
