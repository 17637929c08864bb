#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/unit.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {

/// The maximum length of a metric's name and of a unit, which become columns and keys.
inline constexpr std::size_t kMaxMetricNameBytes = 256;
/// The maximum length of the name of a benchmark within a harness. Parameters can make names long.
inline constexpr std::size_t kMaxInnerNameBytes = 1024;
/// The maximum number of values per run.
inline constexpr std::size_t kMaxSamples = 100'000;

/// Returns the error for a text that a format does not allow. Without a hint, the reader of the
/// format adds its own.
Error RefuseText(std::string why, std::string_view hint = {});

/// The metric to which a printed number belongs.
struct HarnessMetric {
  std::string_view inner;  ///< benchmark within the harness; empty = the run as a whole
  std::string_view name;
  std::string_view unit;
  std::optional<Better> better;
  bool by_name_only = false;  ///< as in MetricInfo
};

/// Collects the values in the output of a harness. The reader of a format fills one object per
/// text.
///
/// The class enforces the guarantees common to all formats. Names have limited length, contain no
/// control characters, and differ from benchd's own metrics. Values are finite, and there are at
/// most kMaxSamples. A metric has one unit, one direction and its finest resolution. Samples are
/// counted from 0 in order of appearance.
class HarnessBuilder {
 public:
  /// @param hint  a hint for the errors: how to produce valid output.
  explicit HarnessBuilder(std::string_view hint) : hint_(hint) {}

  /// Adds a number found in `line`. A time is converted to the unit of the metric's first value.
  /// @errors kInvalidArgument without the line, which the caller adds.
  Result<void> Add(const HarnessMetric& metric, const PrintedNumber& printed, std::size_t line);

  /// Adds a number, for formats that know the line of each value. Errors name the line.
  Result<void> AddAt(std::size_t line, const HarnessMetric& metric, const PrintedNumber& number);

  /// Returns the collected output.
  /// @param expected  for the error: what a text without values lacks ("at least one benchmark").
  /// @errors kInvalidArgument "no value: expected ..."
  Result<HarnessOutput> Finish(std::string_view expected) &&;

  /// Returns whether no value was added.
  bool empty() const { return output_.samples.empty(); }
  /// Returns whether the run has as many values as it may have.
  bool IsFull() const { return output_.samples.size() == kMaxSamples; }
  /// Returns the collected output, which may be empty.
  HarnessOutput Take() && { return std::move(output_); }

  /// The index of a metric in the output, and the line of its first value.
  struct Known {
    std::size_t metric = 0;
    std::size_t first_line = 0;
    std::uint32_t values = 0;
    std::size_t inner_bytes = 0;  // of the key
  };
  /// Looks up NAME or INNER/NAME. Returns nullptr if that metric has no value yet.
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

/// The unit in which benchd keeps a harness's numbers, and the direction if the unit implies it.
struct HarnessUnit {
  std::string unit;
  UnitScale scale = {};  ///< to SI
  std::optional<Better> better = {};
  bool operator==(const HarnessUnit&) const = default;
};

PrintedNumber Scaled(const PrintedNumber& number, const UnitScale& scale);

/// Returns the conversion of a unit of time to seconds, for ns, us (also with a micro sign), ms, s,
/// sec, min, hr and day; std::nullopt for any other unit.
std::optional<UnitScale> SecondsIn(std::string_view unit);

/// Returns the conversion between two units of time; std::nullopt if either is not a unit of time.
std::optional<UnitScale> TimeScale(std::string_view from, std::string_view to);

/// Interprets units of JMH: "ns/op" is a time (lower is better), "ops/ms" a rate (higher), "B/op"
/// and "#/op" are costs (lower). Other units are kept unchanged and have no direction.
HarnessUnit JmhUnit(std::string_view unit);

}  // namespace benchd
