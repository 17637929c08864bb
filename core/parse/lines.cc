#include "core/parse/lines.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/parse/line_reader.h"
#include "core/parse/number.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kLinesHint = "each line is [ITERATION] [SAMPLE] NAME VALUE [UNIT]";

Error RefuseLines(std::string why) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(kLinesHint)};
}

/// Without leading zeros, so that 1 and 01 are the same iteration.
Result<std::string_view> ParseIndex(std::string_view word, const char* what) {
  std::uint32_t index = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (failed != std::errc()) {
    return RefuseLines("the " + std::string(what) + " number " + Quoted(word) + " is too large");
  }
  const std::size_t zeros = std::min(word.find_first_not_of('0'), word.size() - 1);
  return word.substr(zeros);
}

Result<LineReading> ReadLineWords(const std::vector<std::string_view>& words) {
  LineReading reading;
  std::size_t at = 0;
  for (auto [index, what] :
       {std::pair(&reading.iteration, "iteration"), std::pair(&reading.sample, "sample")}) {
    if (at == words.size() || !IsWholeNumber(words[at])) break;
    auto number = ParseIndex(words[at], what);
    if (!number) return std::move(number).error();
    *index = *number;
    ++at;
  }
  if (at == words.size()) return RefuseLines("expected a name after " + Quoted(words.back()));
  if (LooksLikeNumber(words[at])) {
    return RefuseLines("expected a name, found the number " + Quoted(words[at]));
  }
  reading.name = words[at++];
  if (at == words.size()) return RefuseLines(Quoted(reading.name) + " has no value");
  auto number = ParseNumber(words[at++]);
  if (!number) {
    return RefuseLines("expected the value of " + Quoted(reading.name) + ": " +
                       std::move(number).error().message);
  }
  reading.number = *number;
  if (at == words.size()) return reading;
  reading.unit = words[at++];
  if (at != words.size()) {
    return RefuseLines("expected the end of the line after the unit, found " + Quoted(words[at]));
  }
  return reading;
}

}  // namespace

Result<HarnessOutput> ParseLines(std::string_view text) {
  constexpr LineFormat kFormat{&ReadLineWords, kLinesHint, "at least one line NAME VALUE [UNIT]",
                               "number its values: ITERATION NAME VALUE"};
  return ReadLines(text, kFormat);
}

}  // namespace benchd
