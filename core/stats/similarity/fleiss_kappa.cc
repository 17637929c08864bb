#include "core/stats/similarity/fleiss_kappa.h"

#include <numeric>
#include <string>

#include "core/base/result.h"

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
    return InvalidArgument("subject " + std::to_string(i + 1),
                           "not as many ratings or categories as subject 1");
  }
  return {};
}

}  // namespace

Result<double> FleissKappa(std::span<const std::vector<std::uint32_t>> table) {
  if (Result<void> sound = CheckTable(table); !sound) return sound.error();
  const auto subjects = static_cast<double>(table.size());
  const auto raters = static_cast<double>(Total(table.front()));
  double agreeing = 0;  // pairs of raters, in order
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

}  // namespace benchd
