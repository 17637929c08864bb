#include "core/model/unit.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace benchd {
namespace {

constexpr std::array kUnits = {
    UnitInfo{"ns", {1, 1e9}, Dimension::kTime},
    UnitInfo{"us", {1, 1e6}, Dimension::kTime},
    UnitInfo{"\u00b5s", {1, 1e6}, Dimension::kTime},  // MICRO SIGN
    UnitInfo{"\u03bcs", {1, 1e6}, Dimension::kTime},  // GREEK SMALL LETTER MU
    UnitInfo{"ms", {1, 1e3}, Dimension::kTime},
    UnitInfo{"s", {1, 1}, Dimension::kTime},
    UnitInfo{"sec", {1, 1}, Dimension::kTime, UnitUse::kPrinted},
    UnitInfo{"m", {60, 1}, Dimension::kTime, UnitUse::kTyped},
    UnitInfo{"min", {60, 1}, Dimension::kTime},
    UnitInfo{"h", {3600, 1}, Dimension::kTime, UnitUse::kTyped},
    UnitInfo{"hr", {3600, 1}, Dimension::kTime, UnitUse::kPrinted},
    UnitInfo{"d", {86400, 1}, Dimension::kTime, UnitUse::kTyped},
    UnitInfo{"day", {86400, 1}, Dimension::kTime, UnitUse::kPrinted},
    UnitInfo{"B", {1, 1}, Dimension::kBytes},
    UnitInfo{"kB", {1e3, 1}, Dimension::kBytes},
    UnitInfo{"MB", {1e6, 1}, Dimension::kBytes},
    UnitInfo{"GB", {1e9, 1}, Dimension::kBytes},
    UnitInfo{"TB", {1e12, 1}, Dimension::kBytes},
    UnitInfo{"KiB", {1024, 1}, Dimension::kBytes},
    UnitInfo{"MiB", {1024.0 * 1024, 1}, Dimension::kBytes},
    UnitInfo{"GiB", {1024.0 * 1024 * 1024, 1}, Dimension::kBytes},
    UnitInfo{"TiB", {1024.0 * 1024 * 1024 * 1024, 1}, Dimension::kBytes},
};

const UnitInfo* FindUnit(std::string_view name, UnitUse other) {
  const auto* const found = std::ranges::find(kUnits, name, &UnitInfo::name);
  return found == kUnits.end() || found->use == other ? nullptr : found;
}

}  // namespace

const UnitInfo* FindTypedUnit(std::string_view name) { return FindUnit(name, UnitUse::kPrinted); }

const UnitInfo* FindMetricUnit(std::string_view name) { return FindUnit(name, UnitUse::kTyped); }

bool IsOfTime(std::string_view unit) {
  const std::size_t slash = unit.rfind('/');
  const UnitInfo* const whole = FindMetricUnit(unit);
  // The rates "1/s" and "ops/sec", and a time "ns/op" that has no name of its own.
  const UnitInfo* const under = slash == unit.npos ? whole : FindMetricUnit(unit.substr(slash + 1));
  const UnitInfo* const over = slash == unit.npos ? whole : FindMetricUnit(unit.substr(0, slash));
  const auto is_time = [](const UnitInfo* one) {
    return one != nullptr && one->dimension == Dimension::kTime;
  };
  return is_time(whole) || is_time(under) || is_time(over);
}

std::string_view SiUnit(Dimension dimension) { return dimension == Dimension::kTime ? "s" : "B"; }

}  // namespace benchd
