#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace benchd {

/// The seven borders between eight symbols, ascending.
using SaxBreaks = std::array<double, 7>;

/// A series as a word over eight symbols, one a value: each is the number of borders that lie
/// clearly below the value once the series has mean 0 and standard deviation 1 (n - 1). A series
/// that does not move is all of one symbol.
///
/// The paper names SAX and no parameters. Decided: word length n, so no value is averaged away;
/// alphabet 8; "clearly" is by more than 1e-9, so that rounding splits no values that are equal.
///
/// @param centred  the values less their mean; all 0 for a series that does not move.
/// Source: J. Lin, E. Keogh, S. Lonardi, B. Chiu, DMKD (2003) 2-11.
std::vector<std::uint8_t> NormalisedWord(std::span<const double> centred);

/// The same with given borders and the values as they are: a value on a border is below it.
std::vector<std::uint8_t> Word(std::span<const double> values, const SaxBreaks& breaks);

/// The k/8 quantiles (type 7) of values in ascending order, of which there is one at least.
SaxBreaks QuantileBreaks(std::span<const double> sorted);

}  // namespace benchd
