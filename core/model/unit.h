#pragma once

#include <string_view>

namespace benchd {

/// What can be converted: a time and a number of bytes.
enum class Dimension { kTime, kBytes };

/// Who writes a unit: "m" behind a duration is minutes, of a metric it may be metres.
enum class UnitUse { kEverywhere, kTyped, kPrinted };

/// A unit of time or of bytes.
struct UnitInfo {
  std::string_view name;
  double factor = 1;  ///< in the SI unit of its dimension: seconds, bytes
  Dimension dimension = Dimension::kTime;
  UnitUse use = UnitUse::kEverywhere;
};

/// The unit of that name as users type it, or nullptr.
const UnitInfo* FindTypedUnit(std::string_view name);
/// The unit of that name as a metric has it, or nullptr.
const UnitInfo* FindMetricUnit(std::string_view name);

/// The SI unit, as a metric has it: "s", "B".
std::string_view SiUnit(Dimension dimension);

}  // namespace benchd
