#pragma once

#include <string_view>

#include "core/base/result.h"

namespace benchd {

/// A number as a program printed it.
struct PrintedNumber {
  double value = 0;  ///< finite
  /// What one step of the last printed digit is worth: 0.01 for "12.50", 1e-9 for "3e-9", 1 for
  /// "1000", 1000 for "1e3". 0 when that is not a finite positive double.
  double resolution = 0;
  bool operator==(const PrintedNumber&) const = default;
};

/// True when all of `text` is spelled like a decimal number: [+-] digits [. digits] [e[+-]digits],
/// with a digit on at least one side of the point. Says nothing about its range.
bool LooksLikeNumber(std::string_view text);

/// Reads all of `text` as one decimal number. No hexadecimal, no white space, no digit grouping, no
/// locale, nothing after it. Pure; any thread.
///
/// @errors kInvalidArgument "'12,5' is not a number", "'nan' is not a finite number", "'1e999' does
///         not fit a double". The text is cut to a readable length.
Result<PrintedNumber> ParseNumber(std::string_view text);

/// True when `text` is one or more ASCII digits.
bool IsWholeNumber(std::string_view text);

}  // namespace benchd
