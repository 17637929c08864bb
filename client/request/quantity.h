#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

// The grammars of option values. Pure. Errors state what was expected and have a hint with an
// example. They lack the name of the option, which the caller adds (Error::Within).

/// A plain decimal number such as 0.02 or 1e-3; NaN and infinities are errors.
Result<double> ParseNumber(std::string_view text);

/// A fraction, written as `0.02` or `2%`; both give the same double.
Result<double> ParseFraction(std::string_view text);

/// A margin: a fraction above zero. A margin of 100 % or more needs the percent sign, because a
/// bare 5 probably means 5 %.
Result<double> ParseMargin(std::string_view text);

/// A probability strictly between 0 and 1, as a fraction or percentage. The hint shows `example`.
Result<double> ParseProbability(std::string_view text, std::string_view example);

/// 1 - confidence, rounded to 12 digits: 99% gives 0.01, not 0.010000000000000009.
double AlphaFromConfidence(double confidence);

/// Seconds from `500ms`, `1.5s`, `10m` or `1h30m`; a bare number is in seconds. Above zero.
Result<double> ParseDuration(std::string_view text);

/// A non-negative integer.
Result<std::uint64_t> ParseCount(std::string_view text);
Result<std::int32_t> ParseInteger(std::string_view text);

/// `K=V`; K must not be empty.
Result<std::pair<std::string, std::string>> ParseAssignment(std::string_view text);

enum class Direction { kLower, kHigher };

/// The value of `--metric NAME[:P%|:+ABS][:lower|:higher]`.
struct MetricGate {
  std::string name;
  std::optional<double> ratio;     ///< fraction
  std::optional<double> absolute;  ///< in `unit`
  std::optional<Direction> better;
  std::string unit = {};  ///< "s" or "B"; empty: the unit of the metric
  bool operator==(const MetricGate&) const = default;
};

/// Recognises suffixes only from the right: `BM_X/threads:2` is a name, `BM_X/threads:2:5%` has a
/// margin. After a built-in metric, a bare fraction is a margin, too: `cpu_time:0.02`. ABS may have
/// a unit: ns us ms s m h, B kB MB GB KiB MiB GiB TiB.
Result<MetricGate> ParseMetricGate(std::string_view text);

/// Refuses, with a suggestion, a name that is not a built-in metric. Used for gates of commands
/// whose output is not parsed. `name` is that of a MetricGate, with any suffix that was not
/// understood.
Result<void> CheckBuiltinMetric(std::string_view name);

/// True for well-formed UTF-8 without NUL bytes, which a message can carry.
bool IsSendableText(std::string_view text);

/// The names of a list "a,b", including empty ones. A backslash has no special meaning.
std::vector<std::string> SplitNames(std::string_view text);

}  // namespace benchd::client
