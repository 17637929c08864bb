#pragma once

#include <array>
#include <cstddef>
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

/// Symbols of a text for LzText: each below this.
inline constexpr std::size_t kLzAlphabet = 8;

/// A text prepared for counting Lempel-Ziv phrases, alone and followed by another text.
///
/// The phrases of 1976: at a place i the longest stretch that also begins at some earlier place
/// (the two may overlap), and one symbol more; the text's end may cut the last one short. Exact.
///
/// Made once for each text, so that the joint counts of all pairs need no index of their own: a
/// phrase's source lies in the first text (its suffix automaton finds it), in the second one (its
/// longest earlier stretches are known), or across the seam, where it is a suffix of the first text
/// and then as much of the second one as its Z array says. Making takes O(n), a joint count O(n)
/// with a small factor; memory is some 100 bytes a symbol.
///
/// Source: A. Lempel, J. Ziv, IEEE Trans. Inf. Theory 22 (1976) 75-81; the automaton: A. Blumer et
///         al., Theor. Comput. Sci. 40 (1985) 31-55.
class LzText {
 public:
  /// @param symbols  each below kLzAlphabet; fewer than 2^30.
  explicit LzText(std::vector<std::uint8_t> symbols);

  std::span<const std::uint8_t> symbols() const { return symbols_; }
  /// c(this text).
  std::size_t phrases() const { return whole_phrases_ + (open_ < symbols_.size() ? 1 : 0); }
  /// c(this text followed by `next`).
  std::size_t PhrasesWith(const LzText& next) const;

 private:
  // Stands for the strings that end at the same places; the root for the empty one.
  struct State {
    std::array<std::int32_t, kLzAlphabet> next;
    std::int32_t link = -1;
    std::int32_t length = 0;  // of the longest such string
    std::int32_t first = -1;  // where they end first
    bool is_suffix = false;   // they end at the text's end
  };

  void BuildAutomaton();
  std::int32_t Extend(std::int32_t last, std::uint8_t symbol, std::int32_t place);
  void FindEarlier();
  void FindPrefixes();
  void Parse();
  std::size_t LongestSource(const LzText& next, std::size_t at) const;

  std::vector<std::uint8_t> symbols_;
  std::vector<State> states_;
  std::vector<std::int32_t> earlier_;   // [i]: the longest stretch from i that also begins before i
  std::vector<std::int32_t> prefixes_;  // [i]: the longest stretch from i that the text begins with
  std::size_t whole_phrases_ = 0;
  std::size_t open_ = 0;  // where the phrase begins that the text's end cut short; else its length
};

}  // namespace benchd
