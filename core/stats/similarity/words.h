#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace benchd {

/// The seven breaks between eight symbols, ascending.
using SaxBreaks = std::array<double, 7>;

/// Converts a series to a word over eight symbols, one per value. A symbol is the number of breaks
/// that lie clearly below the value after scaling the series to mean 0 and standard deviation 1
/// (divisor n - 1). The word of a constant series repeats one symbol.
///
/// The paper names SAX without parameters. Here, the word length is n, so that no value is averaged
/// away, and the alphabet has 8 symbols. "Clearly" means by 1e-9, so that rounding does not
/// separate equal values.
///
/// @param centred  the values minus their mean; all 0 for a constant series.
/// Source: J. Lin, E. Keogh, S. Lonardi, B. Chiu, DMKD (2003) 2-11.
std::vector<std::uint8_t> NormalisedWord(std::span<const double> centred);

/// Converts the original values to a word with the given breaks. A value on a break counts as below
/// it.
std::vector<std::uint8_t> Word(std::span<const double> values, const SaxBreaks& breaks);

/// Returns the k/8 quantiles (type 7) of at least one value, in ascending order.
SaxBreaks QuantileBreaks(std::span<const double> sorted);

/// Upper bound (exclusive) of LzText's symbols.
inline constexpr std::size_t kLzAlphabet = 8;

/// A text prepared for counting Lempel-Ziv phrases, alone and followed by another text.
///
/// Phrases are those of the 1976 paper: the phrase at position i is the longest substring that also
/// begins at an earlier position (the two may overlap), plus one symbol. The end of the text may
/// cut the last phrase short. The count is exact.
///
/// Each text is prepared once, so that the joint counts of all pairs need no further index. The
/// source of a phrase lies in the first text (found by its suffix automaton), in the second text
/// (its longest earlier matches are stored), or across the boundary: a suffix of the first text,
/// continued by a prefix of the second (found by its Z array). Preparation takes O(n) time, a joint
/// count O(n) with a small factor. Memory is about 100 bytes per symbol.
///
/// Source: A. Lempel, J. Ziv, IEEE Trans. Inf. Theory 22 (1976) 75-81; the automaton: A. Blumer et
///         al., Theor. Comput. Sci. 40 (1985) 31-55.
class LzText {
 public:
  /// @param symbols  each below kLzAlphabet; fewer than 2^30.
  explicit LzText(std::vector<std::uint8_t> symbols);

  std::span<const std::uint8_t> symbols() const { return symbols_; }
  /// Returns c(this text), the number of phrases.
  std::size_t phrases() const { return whole_phrases_ + (open_ < symbols_.size() ? 1 : 0); }
  /// Returns c(this text followed by `next`).
  std::size_t PhrasesWith(const LzText& next) const;

 private:
  // A state of the suffix automaton: all strings that end at the same positions in the text. The
  // root represents the empty string.
  struct State {
    std::array<std::int32_t, kLzAlphabet> next;
    std::int32_t link = -1;
    std::int32_t length = 0;  // of the longest such string
    std::int32_t first = -1;  // the first position at which these strings end
    bool is_suffix = false;   // whether these strings are suffixes of the text
  };

  void BuildAutomaton();
  std::int32_t Extend(std::int32_t last, std::uint8_t symbol, std::int32_t place);
  void FindEarlier();
  void FindPrefixes();
  void Parse();
  std::size_t LongestSource(const LzText& next, std::size_t at) const;

  std::vector<std::uint8_t> symbols_;
  std::vector<State> states_;
  std::vector<std::int32_t> earlier_;   // [i]: length of the longest match from i to an earlier one
  std::vector<std::int32_t> prefixes_;  // [i]: length of the longest match from i with the prefix
  std::size_t whole_phrases_ = 0;
  std::size_t open_ = 0;  // start of the phrase that the end of the text cuts short, else n
};

}  // namespace benchd
