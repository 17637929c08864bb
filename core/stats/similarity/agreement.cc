#include "core/stats/similarity/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/base/try.h"

namespace benchd {
namespace {

std::uint64_t Total(const std::vector<std::uint32_t>& row) {
  return std::accumulate(row.begin(), row.end(), std::uint64_t{0});
}

Result<void> CheckTable(std::span<const std::vector<std::uint32_t>> table) {
  if (table.empty()) return InvalidArgument("ratings", "no subjects");
  if (Total(table.front()) < 2) return InvalidArgument("ratings", "fewer than two raters");
  for (std::size_t i = 1; i < table.size(); ++i) {
    if (table[i].size() == table.front().size() && Total(table[i]) == Total(table.front()))
      continue;
    return InvalidArgument(fmt::format("subject {}", i + 1),
                           "the number of ratings or categories differs from that of subject 1");
  }
  return {};
}

}  // namespace

Result<double> FleissKappa(std::span<const std::vector<std::uint32_t>> table) {
  TRY_VOID(CheckTable(table));
  const auto subjects = static_cast<double>(table.size());
  const auto raters = static_cast<double>(Total(table.front()));
  double agreeing = 0;  // ordered pairs of raters who agree, over all subjects
  std::vector<double> chosen(table.front().size(), 0);
  for (const std::vector<std::uint32_t>& row : table) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double count = row[j];
      agreeing += count * (count - 1);
      chosen[j] += count;
    }
  }
  const double observed = agreeing / (subjects * raters * (raters - 1));
  double expected = 0;
  for (const double count : chosen) {
    const double share = count / (subjects * raters);
    expected += share * share;
  }
  if (expected == 1) return 1.0;
  return (observed - expected) / (1 - expected);
}

std::string_view KappaBand(double kappa) {
  if (kappa < 0) return "low";
  if (kappa <= 0.2) return "slight";
  if (kappa <= 0.4) return "fair";
  if (kappa <= 0.6) return "moderate";
  if (kappa <= 0.8) return "substantial";
  return "almost perfect";
}

namespace {

Result<void> CheckRatings(std::span<const Ratings> raters, std::size_t categories) {
  if (raters.size() < 2) return InvalidArgument("ratings", "fewer than two raters");
  for (std::size_t r = 0; r < raters.size(); ++r) {
    const std::string rater = fmt::format("rater {}", r + 1);
    if (raters[r].empty()) return InvalidArgument(rater, "no ratings");
    if (raters[r].size() != raters[0].size()) {
      return InvalidArgument(rater, "the number of ratings differs from that of rater 1");
    }
    if (*std::ranges::max_element(raters[r]) >= categories) {
      return InvalidArgument(rater, "a rating is not a category");
    }
  }
  return {};
}

std::optional<double> Share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

CategoryScore ScoreOf(const ConfusionMatrix& confusion, std::size_t category,
                      std::uint64_t subjects) {
  std::uint64_t true_ones = 0;
  std::uint64_t found = 0;
  for (std::size_t other = 0; other < confusion.counts.size(); ++other) {
    true_ones += confusion.counts[category][other];
    found += confusion.counts[other][category];
  }
  const std::uint64_t hits = confusion.counts[category][category];
  const std::uint64_t others = subjects - true_ones;
  return {Share(hits, true_ones), Share(others - (found - hits), others)};
}

}  // namespace

Result<Agreement> AgreementOf(std::span<const Ratings> raters, std::size_t categories) {
  TRY_VOID(CheckRatings(raters, categories));
  const std::size_t subjects = raters.front().size();
  std::vector<std::vector<std::uint32_t>> table(subjects, std::vector<std::uint32_t>(categories));
  std::uint64_t alike = 0;
  for (std::size_t s = 0; s < subjects; ++s) {
    for (const Ratings& rater : raters) ++table[s][rater[s]];
    if (table[s][raters.front()[s]] == raters.size()) ++alike;
  }
  TRY(const double kappa, FleissKappa(table));
  return Agreement{kappa, static_cast<double>(alike) / static_cast<double>(subjects)};
}

Result<ConfusionMatrix> MakeConfusionMatrix(const Ratings& truth, const Ratings& rater,
                                            std::size_t categories) {
  const std::vector<Ratings> both{truth, rater};
  TRY_VOID(CheckRatings(both, categories));
  ConfusionMatrix confusion;
  confusion.counts.assign(categories, std::vector<std::uint64_t>(categories, 0));
  std::uint64_t right = 0;
  for (std::size_t s = 0; s < truth.size(); ++s) {
    ++confusion.counts[truth[s]][rater[s]];
    if (truth[s] == rater[s]) ++right;
  }
  for (std::size_t c = 0; c < categories; ++c) {
    confusion.scores.push_back(ScoreOf(confusion, c, truth.size()));
  }
  confusion.accuracy = static_cast<double>(right) / static_cast<double>(truth.size());
  return confusion;
}

}  // namespace benchd
