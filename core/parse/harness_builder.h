#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
};

/// Collects what a harness printed: one object a text, fed by the reader of each format.
///
/// Keeps what all formats promise: names of a sane length without control characters, none of
/// benchd's own metrics, one unit and one direction for each metric, samples counted from 0 in
/// order of appearance, the finest resolution of each metric, kMaxSamples.
class HarnessBuilder {
 public:
  /// @param hint  how a sound output comes about, for the errors.
  explicit HarnessBuilder(std::string_view hint) : hint_(hint) {}

  /// Adds a number that stands in `line`.
  /// @errors kInvalidArgument, without the line: for the caller to put in front.
  Result<void> Add(const HarnessMetric& metric, const PrintedNumber& number, std::size_t line);

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

}  // namespace benchd
