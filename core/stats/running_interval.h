#pragma once

#include <limits>
#include <optional>

#include "core/stats/paired.h"

namespace benchd {

/// The intersection of the intervals of all looks so far, on one scale.
///
/// When watching, all of these intervals together cover the truth with the stated probability, so
/// their intersection does, too. It never widens, and once it lies on one side of a margin it stays
/// there. It is empty if two looks exclude each other, and then stays empty; while the model holds,
/// this is as improbable as a wrong verdict. A value type of two doubles.
/// Source: S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Annals of Statistics 49 (2021)
/// 1055-1080.
class RunningInterval {
 public:
  /// Takes the interval of one look; an infinite or NaN end is ignored.
  /// @param rounding  intervals that miss each other by no more than this are the same point,
  ///                  computed twice; the later one is ignored
  void Take(const Interval& look, double rounding);

  /// The whole real line before the first look; lo > hi if empty.
  const Interval& ends() const { return ends_; }
  bool empty() const { return ends_.lo > ends_.hi; }
  bool looked() const { return looked_; }
  /// std::nullopt before the first look, and if empty.
  std::optional<Interval> value() const;

 private:
  Interval ends_{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  bool looked_ = false;
};

}  // namespace benchd
