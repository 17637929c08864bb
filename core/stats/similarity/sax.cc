#include "core/stats/similarity/sax.h"

#include <cmath>
#include <cstddef>

#include "core/stats/descriptive.h"

namespace benchd {
namespace {

// Of the normal law, k/8.
constexpr SaxBreaks kNormalBreaks{
    -1.1503493803760079, -0.6744897501960817, -0.31863936396437514, 0.0,
    0.31863936396437514, 0.6744897501960817,  1.1503493803760079};
constexpr double kClearly = 1e-9;

std::uint8_t Symbol(double value, const SaxBreaks& breaks) {
  unsigned below = 0;
  for (const double border : breaks) below += border < value ? 1U : 0U;
  return static_cast<std::uint8_t>(below);
}

}  // namespace

std::vector<std::uint8_t> NormalisedWord(std::span<const double> centred) {
  double squares = 0;
  for (const double value : centred) squares += value * value;
  const double deviation = std::sqrt(squares / static_cast<double>(centred.size() - 1));
  std::vector<std::uint8_t> word(centred.size());
  for (std::size_t i = 0; i < centred.size(); ++i) {
    const double standard = squares > 0 ? centred[i] / deviation : 0;
    word[i] = Symbol(standard - kClearly, kNormalBreaks);
  }
  return word;
}

std::vector<std::uint8_t> Word(std::span<const double> values, const SaxBreaks& breaks) {
  std::vector<std::uint8_t> word(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) word[i] = Symbol(values[i], breaks);
  return word;
}

SaxBreaks QuantileBreaks(std::span<const double> sorted) {
  SaxBreaks breaks{};
  for (std::size_t k = 0; k < breaks.size(); ++k) {
    breaks[k] = QuantileType7(sorted, static_cast<double>(k + 1) / 8).value_or(0);
  }
  return breaks;
}

}  // namespace benchd
