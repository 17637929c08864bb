#pragma once

#include <limits>
#include <optional>

#include "core/stats/paired.h"

namespace benchd {

/// The intersection of the intervals of all looks so far, on one scale.
///
/// When watching, all of these intervals together cover the truth with the stated probability, so
/// their intersection does, too. It never widens, and once it lies on one side of a margin it stays
/// there. The intersection is empty if the intervals of two looks are disjoint, and then stays
/// empty. While the model holds, this is as improbable as a wrong verdict.
/// Source: S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Annals of Statistics 49 (2021)
/// 1055-1080.
class RunningInterval {
 public:
  /// Takes the interval of one look; an infinite or NaN end is ignored.
  /// @param rounding  the largest gap between two intervals that is attributed to rounding; the
  ///                  later interval is then ignored
  void Take(const Interval& look, double rounding);

  /// Returns the whole real line before the first look; lo > hi if the intersection is empty.
  const Interval& ends() const { return ends_; }
  bool empty() const { return ends_.lo > ends_.hi; }
  bool looked() const { return looked_; }
  /// Returns the intersection; std::nullopt before the first look, and if it is empty.
  std::optional<Interval> value() const;

 private:
  Interval ends_{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  bool looked_ = false;
};

}  // namespace benchd
