#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/printable.h"

namespace benchd {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr std::size_t kQuotedBytes = 60;

bool IsContinuation(char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80U; }

constexpr std::uint64_t kHighBits = 0x8080808080808080;

/// The next eight bytes, for the fast paths: most text is printable ASCII.
/// @return bytes that are not ASCII if there are fewer
std::uint64_t NextEight(std::string_view text) {
  std::uint64_t bytes = kHighBits;
  if (text.size() >= sizeof bytes) std::memcpy(&bytes, text.data(), sizeof bytes);
  return bytes;
}

bool AreAscii(std::uint64_t bytes) { return (bytes & kHighBits) == 0; }

bool ArePrintableAscii(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  // The subtraction borrows from the high bit of a byte below 0x20, and the sum sets that of 0x7F.
  return AreAscii(bytes | (bytes + kOnes) | (bytes - 0x20 * kOnes));
}

Result<void> TakeLine(std::string_view line,
                      const std::function<Result<void>(std::string_view)>& take) {
  const auto refuse = [](std::string why) {
    return Error{ErrorCode::kInvalidArgument, std::move(why), {}};
  };
  if (line.size() > kMaxLineBytes) {
    return refuse(fmt::format("{} bytes; the limit is {}", line.size(), kMaxLineBytes));
  }
  if (const auto invalid = FirstInvalidUtf8(line)) {
    return refuse(fmt::format("not valid UTF-8 at byte {}", *invalid + 1));
  }
  return take(line);
}

// Returns the optimal string alignment distance: the Levenshtein distance with adjacent
// transpositions.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::size_t> FirstInvalidUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (AreAscii(NextEight(text.substr(at)))) {
      at += 8;
      continue;
    }
    const std::size_t length = WellFormedLength(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

std::string Utf8Lossy(std::string_view bytes) {
  std::string text;
  while (const std::optional<std::size_t> invalid = FirstInvalidUtf8(bytes)) {
    text.append(bytes.substr(0, *invalid)).append("\xEF\xBF\xBD");
    bytes.remove_prefix(*invalid + 1);
  }
  return text.append(bytes);
}

std::string_view Utf8Prefix(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && IsContinuation(text[limit])) --limit;
  return text.substr(0, limit);
}

std::string_view Utf8Suffix(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t start = text.size() - limit;
  while (start < text.size() && IsContinuation(text[start])) ++start;
  return text.substr(start);
}

bool HasControlCharacter(std::string_view text, std::string_view allowed) {
  while (!text.empty()) {
    if (ArePrintableAscii(NextEight(text))) {
      text.remove_prefix(8);
      continue;
    }
    const bool control = ControlLength(text) > 0;
    if (control && allowed.find(text.front()) == std::string_view::npos) return true;
    text.remove_prefix(CharacterLength(text));
  }
  return false;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  std::size_t at = 0;
  while (at < std::min(text.size(), kQuotedBytes)) {
    const std::string_view rest = text.substr(at);
    const std::string_view character = rest.substr(0, CharacterLength(rest));
    at += character.size();
    if (WellFormedLength(rest) > 0 && ControlLength(rest) == 0) {
      quoted.append(character);
      continue;
    }
    for (std::size_t i = 0; i < character.size(); ++i) {
      quoted.append("\\x").append(ToHex(character.substr(i, 1)));
    }
  }
  if (at < text.size()) quoted.append("...");
  return quoted + "'";
}

std::string ToHex(std::string_view bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    hex += kHexDigits[byte >> 4U];
    hex += kHexDigits[byte & 15U];
  }
  return hex;
}

std::string ToHex(std::span<const std::uint8_t> bytes) {
  return ToHex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool IsHex(std::string_view text) {
  return text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

std::string OnOneLine(std::string_view text) {
  return WithoutControls(text, [](std::string_view) { return " "; });
}

Result<void> ForEachLine(std::string_view text, std::string_view hint,
                         const std::function<Result<void>(std::string_view)>& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (Result<void> taken = TakeLine(text.substr(0, end), take); !taken) {
      Error error = std::move(taken).error();
      if (error.hint.empty()) error.hint = hint;
      return std::move(error).Within(fmt::format("line {}", number));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

std::vector<std::string_view> WordsOf(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string Counted(std::uint64_t count, std::string_view one) {
  return Counted(count, one, std::string(one) + "s");
}

std::string Counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string SomeOf(std::span<const std::string> items) {
  constexpr std::size_t kMost = 5;
  std::string text = Join(items.first(std::min(items.size(), kMost)), ", ");
  if (items.size() > kMost) text += fmt::format(" and {} more", items.size() - kMost);
  return text;
}

std::string_view WithoutReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

std::string Nearest(std::string_view typed, std::span<const std::string_view> names) {
  constexpr std::size_t kLongestWord = 40;
  if (typed.empty() || typed.size() > kLongestWord) return "";
  constexpr std::size_t kShortestStart = 3;
  for (const std::string_view name : names) {
    if (typed.size() >= kShortestStart && name.starts_with(typed)) return std::string(name);
  }
  std::string_view best;
  std::size_t best_distance = std::min<std::size_t>(2, (typed.size() - 1) / 2) + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = Distance(typed, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known,
                           std::string_view otherwise, std::string_view before) {
  const std::string nearest = Nearest(typed, known);
  if (nearest.empty()) return std::string(otherwise);
  return "did you mean " + std::string(before) + nearest + "?";
}

std::string HintForUnknown(std::string_view typed, std::span<const std::string_view> known) {
  return HintForUnknown(typed, known, "write " + JoinWithOr(known));
}

}  // namespace benchd
