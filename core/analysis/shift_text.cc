#include "core/analysis/shift_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace benchd {
namespace {

std::string Written(double value, std::chars_format format, int precision) {
  // A double has 309 digits before the point.
  std::array<char, 400> text{};
  const auto [end, failed] =
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return failed == std::errc() ? std::string(text.data(), end) : std::string();
}

std::string Signed(std::optional<double> value, MarginKind kind, const std::string& unit) {
  if (!value || !std::isfinite(*value)) return "?";
  const bool share = kind == MarginKind::kRatio;
  const double shown = (share ? 100 * *value : *value) + 0.0;  // -0 has no sign
  return (shown < 0 ? "" : "+") + Written(shown, std::chars_format::general, 3) + " " +
         (share ? "%" : unit);
}

}  // namespace

std::string Decimals(double value, int decimals) {
  return Written(value, std::chars_format::fixed, decimals);
}

std::string IntervalText(std::optional<double> lo, std::optional<double> hi, MarginKind kind,
                         const std::string& unit) {
  return Signed(lo, kind, unit) + " to " + Signed(hi, kind, unit);
}

std::string AwayFrom(double shift, double rest) {
  const double share = std::abs(shift / rest);
  const bool relative = std::isfinite(share);
  const double size = relative ? 100 * share : std::abs(shift);
  return Written(size, std::chars_format::general, 3) + (relative ? " % " : " ") +
         (shift > 0 ? "above" : "below");
}

}  // namespace benchd
