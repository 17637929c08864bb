#include "client/render/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

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

// The largest scale in which `value` is at least one.
template <std::size_t N>
Scale Largest(const std::array<Scale, N>& scales, double value) {
  for (const Scale& scale : scales) {
    if (std::abs(value) >= scale.factor) return scale;
  }
  return scales.back();
}

Scale ScaleFor(double value, std::string_view unit, const Style& style) {
  if (unit == "1") return {1, ""};
  if (unit == "s") {
    if (value == 0) return kTimes.front();
    const Scale scale = Largest(kTimes, value);
    return scale.name == "µs" && !style.unicode ? Scale{scale.factor, "us"} : scale;
  }
  if (unit == "B") return Largest(kBytes, value);
  return {1, unit};
}

int Magnitude(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)))); }

// Decimals that give `digits` significant ones, none for whole numbers.
int SignificantDecimals(double value, int digits) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return 0;
  return std::clamp(digits - 1 - Magnitude(value), 0, 9);
}

std::string WithUnit(std::string number, std::string_view unit) {
  return unit.empty() ? number : number + " " + std::string(unit);
}

}  // namespace

std::string Fixed(double value, int decimals) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  const std::string fixed = text.data();
  // "-0.0" would claim a direction that is not there.
  const bool is_zero = fixed.find_first_of("123456789") == std::string::npos;
  return is_zero && fixed.starts_with('-') ? fixed.substr(1) : fixed;
}

std::string FormatQuantity(double value, std::string_view unit, const Style& style) {
  const Scale scale = ScaleFor(value, unit, style);
  const double scaled = value / scale.factor;
  return WithUnit(Fixed(scaled, SignificantDecimals(scaled, 4)), scale.name);
}

std::string FormatMeanSd(double mean, std::optional<double> sd, std::string_view unit,
                         const Style& style) {
  if (!sd || *sd == 0) return FormatQuantity(mean, unit, style);
  const Scale scale = ScaleFor(std::max(std::abs(mean), *sd / 10), unit, style);
  const double scaled_sd = *sd / scale.factor;
  const int decimals = std::clamp(1 - Magnitude(scaled_sd), 0, 6);
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

std::string ColumnFormat::Format(double value) const { return Fixed(value / factor_, decimals_); }

std::string FormatChange(double fraction, int decimals) {
  const std::string number = Fixed(fraction * 100, decimals);
  return (number.starts_with('-') ? "" : "+") + number + " %";
}

std::string FormatPercent(double fraction) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.6g", fraction * 100);
  return std::string(text.data()) + " %";
}

int PercentDecimals(std::optional<double> lo, std::optional<double> hi) {
  if (!lo || !hi || !(*hi > *lo)) return 1;
  return std::clamp(-Magnitude((*hi - *lo) * 100), 1, 4);
}

std::string FormatChangeInterval(double lo, double hi, int decimals, const Style& style) {
  return FormatChange(lo, decimals) + (style.unicode ? " … " : " .. ") + FormatChange(hi, decimals);
}

std::string FormatClock(double seconds) {
  const auto total = static_cast<std::int64_t>(std::max(0.0, std::floor(seconds)));
  std::array<char, 40> text{};
  if (total < 3600) {
    std::snprintf(text.data(), text.size(), "%lld:%02lld", static_cast<long long>(total / 60),
                  static_cast<long long>(total % 60));
  } else {
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld",
                  static_cast<long long>(total / 3600), static_cast<long long>(total / 60 % 60),
                  static_cast<long long>(total % 60));
  }
  return text.data();
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
  // The point of the shortest decimal moves by two places; multiplying by 100 would round.
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
