#include "client/present/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "client/present/text.h"

namespace benchd::client {
namespace {

struct Scale {
  double factor;
  std::string_view name;
};

constexpr std::array kTimes = {Scale{1, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "µs"},
                               Scale{1e-9, "ns"}};
constexpr std::array kBytes = {Scale{1024.0 * 1024 * 1024 * 1024, "TiB"},
                               Scale{1024.0 * 1024 * 1024, "GiB"}, Scale{1024.0 * 1024, "MiB"},
                               Scale{1024.0, "KiB"}, Scale{1, "B"}};
constexpr std::array kByteRates = {
    Scale{1024.0 * 1024 * 1024 * 1024, "TiB/s"}, Scale{1024.0 * 1024 * 1024, "GiB/s"},
    Scale{1024.0 * 1024, "MiB/s"}, Scale{1024.0, "KiB/s"}, Scale{1, "B/s"}};
constexpr std::array kRates = {Scale{1e12, "T/s"}, Scale{1e9, "G/s"}, Scale{1e6, "M/s"},
                               Scale{1e3, "k/s"}, Scale{1, "1/s"}};
// Small counts are printed digit by digit.
constexpr std::array kCounts = {Scale{1e12, "T"}, Scale{1e9, "G"}, Scale{1e6, "M"}, Scale{1, ""}};

// Above this, a double has no fractional digits, and some integer digits are noise.
constexpr double kLargestFixed = 1e15;

// Returns the largest scale in which `value` is at least 1.
template <std::size_t N>
Scale Largest(const std::array<Scale, N>& scales, double value) {
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.factor) return scale;
  }
  return scales.back();
}

// Returns the scale of --time-unit. Users type "us" for "µs".
Scale NamedTime(std::string_view name) {
  const auto found = std::ranges::find_if(kTimes, [name](const Scale& scale) {
    return scale.name == name || (scale.name == "µs" && name == "us");
  });
  return found == kTimes.end() ? kTimes.front() : *found;
}

Scale ScaleFor(double value, std::string_view unit, const Style& style) {
  if (std::abs(value) / kCounts.front().factor >= kLargestFixed) {
    return {1, unit == "1" ? "" : unit};  // no scale fits
  }
  if (unit == "1") return Largest(kCounts, value);
  if (unit == "1/s") return Largest(kRates, value);
  if (unit == "B/s") return Largest(kByteRates, value);
  if (unit == "s") {
    const Scale scale = !style.time_unit.empty() ? NamedTime(style.time_unit)
                        : value == 0             ? kTimes.front()
                                                 : Largest(kTimes, value);
    return scale.name == "µs" && !style.unicode ? Scale{scale.factor, "us"} : scale;
  }
  if (unit == "B") return Largest(kBytes, value);
  return {1, unit};
}

// Returns the decimal exponent. Zero and NaN rank below all other values; very small numbers become
// zero when they are scaled.
int Magnitude(double value) {
  constexpr int kOfNothing = -400;
  const double exponent = std::floor(std::log10(std::abs(value)));
  return std::isfinite(exponent) ? static_cast<int>(exponent) : kOfNothing;
}

// Returns the number of decimals for `digits` significant digits; 0 for whole numbers.
int SignificantDecimals(double value, int digits) {
  if (value == std::floor(value) && std::abs(value) < kLargestFixed) return 0;
  return std::clamp(digits - 1 - Magnitude(value), 0, 9);
}

std::string WithUnit(std::string number, std::string_view unit) {
  return unit.empty() ? number : number + " " + Printable(unit);
}

}  // namespace

std::string Fixed(double value, int decimals) {
  std::array<char, 64> text{};
  if (std::abs(value) >= kLargestFixed) {
    std::snprintf(text.data(), text.size(), "%.3e", value);
    return text.data();
  }
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  const std::string fixed = text.data();
  // "-0.0" would suggest a direction.
  const bool is_zero = fixed.find_first_of("123456789") == std::string::npos;
  return is_zero && fixed.starts_with('-') ? fixed.substr(1) : fixed;
}

namespace {

std::string TellableFactor() { return Fixed(kTellableFactor, 0); }
std::string MostPercent() { return Fixed(kTellableFactor * 100, 0); }
// Returns whether a change, as a fraction, is too large to print.
bool IsBeyond(double change) { return change > kTellableFactor; }

}  // namespace

std::string FormatTimes(double factor, int decimals) {
  return factor > kTellableFactor ? "over " + TellableFactor() : Fixed(factor, decimals);
}

bool WiderThanTellable(double lo, double hi) {
  // An interval of differences may reach below -100 %, where there are no factors.
  if (lo <= -1) return hi - lo > kTellableFactor;
  return 1 + hi > kTellableFactor * (1 + lo);
}

std::string FormatQuantity(double value, std::string_view unit, const Style& style) {
  const Scale scale = ScaleFor(value, unit, style);
  const double scaled = value / scale.factor;
  return WithUnit(Fixed(scaled, SignificantDecimals(scaled, 4)), scale.name);
}

std::pair<std::string, std::string> FormatMeans(std::optional<double> reference,
                                                std::optional<double> candidate, double relative,
                                                std::string_view unit, const Style& style) {
  constexpr double kFarApart = 100;
  constexpr int kFewestDigits = 3;
  constexpr int kMostDigits = 5;
  const auto alone = [&unit, &style](std::optional<double> value) {
    return value ? FormatQuantity(*value, unit, style) : "-";
  };
  if (!reference || !candidate) return {alone(reference), alone(candidate)};
  const auto [small, large] = std::minmax({std::abs(*reference), std::abs(*candidate)});
  if (large == 0 || (small > 0 && large > kFarApart * small)) {
    return {alone(reference), alone(candidate)};
  }
  const Scale scale = ScaleFor(large, unit, style);
  const auto whole = [&scale](double value) {
    return value / scale.factor == std::floor(value / scale.factor);
  };
  const int digits = relative > 0 ? std::clamp(1 - Magnitude(relative), kFewestDigits, kMostDigits)
                                  : kFewestDigits + 1;
  const int decimals = whole(*reference) && whole(*candidate)
                           ? 0
                           : std::clamp(digits - 1 - Magnitude(large / scale.factor), 0, 9);
  const auto text = [&scale, decimals](double value) {
    return WithUnit(Fixed(value / scale.factor, decimals), scale.name);
  };
  return {text(*reference), text(*candidate)};
}

std::string FormatMeanSd(double mean, std::optional<double> sd, std::string_view unit,
                         const Style& style) {
  if (!sd || *sd == 0) return FormatQuantity(mean, unit, style);
  const Scale scale = ScaleFor(std::max(std::abs(mean), *sd / 10), unit, style);
  const double scaled_sd = *sd / scale.factor;
  const int decimals = std::clamp(1 - Magnitude(scaled_sd), 0, 9);
  return WithUnit(Fixed(mean / scale.factor, decimals) + (style.unicode ? " ± " : " +- ") +
                      Fixed(scaled_sd, decimals),
                  scale.name);
}

ColumnFormat::ColumnFormat(double largest, double finest, std::string_view unit,
                           const Style& style) {
  const Scale scale = ScaleFor(largest, unit, style);
  factor_ = scale.factor;
  unit_ = scale.name;
  decimals_ = finest > 0 ? std::clamp(1 - Magnitude(finest / factor_), 0, 9)
                         : SignificantDecimals(largest / factor_, 4);
}

ColumnFormat ColumnFormat::OfChanges(std::optional<double> lo, std::optional<double> hi) {
  ColumnFormat format(0.01, PercentDecimals(lo, hi), "%");
  format.changes_ = true;
  return format;
}

ColumnFormat ColumnFormat::OfDifferences(double estimate, std::optional<double> lo,
                                         std::optional<double> hi, std::string_view unit,
                                         const Style& style) {
  const double largest =
      std::max({std::abs(estimate), std::abs(lo.value_or(0)), std::abs(hi.value_or(0))});
  const Scale scale = ScaleFor(largest, unit, style);
  int decimals = SignificantDecimals(largest / scale.factor, 4);
  if (lo && hi && *hi > *lo && largest > 0) {
    // One digit of the width shows the uncertainty; the number keeps at least two digits.
    decimals = std::clamp(
        std::max(-Magnitude((*hi - *lo) / scale.factor), 1 - Magnitude(largest / scale.factor)), 0,
        9);
    const bool whole = std::ranges::all_of(std::array{*lo, *hi, estimate}, [&scale](double value) {
      return value / scale.factor == std::floor(value / scale.factor);
    });
    if (whole) decimals = 0;
  }
  return {scale.factor, decimals, std::string(scale.name)};
}

std::string ColumnFormat::Format(double value) const {
  if (changes_ && IsBeyond(value)) return "over " + MostPercent();
  return Fixed(value / factor_, decimals_);
}

std::string ColumnFormat::Signed(double value) const {
  if (changes_ && IsBeyond(value)) return "over +" + MostPercent();
  const std::string number = Format(value);
  return (number.starts_with('-') ? "" : "+") + number;
}

std::string ColumnFormat::WithUnit(std::string number) const {
  return benchd::client::WithUnit(std::move(number), unit_);
}

std::string ColumnFormat::Interval(double lo, double hi, const Style& style) const {
  if (changes_ && WiderThanTellable(lo, hi)) return "wider than " + TellableFactor() + " times";
  return WithUnit(Signed(lo).append(To(style)) + Signed(hi));
}

std::string ColumnFormat::OneEnd(std::optional<double> lo, std::optional<double> hi) const {
  // A bound beyond the largest printed change is useless.
  if (hi && changes_ && IsBeyond(*hi)) return "wider than " + TellableFactor() + " times";
  const std::string end = WithUnit(Signed(hi ? *hi : *lo));
  if (lo && changes_ && IsBeyond(*lo)) return end;
  return (hi ? "at most " : "at least ") + end;
}

std::string FormatChange(double fraction, int decimals) {
  if (IsBeyond(fraction)) return "over +" + MostPercent() + " %";
  const std::string number = Fixed(fraction * 100, decimals);
  return (number.starts_with('-') ? "" : "+") + number + " %";
}

std::string FormatUnsigned(double fraction, int decimals) {
  if (IsBeyond(fraction)) return "over " + MostPercent() + " %";
  return Fixed(fraction * 100, decimals) + " %";
}

std::string FormatPercent(double fraction) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", fraction * 100);
  return std::string(text.data()) + " %";
}

std::string FormatShare(double fraction) {
  constexpr int kMostDecimals = 4;
  const double percent = 100 * fraction;
  const int decimals = percent > 0 ? 1 - static_cast<int>(std::floor(std::log10(percent))) : 1;
  return FormatUnsigned(fraction, std::clamp(decimals, 1, kMostDecimals));
}

std::string FormatConfidence(double fraction) {
  const double percent = fraction * 100;
  const double lacking = 100 - percent;
  if (!(lacking > 0)) return FormatPercent(fraction);
  for (int decimals = 0; decimals <= 2; ++decimals) {
    std::string text = Fixed(percent, decimals);
    // The computed value, such as 1 - 0.01 / 3, may differ from the stated one by rounding.
    if (std::abs(std::stod(text) - percent) < std::min(1e-9, lacking / 100)) return text + " %";
  }
  constexpr int kExactDecimals = 13;  // of a percentage near 100 in double precision
  return Fixed(percent, std::clamp(-Magnitude(lacking), 1, kExactDecimals)) + " %";
}

int PercentDecimals(std::optional<double> lo, std::optional<double> hi) {
  if (!lo || !hi || !(*hi > *lo)) return 1;
  constexpr double kCoarse = 0.3;  // tenths of a per cent add nothing at this width
  return *hi - *lo >= kCoarse ? 0 : std::clamp(-Magnitude((*hi - *lo) * 100), 1, 4);
}

std::string FormatClock(double seconds) {
  const auto total = static_cast<std::int64_t>(std::max(0.0, std::floor(seconds)));
  if (total < 3600) return fmt::format("{}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::string FormatRough(double seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 100) return Fixed(std::round(seconds), 0) + " s";
  if (seconds < 100 * 60) return Fixed(std::round(seconds / 60), 0) + " min";
  return Fixed(std::round(seconds / 3600), 0) + " h";
}

std::string FormatRoundTrip(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string FormatRoundTripPercent(double fraction) {
  if (fraction < 0) return "-" + FormatRoundTripPercent(-fraction);
  // Move the decimal point of the shortest decimal by two places; multiplying by 100 would round.
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), fraction, std::chars_format::scientific)
          .ptr;
  const std::string shortest(text.data(), end);
  const std::size_t e = shortest.find('e');
  std::string digits = shortest.substr(0, e);
  std::erase(digits, '.');
  const int point = 3 + std::stoi(shortest.substr(e + 1));
  const int count = static_cast<int>(digits.size());
  if (point <= 0) {
    digits = "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  } else if (point < count) {
    digits.insert(static_cast<std::size_t>(point), ".");
  } else {
    digits.append(static_cast<std::size_t>(point - count), '0');
  }
  return digits + "%";
}

}  // namespace benchd::client
