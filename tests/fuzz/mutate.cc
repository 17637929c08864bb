#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string_view>

namespace benchd::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMostBytes = 16 * 1024;

// Text with a meaning in the formats, and numbers at the limits of their types.
constexpr std::array kPieces{
    ","sv,
    "\""sv,
    "\"\""sv,
    "\n"sv,
    "\r\n"sv,
    "\r"sv,
    "\t"sv,
    " "sv,
    "'"sv,
    "\\"sv,
    "#"sv,
    "#!"sv,
    "="sv,
    ":"sv,
    "/"sv,
    "{"sv,
    "}"sv,
    "["sv,
    "]"sv,
    "\xEF\xBB\xBF"sv,
    "\xC3\xA4"sv,
    "\xFF"sv,
    "\xED\xA0\x80"sv,
    "\0"sv,
    "0"sv,
    "-0"sv,
    "1"sv,
    "-1"sv,
    "."sv,
    "1e"sv,
    "e5"sv,
    "e-9"sv,
    "1e308"sv,
    "1e309"sv,
    "4.9e-324"sv,
    "1e-400"sv,
    "nan"sv,
    "inf"sv,
    "0x1p3"sv,
    "255"sv,
    "65536"sv,
    "2147483648"sv,
    "4294967296"sv,
    "9223372036854775808"sv,
    "18446744073709551616"sv,
    "arm"sv,
    "benchmark"sv,
    "pair"sv,
    "order"sv,
    "started_at"sv,
    "wall_time"sv,
    "2026-01-02T03:04:05Z"sv,
    "prefer=lower"sv,
    "prefer=higher"sv,
    "unit="sv,
};

class Mutator {
 public:
  Mutator(std::span<const std::string> corpus, std::uint64_t seed, std::uint64_t run)
      : corpus_(corpus) {
    // std::mt19937_64 and seed_seq are portable, but the distributions are not, hence Below().
    std::seed_seq mixed{seed & 0xFFFFFFFFU, seed >> 32, run & 0xFFFFFFFFU, run >> 32};
    random_.seed(mixed);
  }

  std::string Run() {
    std::string text = Any();
    for (std::size_t left = 1 + Below(8); left > 0; --left) Change(text);
    if (text.size() > kMostBytes) text.resize(kMostBytes);
    return text;
  }

 private:
  std::size_t Below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  const std::string& Any() { return corpus_[Below(corpus_.size())]; }

  /// A part of `text`, usually a short one.
  std::string Stretch(const std::string& text) {
    const std::size_t at = Below(text.size() + 1);
    const std::size_t most = Below(4) == 0 ? text.size() : 16;
    return text.substr(at, Below(most + 1));
  }

  void Change(std::string& text) {
    const std::size_t at = Below(text.size() + 1);
    const std::size_t few = std::min(text.size() - at, Below(8) == 0 ? text.size() : Below(9));
    switch (Below(9)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(Below(256));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(Below(256)));
        break;
      case 3:
        text.erase(at, few);
        break;
      case 4:
        text.insert(at, kPieces[Below(kPieces.size())]);
        break;
      case 5:
        text.replace(at, few, kPieces[Below(kPieces.size())]);
        break;
      case 6:
        text.insert(at, Stretch(text));
        break;
      case 7:
        text.insert(at, Stretch(Any()));
        break;
      default:
        if (at < text.size()) text.insert(at, Below(Below(16) == 0 ? 5000 : 40), text[at]);
    }
  }

  std::span<const std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace

std::string Mutated(std::span<const std::string> corpus, std::uint64_t seed, std::uint64_t run) {
  return Mutator(corpus, seed, run).Run();
}

}  // namespace benchd::fuzz
