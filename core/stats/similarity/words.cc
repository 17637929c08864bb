#include "core/stats/similarity/words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/stats/descriptive.h"

namespace benchd {
namespace {

// The k/8 quantiles of the normal distribution.
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

LzText::LzText(std::vector<std::uint8_t> symbols) : symbols_(std::move(symbols)) {
  BuildAutomaton();
  FindEarlier();
  FindPrefixes();
  Parse();
}

void LzText::BuildAutomaton() {
  states_.reserve(2 * symbols_.size() + 1);
  State root;
  root.next.fill(-1);
  states_.push_back(root);
  std::int32_t last = 0;
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    last = Extend(last, symbols_[i], static_cast<std::int32_t>(i));
  }
  for (std::int32_t state = last; state > 0;) {
    State& suffix = states_[static_cast<std::size_t>(state)];
    suffix.is_suffix = true;
    state = suffix.link;
  }
}

std::int32_t LzText::Extend(std::int32_t last, std::uint8_t symbol, std::int32_t place) {
  const auto at = [this](std::int32_t state) -> State& {
    return states_[static_cast<std::size_t>(state)];
  };
  const auto added = static_cast<std::int32_t>(states_.size());
  State state;
  state.next.fill(-1);
  state.length = at(last).length + 1;
  state.first = place;
  states_.push_back(state);
  std::int32_t from = last;
  for (; from != -1 && at(from).next[symbol] == -1; from = at(from).link) {
    at(from).next[symbol] = added;
  }
  if (from == -1) {
    at(added).link = 0;
    return added;
  }
  const std::int32_t target = at(from).next[symbol];
  if (at(from).length + 1 == at(target).length) {
    at(added).link = target;
    return added;
  }
  const auto clone = static_cast<std::int32_t>(states_.size());
  State shorter = at(target);
  shorter.length = at(from).length + 1;
  states_.push_back(shorter);
  for (; from != -1 && at(from).next[symbol] == target; from = at(from).link) {
    at(from).next[symbol] = clone;
  }
  at(target).link = clone;
  at(added).link = clone;
  return added;
}

// Computes earlier_. From one position to the next, the match loses its first symbol and keeps the
// rest, so the whole scan takes O(n) time.
void LzText::FindEarlier() {
  const std::size_t n = symbols_.size();
  earlier_.resize(n);
  std::size_t state = 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < n; ++i) {
    while (i + length < n) {
      const auto next = static_cast<std::size_t>(states_[state].next[symbols_[i + length]]);
      // The match first ends at `first`, so its first occurrence begins `length` symbols earlier.
      if (static_cast<std::size_t>(states_[next].first) - length >= i) break;
      state = next;
      ++length;
    }
    earlier_[i] = static_cast<std::int32_t>(length);
    if (length == 0) continue;
    --length;
    const std::int32_t link = states_[state].link;
    if (link >= 0 &&
        static_cast<std::int32_t>(length) <= states_[static_cast<std::size_t>(link)].length) {
      state = static_cast<std::size_t>(link);
    }
  }
}

// Computes prefixes_ by the Z algorithm. [left, right) is the match found so far that ends last.
void LzText::FindPrefixes() {
  const std::size_t n = symbols_.size();
  prefixes_.assign(n, 0);
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t length = 0;
    if (i < right) {
      length = std::min(right - i, static_cast<std::size_t>(prefixes_[i - left]));
    }
    while (i + length < n && symbols_[length] == symbols_[i + length]) ++length;
    prefixes_[i] = static_cast<std::int32_t>(length);
    if (i + length > right) {
      left = i;
      right = i + length;
    }
  }
}

void LzText::Parse() {
  const std::size_t n = symbols_.size();
  open_ = 0;
  while (open_ < n) {
    const std::size_t end = open_ + static_cast<std::size_t>(earlier_[open_]);
    if (end == n) return;
    ++whole_phrases_;
    open_ = end + 1;
  }
}

// Returns the length of the longest substring at `at` that also begins before `at`, in this text
// followed by `next`. `at` is at or after the start of this text's open phrase.
std::size_t LzText::LongestSource(const LzText& next, std::size_t at) const {
  const std::size_t n = symbols_.size();
  const std::size_t end = n + next.symbols_.size();
  const bool inside = at < n;
  std::size_t best = inside ? 0 : static_cast<std::size_t>(next.earlier_[at - n]);
  std::size_t state = 0;
  std::size_t length = 0;
  while (at + length < end) {
    const std::size_t place = at + length;
    const std::uint8_t symbol = place < n ? symbols_[place] : next.symbols_[place - n];
    const std::int32_t found = states_[state].next[symbol];
    if (found == -1) break;
    const State& reached = states_[static_cast<std::size_t>(found)];
    if (inside && static_cast<std::size_t>(reached.first) - length >= at) break;
    state = static_cast<std::size_t>(found);
    ++length;
    // A match that is a suffix of this text continues with the beginning of the next text.
    if (reached.is_suffix && (!inside || length > n - at)) {
      const std::size_t beyond = at + length - n;
      const std::size_t more =
          at + length < end ? static_cast<std::size_t>(next.prefixes_[beyond]) : 0;
      best = std::max(best, length + more);
    }
  }
  return std::max(best, length);
}

std::size_t LzText::PhrasesWith(const LzText& next) const {
  const std::size_t end = symbols_.size() + next.symbols_.size();
  std::size_t phrases = whole_phrases_;
  for (std::size_t at = open_; at < end; ++phrases) at += LongestSource(next, at) + 1;
  return phrases;
}

}  // namespace benchd
