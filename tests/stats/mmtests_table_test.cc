#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "core/stats/mmtests.h"
#include "tests/golden/golden.h"

namespace benchd {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

std::string Format(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// "  5.51%)*" and "(+0.02s)", reduced to the number; a star is parsed separately.
std::string Stripped(const std::string& word) {
  std::string text;
  for (char c : word) {
    if (std::string("()%s*").find(c) == std::string::npos) text += c;
  }
  return text;
}

// A printed line after its two labels: the numbers, and whether each has a star.
struct Line {
  std::vector<std::string> numbers;
  std::vector<bool> starred;  // one per arm
};

Line Parse(const std::string& text, std::size_t numbers_per_arm) {
  std::istringstream stream(text);
  std::string word;
  Line line;
  stream >> word >> word;
  std::size_t stars = 0;
  while (stream >> word) {
    stars += static_cast<std::size_t>(std::count(word.begin(), word.end(), '*'));
    const std::string number = Stripped(word);
    if (number.empty()) continue;
    line.numbers.push_back(number);
    if (line.numbers.size() % numbers_per_arm == 0) {
      line.starred.push_back(stars > 0);
      stars = 0;
    }
  }
  return line;
}

std::vector<std::string> LinesAfterHeader(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  std::string line;
  for (int number = 0; std::getline(stream, line); ++number) {
    if (number >= 2 && !line.empty()) lines.push_back(line);
  }
  return lines;
}

// The three systems of "multi_reference", each compared with the first.
class MultiReferenceTest : public ::testing::Test {
 protected:
  static constexpr std::array<const char*, 3> kArms{"ref-a", "ref-b", "sut-x"};

  Values Sample(const std::string& operation, std::size_t arm) const {
    return all_["samples"][operation][kArms[arm]];
  }
  MmtestsFigures Figures(const std::string& operation, std::size_t arm) const {
    return FiguresOf(Sample(operation, arm), BestEnd::kLowest).value();
  }
  static double Row(const MmtestsFigures& figures, const std::string& name) {
    if (name == "Min") return figures.min;
    if (name == "Max") return figures.max;
    if (name == "Amean") return *figures.mean;
    if (name == "Stddev") return *figures.standard_deviation;
    if (name == "CoeffVar") return 100 * *figures.variation;
    EXPECT_EQ(name, "BAmean.95");
    return *figures.best_mean;
  }

  const Json all_ = golden::ReadFile("mmtests.json")["multi_reference"];
};

TEST_F(MultiReferenceTest, TheTableIsMmtests) {
  const auto lines = LinesAfterHeader(all_["stdout"]);
  ASSERT_EQ(lines.size(), 18U);
  for (const std::string& text : lines) {
    SCOPED_TRACE(text);
    std::string name;
    std::string operation;
    std::istringstream(text) >> name >> operation;
    const Line line = Parse(text, 2);
    ASSERT_EQ(line.numbers.size(), 6U);
    const double base = Row(Figures(operation, 0), name);
    for (std::size_t arm = 0; arm < kArms.size(); ++arm) {
      const double value = Row(Figures(operation, arm), name);
      EXPECT_EQ(Format("%.6f", value), line.numbers[2 * arm]);
      EXPECT_EQ(Format("%.2f", 100 * *Gain(value, base, BestEnd::kLowest)),
                line.numbers[2 * arm + 1]);
      const bool star = name == "Amean" && HasStar(Sample(operation, arm), Sample(operation, 0),
                                                   BestEnd::kLowest, StarRule::kMmtests)
                                               .value();
      EXPECT_EQ(star, line.starred[arm]);
    }
  }
}

TEST_F(MultiReferenceTest, TheDistancesAndTheGeometricMeanAreMmtests) {
  std::array<Values, 3> ratios;
  const auto lines = LinesAfterHeader(all_["stdout_ratio"]);
  ASSERT_EQ(lines.size(), 7U);
  for (const std::string& text : lines) {
    SCOPED_TRACE(text);
    std::string name;
    std::string operation;
    std::istringstream(text) >> name >> operation;
    if (name != "Ratio" && name != "Gmean") continue;
    const Line line = Parse(text, name == "Ratio" ? 3 : 1);
    for (std::size_t arm = 0; arm < kArms.size(); ++arm) {
      if (name == "Gmean") {
        EXPECT_EQ(Format("%.6f", GeometricMean(ratios[arm]).value()), line.numbers.at(arm));
        continue;
      }
      const MmtestsFigures value = Figures(operation, arm);
      const MmtestsFigures reference = Figures(operation, 0);
      ratios[arm].push_back(*value.mean / *reference.mean);
      EXPECT_EQ(Format("%.2f", 100 * *Gain(ratios[arm].back(), 1, BestEnd::kLowest)),
                line.numbers.at(3 * arm + 1));
      EXPECT_EQ(Format("%+.2f", *BandDistance(value, reference)), line.numbers.at(3 * arm + 2));
    }
  }
}

}  // namespace
}  // namespace benchd
