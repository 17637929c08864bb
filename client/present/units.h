#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/present/text.h"

namespace benchd::client {

// Formats numbers for text output. JSON and CSV print exact SI values instead.

/// Formats a number with fixed decimals: "12.50", never "-0.00". A number with more than 15 digits
/// before the point becomes "1.000e+308".
std::string Fixed(double value, int decimals);

/// Formats a value in a readable scale: "10.12 ms", "1.5 MiB", "1000", "3.2 MiB/s". `unit` is as in
/// messages: "s", "B", "1" or any word.
std::string FormatQuantity(double value, std::string_view unit, const Style& style);

/// Formats mean and standard deviation in one scale, the deviation with two digits:
/// "10.123 ± 0.054 ms".
std::string FormatMeanSd(double mean, std::optional<double> sd, std::string_view unit,
                         const Style& style);

/// Formats two means of one metric in one scale, with enough digits, but at least three, to show a
/// difference of `relative` (a fraction). An absent mean becomes "-".
std::pair<std::string, std::string> FormatMeans(std::optional<double> reference,
                                                std::optional<double> candidate, double relative,
                                                std::string_view unit, const Style& style);

/// Larger factors are described in words, because more digits add no information.
inline constexpr double kTellableFactor = 1000;

/// Formats the factor 1 + change: "1.09", or "over 1000" beyond kTellableFactor.
std::string FormatTimes(double factor, int decimals);

/// Returns whether the two ends of a change differ by more than kTellableFactor.
bool WiderThanTellable(double lo, double hi);

/// The format of the numbers in one column: their scale and number of decimals.
class ColumnFormat {
 public:
  /// @param largest  selects the scale
  /// @param finest   the difference to show, with two digits; 0 = four digits of `largest`
  ColumnFormat(double largest, double finest, std::string_view unit, const Style& style);

  /// Returns a format for fractions as percentages, with the decimals that the ends of their
  /// interval require. A fraction beyond kTellableFactor becomes "over 100000".
  static ColumnFormat OfChanges(std::optional<double> lo, std::optional<double> hi);
  /// Returns a format for an estimate in a unit and, if there is one, its interval.
  static ColumnFormat OfDifferences(double estimate, std::optional<double> lo,
                                    std::optional<double> hi, std::string_view unit,
                                    const Style& style);

  std::string Format(double value) const;          ///< without the unit
  std::string Signed(double value) const;          ///< "+10.2", without the unit
  std::string WithUnit(std::string number) const;  ///< "10.2 %", "1.5 MiB"
  /// Formats an interval: "+9.8 … +10.6 %", or "wider than 1000 times".
  std::string Interval(double lo, double hi, const Style& style) const;
  /// Formats an interval with one end: "at least -0.3 %" or "at most +1.2 %". One of them is given.
  std::string OneEnd(std::optional<double> lo, std::optional<double> hi) const;
  const std::string& unit() const { return unit_; }

 private:
  ColumnFormat(double factor, int decimals, std::string unit)
      : factor_(factor), decimals_(decimals), unit_(std::move(unit)) {}

  double factor_;
  int decimals_;
  std::string unit_;
  bool changes_ = false;  // relative changes, not quantities
};

/// Formats a fraction as a percentage with sign: "+10.2 %".
std::string FormatChange(double fraction, int decimals);

/// Formats a fraction as a percentage without a plus sign, with fixed decimals: "10.2 %", or "over
/// 100000 %" beyond kTellableFactor.
std::string FormatUnsigned(double fraction, int decimals);

/// Formats a fraction as a percentage without a plus sign: "2 %", "0.5 %", "-5 %".
std::string FormatPercent(double fraction);

/// Formats a fraction >= 0 as a percentage with two significant digits: "34.1 %", "0.30 %".
std::string FormatShare(double fraction);

/// Formats a confidence level as a percentage: as requested if that is short ("97.5 %"), else
/// rounded to one significant digit of its distance from 100 % ("99.8 %").
std::string FormatConfidence(double fraction);

/// Returns the number of decimals, 0 to 4, of a percentage whose interval has this width.
int PercentDecimals(std::optional<double> lo, std::optional<double> hi);

/// Formats a duration like a clock: "0:14", "12:03", "1:02:03".
std::string FormatClock(double seconds);

/// Formats a duration roughly: "21 s", "3 min", "2 h".
std::string FormatRough(double seconds);

/// Returns the shortest text that reads back as the same double.
std::string FormatRoundTrip(double value);

/// Formats a fraction other than 0 as a percentage that reads back as the same double: "2%",
/// "-0.05%".
std::string FormatRoundTripPercent(double fraction);

}  // namespace benchd::client
