#include "core/stats/combination.h"

#include <algorithm>
#include <cmath>

#include "core/base/try.h"
#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

Interval Around(double centre, double half) { return {centre - half, centre + half}; }

double HalfWidthToPredict(const Moments& seen, double alpha) {
  const auto k = static_cast<double>(seen.count());
  return StudentTUpperQuantile(alpha / 2, k - 1) * seen.standard_deviation() * std::sqrt(1 + 1 / k);
}

std::optional<double> TauSquared(std::span<const UnitEffect> units, double variance) {
  double within = 0;
  for (const UnitEffect& unit : units) {
    if (!unit.standard_error) return std::nullopt;
    within += *unit.standard_error * *unit.standard_error;
  }
  return std::max(0.0, variance - within / static_cast<double>(units.size()));
}

bool IsOutsideOfOthers(std::span<const UnitEffect> units, std::size_t unit, double alpha) {
  Moments others;
  Moments allowances;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (i == unit) continue;
    others.Add(units[i].value);
    allowances.Add(units[i].allowance);
  }
  const double level = alpha / static_cast<double>(units.size());
  return std::abs(units[unit].value - others.mean()) >
         HalfWidthToPredict(others, level) + allowances.mean() + units[unit].allowance;
}

Result<void> Check(std::span<const UnitEffect> units, double alpha) {
  if (units.empty()) return InvalidArgument("units", "missing");
  if (!(alpha > 0 && alpha < 1)) return InvalidArgument("alpha", "must lie between 0 and 1");
  for (const UnitEffect& unit : units) {
    if (!std::isfinite(unit.value) || !std::isfinite(unit.standard_error.value_or(0)) ||
        !std::isfinite(unit.allowance)) {
      return InvalidArgument("units", "a value is not finite");
    }
  }
  return {};
}

}  // namespace

Result<Combination> CombineUnits(std::span<const UnitEffect> units, double alpha) {
  TRY_VOID(Check(units, alpha));
  Moments values;
  Moments allowances;
  double largest = 0;
  for (const UnitEffect& unit : units) {
    values.Add(unit.value);
    allowances.Add(unit.allowance);
    largest = std::max(largest, unit.allowance);
  }
  Combination combined{.units = units.size(), .centre = values.mean()};
  if (units.size() < 2) return combined;
  combined.sd = values.standard_deviation();
  const auto k = static_cast<double>(units.size());
  const double t = StudentTUpperQuantile(alpha / 2, k - 1);
  combined.interval = Around(combined.centre, t * combined.sd / std::sqrt(k) + allowances.mean());
  combined.tau_squared = TauSquared(units, values.variance());
  if (units.size() < kFewestToPredict) return combined;
  combined.prediction =
      Around(combined.centre, HalfWidthToPredict(values, alpha) + allowances.mean() + largest);
  if (units.size() <= kFewestToPredict) return combined;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (IsOutsideOfOthers(units, i, alpha)) combined.outliers.push_back(i);
  }
  return combined;
}

}  // namespace benchd
