#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/exit_code.h"

namespace benchd::client {

/// More benchmarks than that are not for one session; benchd refuses them as well.
inline constexpr std::size_t kMostBenchmarks = 1000;

/// What `{NAME}` stands for in commands: one benchmark a value.
struct Parameter {
  std::string name;
  std::vector<std::string> values;  ///< all different, never empty
  bool operator==(const Parameter&) const = default;
};

/// `NAME A,B,...`; `\,` is a comma inside a value. Pure.
///
/// @errors (exit 2) no NAME of letters, digits, `_` and `-`, or `name` or `dir`, which stand for
/// the
///         arm; no values, equal values, more than kMostBenchmarks.
Result<Parameter> ParseParameterList(std::string_view text);

/// `NAME MIN MAX STEP`: MIN, MIN + STEP, ... up to MAX, which belongs to it. Decimal arithmetic:
/// 0.1 to 0.3 by 0.1 are three values, each written with the decimals of MIN and STEP. Pure.
///
/// @errors (exit 2) the name, as above; what is no decimal of 18 digits at most; a STEP that is not
///         above zero, MAX below MIN, more than kMostBenchmarks values.
Result<Parameter> ParseParameterScan(std::string_view text);

}  // namespace benchd::client
