#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "core/parse/similarity_input.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

constexpr RunSetLimits kRunLimits{.values = 300, .runs = 20, .sets = 5};

void CheckRunSets(const std::vector<RunSet>& sets) {
  FUZZ_CHECK(!sets.empty() && sets.size() <= kRunLimits.sets);
  std::size_t values = 0;
  for (const RunSet& set : sets) {
    FUZZ_CHECK(set.run_names.size() == set.runs.size());
    FUZZ_CHECK(set.runs.size() <= kRunLimits.runs);
    for (const std::vector<double>& run : set.runs) {
      values += run.size();
      for (const double value : run) FUZZ_CHECK(std::isfinite(value));
    }
  }
  FUZZ_CHECK(values <= kRunLimits.values);
}

std::string RunsAsJson(const RunSet& set) {
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

void CheckRuns(std::string_view data, const RunsLayout& layout) {
  const auto sets = ParseRuns(data, layout, kRunLimits);
  if (!sets) {
    CheckMessage(sets.error().message);
    FUZZ_CHECK(sets.error().code == ErrorCode::kInvalidArgument);
    return;
  }
  CheckRunSets(*sets);
  for (const RunSet& set : *sets) {
    const auto again = ParseRuns(RunsAsJson(set), {.format = RunsFormat::kJson}, kRunLimits);
    FUZZ_CHECK(again && again->size() == 1 && again->front().runs == set.runs);
  }
}

}  // namespace

void FuzzRuns(std::string_view input) {
  CheckRuns(input, {});
  CheckRuns(input, {.format = RunsFormat::kCsv});
  CheckRuns(input, {.format = RunsFormat::kJson});
  CheckRuns(input, {.runs = 2, .values = input.size() / 16});
  CheckRuns(input, {.runs = input.size() % 5, .values = input.size() % 7});
}

}  // namespace benchd::fuzz
