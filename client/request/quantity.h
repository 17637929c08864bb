#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

// The grammars of option values. Pure; every error says what was expected and carries a hint with
// an example, without the option's name, which the caller puts in front (Error::Within).

/// A plain decimal number such as 0.02 or 1e-3; NaN and infinities are errors.
Result<double> ParseNumber(std::string_view text);

/// A fraction, as `0.02` or `2%`: both give the same double.
Result<double> ParseFraction(std::string_view text);

/// A margin: a fraction above zero. One of 100 % or more needs its percent sign: who writes 5 means
/// 5 %.
Result<double> ParseMargin(std::string_view text);

/// A probability strictly between 0 and 1, as fraction or percentage. `example` stands in the hint.
Result<double> ParseProbability(std::string_view text, std::string_view example);

/// 1 - confidence, rounded to 12 digits: 99% gives 0.01 and not 0.010000000000000009.
double AlphaFromConfidence(double confidence);

/// Seconds from `500ms`, `1.5s`, `10m`, `1h30m`; a bare number is seconds. Above zero.
Result<double> ParseDuration(std::string_view text);

/// A whole number from 0 on.
Result<std::uint64_t> ParseCount(std::string_view text);
Result<std::int32_t> ParseInteger(std::string_view text);

/// `K=V` with a K that is not empty.
Result<std::pair<std::string, std::string>> ParseAssignment(std::string_view text);

enum class Direction { kLower, kHigher };

/// What `--metric NAME[:P%|:+ABS][:lower|:higher]` says.
struct MetricGate {
  std::string name;
  std::optional<double> ratio;     ///< fraction
  std::optional<double> absolute;  ///< in `unit`
  std::optional<Direction> better;
  std::string unit = {};  ///< "s" or "B"; empty: the metric's own
  bool operator==(const MetricGate&) const = default;
};

/// Suffixes are recognised from the right only: `BM_X/threads:2` is a name, `BM_X/threads:2:5%` has
/// a margin. Behind a built-in metric a bare fraction is one too: `cpu_time:0.02`. ABS takes a
/// unit: ns us ms s m h, B kB MB GB KiB MiB GiB TiB.
Result<MetricGate> ParseMetricGate(std::string_view text);

/// Refuses, with a suggestion, what is no metric that a run has by itself: for gates of commands
/// whose output is not parsed. `name` is a MetricGate's, with what was not understood still behind
/// it.
Result<void> CheckBuiltinMetric(std::string_view name);

/// True for well-formed UTF-8 without a NUL byte: what the wire can carry.
bool IsSendableText(std::string_view text);

/// The names of a list "a,b", empty ones too; a backslash is one of their characters.
std::vector<std::string> SplitNames(std::string_view text);

}  // namespace benchd::client
