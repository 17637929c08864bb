#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "daemon/parse/run_sets.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

constexpr RunSetLimits kLimits{.values = 300, .runs = 20, .sets = 5};

void CheckSets(const std::vector<RunSet>& sets) {
  FUZZ_CHECK(!sets.empty() && sets.size() <= kLimits.sets);
  std::size_t values = 0;
  for (const RunSet& set : sets) {
    FUZZ_CHECK(set.run_names.size() == set.runs.size());
    FUZZ_CHECK(set.runs.size() <= kLimits.runs);
    for (const std::vector<double>& run : set.runs) {
      values += run.size();
      for (const double value : run) FUZZ_CHECK(std::isfinite(value));
    }
  }
  FUZZ_CHECK(values <= kLimits.values);
}

std::string AsJson(const RunSet& set) {
  std::string text = "[";
  for (std::size_t r = 0; r < set.runs.size(); ++r) {
    text += r > 0 ? ",[" : "[";
    for (std::size_t v = 0; v < set.runs[r].size(); ++v) {
      std::array<char, 40> digits{};
      const auto end =
          std::to_chars(digits.data(), digits.data() + digits.size(), set.runs[r][v]).ptr;
      text.append(v > 0 ? "," : "").append(digits.data(), end);
    }
    text += "]";
  }
  return text + "]";
}

void Check(std::string_view data, const RunsLayout& layout) {
  const auto sets = ParseRuns(data, layout, kLimits);
  if (!sets) {
    CheckMessage(sets.error().message);
    FUZZ_CHECK(sets.error().code == ErrorCode::kInvalidArgument);
    return;
  }
  CheckSets(*sets);
  for (const RunSet& set : *sets) {
    const auto again = ParseRuns(AsJson(set), {.format = RunsFormat::kJson}, kLimits);
    FUZZ_CHECK(again && again->size() == 1 && again->front().runs == set.runs);
  }
}

}  // namespace
}  // namespace benchd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchd;
  const std::string_view text = fuzz::AsText(data, size);
  fuzz::Check(text, {});
  fuzz::Check(text, {.format = RunsFormat::kCsv});
  fuzz::Check(text, {.format = RunsFormat::kJson});
  fuzz::Check(text, {.runs = 2, .values = size / 16});
  fuzz::Check(text, {.runs = size % 5, .values = size % 7});
  return 0;
}
