#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/metric.h"
#include "core/parse/number.h"

namespace benchd {

/// How numbers in a harness' unit become SI: value * times / over. Two factors, because a division
/// by 1e9 is exact to the last bit where a multiplication by 1e-9 is not.
struct UnitScale {
  double times = 1;
  double over = 1;
  bool operator==(const UnitScale&) const = default;
};

/// The unit that benchd keeps a harness' numbers in, and which direction is good where the unit
/// alone tells.
struct HarnessUnit {
  std::string unit;
  UnitScale scale = {};
  std::optional<Better> better = {};
  bool operator==(const HarnessUnit&) const = default;
};

PrintedNumber Scaled(const PrintedNumber& number, const UnitScale& scale);

/// A unit of time to seconds: ns, us (also with a micro sign), ms, s, sec, min, hr, day.
std::optional<UnitScale> SecondsIn(std::string_view unit);

/// Units of JMH: "ns/op" is a time (lower is better), "ops/ms" a rate (higher), "B/op" and "#/op"
/// costs (lower); others are kept as they are and have no direction.
HarnessUnit JmhUnit(std::string_view unit);

/// Units of Go: golang.org/x/perf/benchunit has "ns" become "sec" and "MB" become "B" in the
/// numerator. `name` is what Go's tools call the metric then ("sec/op"), `unit` is SI ("s").
struct GoUnit {
  std::string name;
  HarnessUnit unit;
};
GoUnit TidyGoUnit(std::string_view unit);

}  // namespace benchd
