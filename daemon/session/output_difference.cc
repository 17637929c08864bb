#include "daemon/session/output_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/text.h"

namespace benchd {
namespace {

/// Returns the line of `text` that begins at `start`, or its part that `text` contains.
std::string_view LineAt(std::string_view text, std::size_t start) {
  const std::string_view rest = text.substr(start);
  return rest.substr(0, rest.find('\n'));
}

/// Quotes a line. If it is long, the result contains the part around the byte `at`.
std::string Excerpt(std::string_view line, std::size_t at) {
  // Quoted() shows the first 60 bytes.
  constexpr std::size_t kShown = 50;
  constexpr std::size_t kBefore = 30;
  if (at < kShown) return Quoted(line);
  std::size_t start = at - kBefore;
  const auto is_continuation = [line](std::size_t i) {
    return (static_cast<std::uint8_t>(line[i]) & 0xC0U) == 0x80U;
  };
  for (int i = 0; i < 3 && is_continuation(start); ++i) --start;
  return Quoted("..." + std::string(line.substr(start)));
}

/// Describes a difference after the heads, whose contents are not known.
std::string DescribeLengths(std::uint64_t expected, std::uint64_t actual) {
  const std::string where =
      fmt::format("the first difference is after {} KiB, and ", kOutputHeadBytes / 1024);
  if (expected == actual) return where + fmt::format("both are {} bytes long", expected);
  return where + fmt::format("it is {} bytes long instead of {}", actual, expected);
}

}  // namespace

std::string DescribeDifference(const OutputDigest& expected, const OutputDigest& actual) {
  const std::string_view wanted = expected.head;
  const std::string_view got = actual.head;
  if (actual.bytes == 0) return "it is empty instead of " + Quoted(LineAt(wanted, 0));
  if (expected.bytes == 0) return "it is " + Quoted(LineAt(got, 0)) + " instead of empty";
  const auto at = static_cast<std::size_t>(std::ranges::mismatch(wanted, got).in1 - wanted.begin());
  if (at >= kOutputHeadBytes) return DescribeLengths(expected.bytes, actual.bytes);

  const std::string_view same = wanted.substr(0, at);
  const std::size_t start = same.rfind('\n') + 1;  // 0 if there is none
  const auto number = 1 + std::ranges::count(same, '\n');
  const bool ends = at == got.size();
  if (ends || at == wanted.size()) {
    const std::string_view longer = ends ? wanted : got;
    const char* const what = ends ? "is missing" : "is additional";
    if (at == start) {
      return fmt::format("line {}, {}, {}", number, Quoted(LineAt(longer, start)), what);
    }
    if (longer[at] == '\n')
      return fmt::format("the newline at the end of line {} {}", number, what);
  }
  const std::string got_line = Excerpt(LineAt(got, start), at - start);
  const std::string wanted_line = Excerpt(LineAt(wanted, start), at - start);
  // A byte and its escape sequence look the same.
  if (got_line == wanted_line) return fmt::format("line {}, byte {}", number, at - start + 1);
  return fmt::format("line {} is {} instead of {}", number, got_line, wanted_line);
}

}  // namespace benchd
