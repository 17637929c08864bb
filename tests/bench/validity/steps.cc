#include "tests/bench/validity/steps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/stats/change_points.h"
#include "tests/bench/validity/bands.h"
#include "tests/bench/validity/noise.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr std::size_t kLength = 60;
constexpr std::size_t kMargin = 10;  // minimum number of values before and after the step
constexpr std::size_t kNear = 2;
constexpr double kStep = 3;  // standard deviations

struct Counts {
  std::uint64_t without = 0;  // series without a step that have a change point
  std::uint64_t found = 0;    // steps found
  std::uint64_t more = 0;     // series with a step that have further change points

  Counts& operator+=(const Counts& other) {
    without += other.without;
    found += other.found;
    more += other.more;
    return *this;
  }
};

std::vector<double> Draw(BlockSource& source, std::size_t step_at, double variation) {
  std::vector<double> values(kLength);
  for (std::size_t i = 0; i < kLength; ++i) {
    values[i] = source.Next().base + (i < step_at ? 0 : kStep * variation);
  }
  return values;
}

Counts CountOne(const Family& family, const Options& options, double alpha,
                std::uint64_t repetition) {
  const ChangePointSearch search{.alpha = alpha, .seed = repetition};
  BlockSource source(family, options.seed, repetition, 0);
  Counts counts;
  counts.without = !FindChangePoints(Draw(source, kLength, 0), search).value().empty();
  const std::size_t at = kMargin + repetition % (kLength - 2 * kMargin + 1);
  const auto points = FindChangePoints(Draw(source, at, family.base_variation), search).value();
  const auto is_near = [at](const ChangePoint& point) {
    return point.index + kNear >= at && point.index <= at + kNear;
  };
  counts.found = std::any_of(points.begin(), points.end(), is_near);
  counts.more = points.size() > counts.found;
  return counts;
}

}  // namespace

std::string StepReport(const Options& options, Format format) {
  Table table(
      "Change points in " + std::to_string(kLength) + " values, " +
          std::to_string(options.repetitions) + " series each, seed " +
          std::to_string(options.seed) + ": %",
      {"law", "alpha", "without a step", "P(so many)", "3 sd found within 2", "and more found"});
  for (const Family& family : Families()) {
    if (!family.plain() || family.pair_correlation != 0 || family.beyond_promise()) continue;
    if (options.only && *options.only != family.name) continue;
    for (const double alpha : options.alphas) {
      const auto body = [&](std::uint64_t repetition, std::vector<Counts>& counts) {
        counts[0] += CountOne(family, options, alpha, repetition);
      };
      const Counts all =
          Repeat(options.repetitions, options.threads, std::vector<Counts>(1), body).front();
      const std::uint64_t n = options.repetitions;
      table.AddRow({std::string(family.name), Percent(alpha), Share(all.without, n),
                    Number(BinomialTail(n, alpha, all.without), 3), Share(all.found, n),
                    Share(all.more, n)});
    }
  }
  return table.Print(format);
}

}  // namespace benchd::validity
