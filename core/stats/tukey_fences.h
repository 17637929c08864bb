#pragma once

#include <cstddef>
#include <span>

#include "core/base/result.h"

namespace benchd {

/// Where an arm's values are expected, by its own quartiles, and how many lie outside.
///
/// In the unit of the values. A normal sample has about 0.7 % outside: rare slow runs show as many
/// on one side. A fence itself is inside.
struct TukeyFences {
  double lower_quartile = 0;  ///< type 7
  double upper_quartile = 0;
  double low = 0;   ///< lower quartile - 1.5 interquartile ranges
  double high = 0;  ///< upper quartile + 1.5 interquartile ranges
  std::size_t below = 0;
  std::size_t above = 0;

  bool AnyOutside() const { return below + above > 0; }
  bool operator==(const TukeyFences&) const = default;
};

/// @errors kInvalidArgument if there is no value, or one is not finite.
/// Source: J. W. Tukey, Exploratory Data Analysis, Addison-Wesley (1977), 2D.
Result<TukeyFences> FindOutliers(std::span<const double> values);

}  // namespace benchd
