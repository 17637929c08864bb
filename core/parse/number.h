#pragma once

#include <string_view>

#include "core/base/result.h"

namespace benchd {

/// A number as a program printed it.
struct PrintedNumber {
  double value = 0;  ///< finite
  /// The value of one step of the last printed digit: 0.01 for "12.50", 1e-9 for "3e-9", 1 for
  /// "1000", 1000 for "1e3". 0 if that is not a finite positive double.
  double resolution = 0;
  bool operator==(const PrintedNumber&) const = default;
};

/// Returns whether all of `text` has the form of a decimal number: [+-] digits [. digits]
/// [e[+-]digits], with a digit on at least one side of the point. Does not check the range.
bool LooksLikeNumber(std::string_view text);

/// Parses all of `text` as one decimal number. Hexadecimal, whitespace, digit grouping and trailing
/// text are rejected; the locale is ignored. Pure and thread-safe.
///
/// @errors kInvalidArgument "'12,5' is not a number", "'nan' is not a finite number", "'1e999' does
///         not fit a double". The text is truncated to a readable length.
Result<PrintedNumber> ParseNumber(std::string_view text);

/// Returns whether `text` consists of one or more ASCII digits.
bool IsWholeNumber(std::string_view text);

}  // namespace benchd
