#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {

/// Longest name of a metric and longest unit: they become columns and keys.
inline constexpr std::size_t kMaxMetricNameBytes = 256;
/// Longest name of a harness' own benchmark: with parameters they are long.
inline constexpr std::size_t kMaxInnerNameBytes = 1024;
/// Most values of one run; a program that prints more measures something else.
inline constexpr std::size_t kMaxSamples = 100'000;

/// What one printed number is a number of.
struct HarnessMetric {
  std::string_view inner;  ///< the harness' own benchmark, empty = the run as a whole
  std::string_view name;
  std::string_view unit;
  std::optional<Better> better;
  bool by_name_only = false;  ///< as of MetricInfo
};

/// Collects what a harness printed: one object a text, fed by the reader of each format.
///
/// Keeps what all formats promise: names of a sane length without control characters, none of
/// benchd's own metrics, finite values, one unit and one direction for each metric, samples counted
/// from 0 in order of appearance, the finest resolution of each metric, kMaxSamples.
class HarnessBuilder {
 public:
  /// @param hint  how a sound output comes about, for the errors.
  explicit HarnessBuilder(std::string_view hint) : hint_(hint) {}

  /// Adds a number that stands in `line`; one in another unit of time than the metric's first is
  /// converted to that.
  /// @errors kInvalidArgument, without the line: for the caller to put in front.
  Result<void> Add(const HarnessMetric& metric, const PrintedNumber& printed, std::size_t line);

  /// The same for formats that know the line where the value stands: errors name it.
  Result<void> AddAt(std::size_t line, const HarnessMetric& metric, const PrintedNumber& number);

  /// @param expected  what a text without any value lacks: "at least one benchmark".
  /// @errors kInvalidArgument "no value: expected ..."
  Result<HarnessOutput> Finish(std::string_view expected) &&;

  /// The number of that metric in the output, and the line of its first value.
  struct Known {
    std::size_t metric = 0;
    std::size_t first_line = 0;
    std::uint32_t values = 0;
  };
  /// Of NAME or INNER/NAME; nullptr while it has no value.
  const Known* Find(std::string_view key) const;

 private:
  Error Refuse(std::string why) const;
  Result<void> CheckName(std::string_view name, const char* what, std::size_t most) const;
  Result<void> CheckNames(const HarnessMetric& metric) const;
  Result<void> CheckAgainst(const Known& known, const HarnessMetric& metric) const;

  std::string hint_;
  HarnessOutput output_;
  std::map<std::string, Known, std::less<>> known_;
  std::string scratch_;
};

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

/// From one unit of time to another; nothing where one of the two is none.
std::optional<UnitScale> TimeScale(std::string_view from, std::string_view to);

/// Units of JMH: "ns/op" is a time (lower is better), "ops/ms" a rate (higher), "B/op" and "#/op"
/// costs (lower); others are kept as they are and have no direction.
HarnessUnit JmhUnit(std::string_view unit);

}  // namespace benchd
