#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/render/text.h"

namespace benchd::client {

// Numbers as people read them. JSON and CSV never come here: theirs are SI and exact.

/// "12.50"; never "-0.00".
std::string Fixed(double value, int decimals);

/// "10.12 ms", "1.5 MiB", "1000", "3.2 MB/s": `unit` as in the messages ("s", "B", "1" or any
/// word).
std::string FormatQuantity(double value, std::string_view unit, const Style& style);

/// "10.123 ± 0.054 ms": mean and standard deviation in one scale, the deviation with two digits.
std::string FormatMeanSd(double mean, std::optional<double> sd, std::string_view unit,
                         const Style& style);

/// Numbers that stand in one column: all in one scale and with the same decimals.
class ColumnFormat {
 public:
  /// @param largest  the scale is that of this size
  /// @param finest   what has to be told apart, shown with two digits; 0 = four digits of `largest`
  ColumnFormat(double largest, double finest, std::string_view unit, const Style& style);

  std::string Format(double value) const;  ///< without the unit
  const std::string& unit() const { return unit_; }

 private:
  double factor_;
  int decimals_;
  std::string unit_;
};

/// A fraction as percentage with sign: "+10.2 %".
std::string FormatChange(double fraction, int decimals);

/// A fraction as percentage without sign: "2 %", "0.5 %", "99.9 %".
std::string FormatPercent(double fraction);

/// Decimals of a percentage that fit the width of its interval: 1 to 4.
int PercentDecimals(std::optional<double> lo, std::optional<double> hi);

/// "+9.8 % … +10.6 %".
std::string FormatChangeInterval(double lo, double hi, int decimals, const Style& style);

/// A running clock: "0:14", "12:03", "1:02:03".
std::string FormatClock(double seconds);

/// A rough duration for expectations: "21 s", "3 min", "2 h".
std::string FormatRough(double seconds);

/// The shortest text that reads back as the same double.
std::string FormatRoundTrip(double value);

/// A fraction above zero as the percentage that reads back as the same double: "2%", "0.05%".
std::string FormatRoundTripPercent(double fraction);

}  // namespace benchd::client
