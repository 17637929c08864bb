#include "core/parse/mmtests.h"

#include <string>
#include <utility>
#include <vector>

#include "core/parse/line_reader.h"
#include "core/parse/number.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kMmtestsHint =
    "each line is OPERATION ITERATION SAMPLE VALUE, as extract-mmtests.pl --format script prints";

Error RefuseMmtests(std::string why) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(kMmtestsHint)};
}

Result<LineReading> ReadMmtestsWords(const std::vector<std::string_view>& words) {
  if (words.size() < 3 || words.size() > 4) {
    return RefuseMmtests("expected OPERATION ITERATION SAMPLE VALUE, found " +
                         std::to_string(words.size()) + (words.size() == 1 ? " word" : " words"));
  }
  LineReading reading;
  reading.name = words.front();
  reading.iteration = words[1];
  // A sample's number may be a time, such as 0.5.
  if (words.size() == 4) reading.sample = words[2];
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (LooksLikeNumber(words[i])) continue;
    return RefuseMmtests("expected the number of the " +
                         std::string(i == 1 ? "iteration" : "sample") + " of " +
                         Quoted(reading.name) + ", found " + Quoted(words[i]));
  }
  auto number = ParseNumber(words.back());
  if (!number) {
    return RefuseMmtests("expected the value of " + Quoted(reading.name) + ": " +
                         std::move(number).error().message);
  }
  reading.number = *number;
  return reading;
}

}  // namespace

Result<HarnessOutput> ParseMmtests(std::string_view text) {
  constexpr LineFormat kFormat{&ReadMmtestsWords, kMmtestsHint,
                               "at least one line OPERATION ITERATION SAMPLE VALUE",
                               "give every sample of an operation its own number"};
  return ReadLines(text, kFormat);
}

}  // namespace benchd
