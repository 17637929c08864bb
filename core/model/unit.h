#pragma once

#include <string_view>

namespace benchd {

/// The kinds of units that can be converted.
enum class Dimension { kTime, kBytes };

/// Where a unit may occur. In a typed duration, "m" means minutes; in a metric, it may mean metres.
enum class UnitUse { kEverywhere, kTyped, kPrinted };

/// A unit of time or of bytes.
struct UnitInfo {
  std::string_view name;
  double factor = 1;  ///< in the SI unit of its dimension (seconds, bytes)
  Dimension dimension = Dimension::kTime;
  UnitUse use = UnitUse::kEverywhere;
};

/// The unit of that name as users type it, or nullptr.
const UnitInfo* FindTypedUnit(std::string_view name);
/// The unit of that name as it occurs in metrics, or nullptr.
const UnitInfo* FindMetricUnit(std::string_view name);

/// The SI unit in the notation of metrics: "s", "B".
std::string_view SiUnit(Dimension dimension);

}  // namespace benchd
