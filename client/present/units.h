#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/present/text.h"

namespace benchd::client {

// Numbers for people. JSON and CSV do not use these: they print exact SI values.

/// "12.50"; never "-0.00"; "1.000e+308" if a value has more than 15 digits before the point.
std::string Fixed(double value, int decimals);

/// "10.12 ms", "1.5 MiB", "1000", "3.2 MB/s": `unit` as in messages ("s", "B", "1" or any word).
std::string FormatQuantity(double value, std::string_view unit, const Style& style);

/// "10.123 ± 0.054 ms": mean and standard deviation in one scale, the deviation with two digits.
std::string FormatMeanSd(double mean, std::optional<double> sd, std::string_view unit,
                         const Style& style);

/// Two means of one metric in one scale, with the digits that show a difference of `relative` (a
/// fraction), at least three. "-" for an absent mean.
std::pair<std::string, std::string> FormatMeans(std::optional<double> reference,
                                                std::optional<double> candidate, double relative,
                                                std::string_view unit, const Style& style);

/// A larger factor is described in words: more digits add no information.
inline constexpr double kTellableFactor = 1000;

/// "1.09": 1 + change as a factor; "over 1000" beyond kTellableFactor.
std::string FormatTimes(double factor, int decimals);

/// Whether the two ends of a change differ by more than kTellableFactor.
bool WiderThanTellable(double lo, double hi);

/// Numbers in one column, with one scale and number of decimals.
class ColumnFormat {
 public:
  /// @param largest  selects the scale
  /// @param finest   the difference to show, with two digits; 0 = four digits of `largest`
  ColumnFormat(double largest, double finest, std::string_view unit, const Style& style);

  /// Fractions as percentages, with the decimals that the ends of their interval require. Beyond
  /// kTellableFactor: "over 100000".
  static ColumnFormat OfChanges(std::optional<double> lo, std::optional<double> hi);
  /// The same for quantities: an estimate within its interval, if there is one.
  static ColumnFormat OfDifferences(double estimate, std::optional<double> lo,
                                    std::optional<double> hi, std::string_view unit,
                                    const Style& style);

  std::string Format(double value) const;          ///< without the unit
  std::string Signed(double value) const;          ///< "+10.2", without the unit
  std::string WithUnit(std::string number) const;  ///< "10.2 %", "1.5 MiB"
  /// "+9.8 … +10.6 %" with one unit; "wider than 1000 times" for changes that wide.
  std::string Interval(double lo, double hi, const Style& style) const;
  const std::string& unit() const { return unit_; }

 private:
  ColumnFormat(double factor, int decimals, std::string unit)
      : factor_(factor), decimals_(decimals), unit_(std::move(unit)) {}

  double factor_;
  int decimals_;
  std::string unit_;
  bool changes_ = false;  // relative ones
};

/// A fraction as a percentage with sign: "+10.2 %".
std::string FormatChange(double fraction, int decimals);

/// A fraction as a percentage without sign: "2 %", "0.5 %", "99.9 %".
std::string FormatPercent(double fraction);

/// A fraction >= 0 as a percentage with two significant digits: "34.1 %", "0.30 %".
std::string FormatShare(double fraction);

/// A confidence level as a percentage: as requested if that is short ("97.5 %"), else to one
/// significant digit of its distance from 100 % ("99.8 %").
std::string FormatConfidence(double fraction);

/// Decimals of a percentage that match the width of its interval: 0 to 4.
int PercentDecimals(std::optional<double> lo, std::optional<double> hi);

/// A duration in clock format: "0:14", "12:03", "1:02:03".
std::string FormatClock(double seconds);

/// A rough duration: "21 s", "3 min", "2 h".
std::string FormatRough(double seconds);

/// The shortest text that reads back as the same double.
std::string FormatRoundTrip(double value);

/// A fraction above 0 as a percentage that reads back as the same double: "2%", "0.05%".
std::string FormatRoundTripPercent(double fraction);

}  // namespace benchd::client
