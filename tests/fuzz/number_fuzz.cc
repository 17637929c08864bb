#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "core/parse/number.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

void FuzzNumber(std::string_view input) {
  const std::string text(input);
  const auto number = ParseNumber(text);
  FUZZ_CHECK(!IsWholeNumber(text) || LooksLikeNumber(text));
  FUZZ_CHECK(!number || LooksLikeNumber(text));
  if (!number) CheckMessage(number.error().message);
  if (!LooksLikeNumber(text)) return;
  // The C library also rounds correctly, independently of our parser.
  const double expected = std::strtod(text.c_str(), nullptr);
  if (!number) {
    FUZZ_CHECK(std::isinf(expected) || std::abs(expected) < std::numeric_limits<double>::min());
    return;
  }
  FUZZ_CHECK(std::bit_cast<std::uint64_t>(number->value) == std::bit_cast<std::uint64_t>(expected));
  const double resolution = number->resolution;
  FUZZ_CHECK(std::isfinite(resolution) && resolution >= 0);
  if (resolution > std::numeric_limits<double>::min()) {
    const double exponent = std::log10(resolution);
    FUZZ_CHECK(std::abs(exponent - std::round(exponent)) < 1e-9);
  }
}

}  // namespace benchd::fuzz
