#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/number.h"

namespace benchd {

/// Longest line that is taken, without its newline.
inline constexpr std::size_t kMaxLineBytes = 64 * 1024;

/// Calls `take(line)` for each line of a text, counted from 1, without its newline.
///
/// @errors kInvalidArgument "line 3: ..." for a line over kMaxLineBytes or that is no UTF-8, and
///         what `take` returns, with the line in front. `hint` is that of the first two.
Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take);

/// The words of a line, separated by blanks, tabs and carriage returns.
std::vector<std::string_view> WordsOf(std::string_view line);

/// What one line of values says. Views into the line.
struct LineReading {
  std::string_view iteration;  ///< empty = none
  std::string_view sample;     ///< likewise
  std::string_view name;
  PrintedNumber number;
  std::string_view unit;  ///< empty = that of the last `#! unit=`
};

/// Where a format has its words.
struct LineFormat {
  /// The words are never none. Errors without the line.
  Result<LineReading> (*read)(const std::vector<std::string_view>& words);
  std::string_view hint;
  /// What a text without a value lacks: "at least one line NAME VALUE [UNIT]".
  std::string_view expected;
  /// What tells the values of one name apart, for the error of one that is there twice.
  std::string_view number_hint;
};

/// Reads a text of one value a line: what `lines` and `mmtests` have in common.
///
/// Empty lines and lines starting with `#` say nothing. `#! prefer=lower|higher unit=U` (one or
/// both) holds for all lines after it. A NAME may be there several times when each has its own
/// iteration and sample.
///
/// @errors see ParseLines().
Result<HarnessOutput> ReadLines(std::string_view text, const LineFormat& format);

}  // namespace benchd
