#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_builder.h"
#include "core/parse/number.h"

namespace benchd {

/// A number and its unit as a program printed them.
struct PrintedValue {
  PrintedNumber number;
  std::string unit;  ///< what followed the number ("ms", "MB/s", "k"); may be empty
  bool operator==(const PrintedValue&) const = default;
};

/// Parses a number that may have thousands commas ("1,234.5") and a unit directly or after a blank
/// ("21.64ms", "3.3 MB/s"). "h:mm:ss", "m:ss.ss", "1m2.5s" and "1m 02s" are times in seconds. Pure
/// and thread-safe.
///
/// @errors kInvalidArgument "'12,5' is not a number" and those of ParseNumber().
Result<PrintedValue> ParsePrintedValue(std::string_view text);

/// Returns the SI unit of a printed unit, and the conversion to it: times become "s", bytes "B",
/// bits "bit", their rates "B/s" and "bit/s", and rates of counts ("req/s", "ops/ms", "tps") "1/s".
/// KB is 1000 bytes and KiB 1024. An unknown unit is returned unchanged. Sets no direction.
HarnessUnit SiUnitOf(std::string_view unit);

/// Returns `text` without the spaces, tabs and carriage returns around it.
std::string_view WithoutBlanks(std::string_view text);

/// Returns the factor of a bare suffix of a number: k or K, M, G, T; 0 for any other text.
double SuffixFactor(std::string_view unit);

}  // namespace benchd
