#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

// Parsers for option values. Pure. An error states the expected value and has a hint with an
// example. It lacks the name of the option, which the caller adds (Error::Within).

/// Parses a plain decimal number such as 0.02 or 1e-3. NaN and infinities are errors.
Result<double> ParseNumber(std::string_view text);

/// Parses a fraction, written as `0.02` or `2%`. Both give the same double.
Result<double> ParseFraction(std::string_view text);

/// Parses a margin: a fraction other than zero. A negative margin is how much better the candidate
/// has to be. A margin of 100 % or more in either direction needs the percent sign, because a bare
/// 5 probably means 5 %. Whether -100 % is possible depends on the metric, so it is not an error
/// here.
Result<double> ParseMargin(std::string_view text);

/// Parses the width of an interval: a fraction above zero. As for a margin, a width of 100 % or
/// more needs the percent sign. The hint shows what to write after `before`, such as "--precision
/// ".
Result<double> ParsePrecision(std::string_view text, std::string_view before);

/// Parses a probability strictly between 0 and 1, as a fraction or percentage. The hint shows
/// `example`.
Result<double> ParseProbability(std::string_view text, std::string_view example);

/// Returns 1 - confidence, rounded to 12 digits: 99% gives 0.01, not 0.010000000000000009.
double AlphaFromConfidence(double confidence);

/// Parses a duration above zero, such as `500ms`, `1.5s`, `10m` or `1h30m`, into seconds. A bare
/// number is in seconds.
Result<double> ParseDuration(std::string_view text);

/// Parses a non-negative integer.
Result<std::uint64_t> ParseCount(std::string_view text);
Result<std::int32_t> ParseInteger(std::string_view text);

/// Parses `K=V`; K must not be empty.
Result<std::pair<std::string, std::string>> ParseAssignment(std::string_view text);

enum class Direction { kLower, kHigher };

/// The value of `--metric NAME[:P%|:+ABS|:exact][:lower|:higher]`. It has at most one margin, which
/// is negative if the candidate has to be better by that much.
struct MetricGate {
  std::string name;                ///< or a pattern
  std::optional<double> ratio;     ///< fraction
  std::optional<double> absolute;  ///< in `unit`
  std::optional<Direction> better;
  std::string unit = {};  ///< "s" or "B"; empty: the unit of the metric
  bool exact = false;
  bool operator==(const MetricGate&) const = default;
};

/// Parses a metric with a margin and a direction. Recognises suffixes only from the right:
/// `BM_X/threads:2` is a name, `BM_X/threads:2:5%` has a margin. After a built-in metric, a bare
/// fraction is a margin, too: `cpu_time:0.02`. ABS may have a unit: ns us ms s m h, B kB MB GB KiB
/// MiB GiB TiB. A negative difference with a unit does not need the plus sign: `:-5ms` is `:+-5ms`.
/// Without a unit it does, because `BM_X/offset:-5` is a name.
Result<MetricGate> ParseMetricGate(std::string_view text);

/// Checks that a name is that of a built-in metric, for gates of commands whose output is not
/// parsed. The error suggests a name. `name` is that of a MetricGate, including any suffix that was
/// not recognised.
Result<void> CheckBuiltinMetric(std::string_view name);

/// Returns whether a message can carry the text: it must be valid UTF-8 without NUL bytes.
bool IsSendableText(std::string_view text);

/// Splits a list "a,b" into its names, including empty ones. A backslash has no special meaning.
std::vector<std::string> SplitNames(std::string_view text);

}  // namespace benchd::client
