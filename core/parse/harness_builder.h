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

/// Longest metric name and unit; these become columns and keys.
inline constexpr std::size_t kMaxMetricNameBytes = 256;
/// Longest name of a harness's own benchmark, which parameters can make long.
inline constexpr std::size_t kMaxInnerNameBytes = 1024;
/// Most values of one run. A program that prints more measures something else.
inline constexpr std::size_t kMaxSamples = 100'000;

/// The metric to which a printed number belongs.
struct HarnessMetric {
  std::string_view inner;  ///< benchmark within the harness, empty = the run as a whole
  std::string_view name;
  std::string_view unit;
  std::optional<Better> better;
  bool by_name_only = false;  ///< as in MetricInfo
};

/// Collects the output of a harness: one object per text, filled by the reader of each format.
///
/// Enforces the guarantees common to all formats: names of limited length without control
/// characters and distinct from benchd's own metrics, finite values, one unit and one direction per
/// metric, samples counted from 0 in order of appearance, the finest resolution of each metric,
/// kMaxSamples.
class HarnessBuilder {
 public:
  /// @param hint  how to produce valid output, for the errors.
  explicit HarnessBuilder(std::string_view hint) : hint_(hint) {}

  /// Adds a number found in `line`. A time in another unit than the metric's first value is
  /// converted to that unit.
  /// @errors kInvalidArgument without the line, which the caller adds.
  Result<void> Add(const HarnessMetric& metric, const PrintedNumber& printed, std::size_t line);

  /// The same for formats that know the line of the value: errors name it.
  Result<void> AddAt(std::size_t line, const HarnessMetric& metric, const PrintedNumber& number);

  /// @param expected  what a text without values lacks: "at least one benchmark".
  /// @errors kInvalidArgument "no value: expected ..."
  Result<HarnessOutput> Finish(std::string_view expected) &&;

  /// The index of a metric in the output, and the line of its first value.
  struct Known {
    std::size_t metric = 0;
    std::size_t first_line = 0;
    std::uint32_t values = 0;
  };
  /// Looks up NAME or INNER/NAME; nullptr if it has no value yet.
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

/// Converts numbers in a harness's unit to SI: value * times / over. Two factors, because a
/// division by 1e9 is exact to the last bit and a multiplication by 1e-9 is not.
struct UnitScale {
  double times = 1;
  double over = 1;
  bool operator==(const UnitScale&) const = default;
};

/// The unit in which benchd keeps a harness's numbers, and the direction if the unit implies it.
struct HarnessUnit {
  std::string unit;
  UnitScale scale = {};
  std::optional<Better> better = {};
  bool operator==(const HarnessUnit&) const = default;
};

PrintedNumber Scaled(const PrintedNumber& number, const UnitScale& scale);

/// A unit of time to seconds: ns, us (also with a micro sign), ms, s, sec, min, hr, day.
std::optional<UnitScale> SecondsIn(std::string_view unit);

/// Converts between units of time; std::nullopt if either is not one.
std::optional<UnitScale> TimeScale(std::string_view from, std::string_view to);

/// Interprets units of JMH: "ns/op" is a time (lower is better), "ops/ms" a rate (higher), "B/op"
/// and "#/op" are costs (lower). Others are kept unchanged and have no direction.
HarnessUnit JmhUnit(std::string_view unit);

}  // namespace benchd
