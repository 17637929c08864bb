#pragma once

#include <string_view>

namespace benchd {

/// A kind of unit. Units of the same kind can be converted into each other.
enum class Dimension { kTime, kBytes };

/// The places where a unit may occur. In a duration that a user types, "m" means minutes; in a
/// metric it may mean metres.
enum class UnitUse { kEverywhere, kTyped, kPrinted };

/// A conversion of numbers to another unit: value * times / over. There are two factors, because
/// dividing by 1e9 is correctly rounded and multiplying by 1e-9 is not.
struct UnitScale {
  double times = 1;
  double over = 1;

  double Of(double value) const { return value * times / over; }
  /// Returns the conversion to a unit that `other` converts to the same one.
  UnitScale To(const UnitScale& other) const { return {times * other.over, over * other.times}; }
  bool operator==(const UnitScale&) const = default;
};

/// A unit of time or of bytes.
struct UnitInfo {
  std::string_view name;
  UnitScale scale;  ///< to the SI unit of its dimension (seconds, bytes)
  Dimension dimension = Dimension::kTime;
  UnitUse use = UnitUse::kEverywhere;
};

/// Returns the unit with this name as users type it, or nullptr.
const UnitInfo* FindTypedUnit(std::string_view name);
/// Returns the unit with this name as it occurs in metrics, or nullptr.
const UnitInfo* FindMetricUnit(std::string_view name);

/// Returns whether a metric in this unit is a time, or a rate per time, and so cannot be a count.
bool IsOfTime(std::string_view unit);

/// Returns the SI unit in the notation of metrics: "s" or "B".
std::string_view SiUnit(Dimension dimension);

}  // namespace benchd
