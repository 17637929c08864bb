#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "client/present/text.h"
#include "client/report/pictures.h"
#include "client/report/svg.h"
#include "core/base/text.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// Checks the text between two marks of one element: `<` only begins elements, each is closed in
/// turn, an attribute's value ends where it should, and no number is NaN or infinite.
void CheckWellFormed(std::string_view text) {
  FUZZ_CHECK(!FirstInvalidUtf8(text));
  std::vector<std::string_view> open;
  while (!text.empty()) {
    const std::size_t begin = text.find('<');
    FUZZ_CHECK(text.substr(0, begin).find('>') == std::string_view::npos);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('>', begin);
    FUZZ_CHECK(end != std::string_view::npos);
    std::string_view tag = text.substr(begin + 1, end - begin - 1);
    text.remove_prefix(end + 1);
    const bool closes = tag.starts_with('/');
    if (closes) tag.remove_prefix(1);
    const std::string_view name = tag.substr(0, tag.find(' '));
    static constexpr std::string_view kElements[] = {"svg",    "title", "desc", "path",    "rect",
                                                     "circle", "text",  "g",    "clipPath"};
    const std::string_view bare = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
    FUZZ_CHECK(std::ranges::find(kElements, bare) != std::end(kElements));
    FUZZ_CHECK(std::ranges::count(tag, '"') % 2 == 0);
    for (const char* none : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"}) {
      FUZZ_CHECK(tag.find(none) == std::string_view::npos);
    }
    if (closes) {
      FUZZ_CHECK(!open.empty() && open.back() == name);
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  FUZZ_CHECK(open.empty());
}

std::vector<double> NumbersOf(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string_view word : WordsOf(text)) {
    double number = 0;
    const auto [at, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failed == std::errc() && std::isfinite(number) && numbers.size() < 2000) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

void DrawAll(const std::string& name, const std::vector<double>& values) {
  const std::vector<client::ArmOfPicture> arms = {{name, true, 0, values},
                                                  {"b", false, 0, {values.front()}}};
  CheckWellFormed(client::DrawDistributions("v", arms, name, 0).Inline());
  std::vector<client::RunOfPicture> runs;
  for (const double value : values) {
    runs.push_back({runs.size() % 2, runs.size() + 1, value, runs.size() < 2, value > 1 ? 1U : 0U});
  }
  CheckWellFormed(client::DrawRuns("r", arms, runs, name, 1000).Inline());
  CheckWellFormed(client::DrawRuns("r", arms, runs, name, 1).Inline());
  std::vector<client::IntervalRow> rows;
  client::IntervalHistory history;
  for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
    const client::MarginLine margin{values[i], i % 2 == 0};
    rows.push_back({name, name, name, values[i], values[i + 1], values[i + 2], margin,
                    client::Shape::kTriangle});
    history.points.push_back({8 + i, values[i], values[i + 1], values[i + 2]});
    history.margin = margin;
  }
  if (rows.empty()) return;
  for (const bool relative : {true, false}) {
    CheckWellFormed(client::DrawIntervals("i", rows, {relative, name}).Inline());
    CheckWellFormed(client::DrawHistory("h", history, {relative, name}).Inline());
  }
}

}  // namespace

/// A name on the first line, then numbers.
void FuzzPictures(std::string_view input) {
  const std::string escaped = client::EscapeMarkup(input);
  FUZZ_CHECK(escaped.find_first_of("<>\"'\n") == std::string::npos);
  const std::size_t line = std::min(input.find('\n'), input.size());
  const std::vector<double> numbers = NumbersOf(input.substr(line));
  if (!numbers.empty()) DrawAll(std::string(input.substr(0, line)), numbers);
}

}  // namespace benchd::fuzz
