#include "tests/bench/validity/coverage.h"

#include <array>
#include <sstream>
#include <utility>

#include "core/base/result.h"
#include "tests/bench/validity/repeat.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr std::uint64_t kLastWatched = 1000;
// --min-runs of the rows; the levels of each are computed once.
constexpr std::array<std::uint64_t, 4> kFirstLooks{kFirstLook, 30, 300, 100};
// Relative to the candidate's CV: the width at which the rule `precision` stops.
constexpr double kWidthInVariations = 0.8;
// Random streams separate from those of Simulate(), which begin with a family's index.
constexpr std::uint64_t kFirstStream = 128;

// Coefficients of variation of log-normal values whose logs spread by 0.5 and 1: sqrt(e^(s^2) - 1).
constexpr double kVariationOfHalf = 0.532940351;
constexpr double kVariationOfOne = 1.310832475;

constexpr std::array kFamilies{
    Family{"normal", Shape::kNormal, Shape::kNormal, Machine::kSteady},
    Family{"lognormal", Shape::kLogNormal, Shape::kLogNormal, Machine::kSteady},
    Family{"lognormal-0.5", Shape::kFromZero, Shape::kFromZero, Machine::kSteady, false,
           kVariationOfHalf, kVariationOfHalf},
    Family{"lognormal-0.5-1", Shape::kFromZero, Shape::kFromZero, Machine::kSteady, false,
           kVariationOfHalf, kVariationOfOne},
    Family{"unlike-rare", Shape::kNormal, Shape::kRareSlow, Machine::kSteady, false, 0.01},
};

struct WatchedMethod {
  Method method;
  std::size_t first_look;  // index into kFirstLooks
  CoverageRow row;
};

const std::vector<WatchedMethod>& WatchedMethods() {
  static const std::vector<WatchedMethod> methods{
      {Method::kPaired, 0, {"paired", "8, 9, ..."}},
      {Method::kPaired, 1, {"paired, --min-runs 30", "30, 31, ..."}},
      {Method::kPaired, 2, {"paired, --min-runs 300", "300, 301, ..."}},
      {Method::kHorizon, 0, {"paired, --max-runs 1000", "8, 9, ..."}},
      {Method::kExactT, 0, {"exact-t", "8, 9, ..."}},
      {Method::kWelch, 0, {"welch, coin", "8, 8 1/2, 9, ..."}},
      {Method::kPrecision, 0, {"precision, at its end", "the last"}},
      {Method::kHodgesLehmann, 0, {"hl", "8, 9, ..., then by 5 %", true}},
      {Method::kMedian, 0, {"median", "8, 9, ...", true}},
      {Method::kQuantile,
       3,
       {"quantile:0.1, --min-runs 100", "100, 105, ..., by 5 %", true, false, true}},
      {Method::kLognormalMean, 0, {"(lognormal-mean)", "8, 9, ...", false, true}},
      {Method::kLognormalMean, 1, {"(lognormal-mean)", "30, 31, ...", false, true}},
      {Method::kClassic, 0, {"(the peeking loop)", "2, 2 1/2, 3, ...", false, true}},
  };
  return methods;
}

// [row][level]; `levels` by kFirstLooks, then by Options::alphas.
std::vector<std::vector<Misses>> SimulateWatched(const Options& options, const Family& family,
                                                 std::uint64_t stream,
                                                 std::span<const std::vector<Level>> levels) {
  std::vector<Rule> rules;
  for (const WatchedMethod& one : WatchedMethods()) {
    for (const Level& level : levels[one.first_look]) {
      rules.push_back({.method = one.method,
                       .level = &level,
                       .width = kWidthInVariations * family.candidate_variation});
    }
  }
  const auto body = [&](std::uint64_t repetition, std::vector<Misses>& misses) {
    BlockSource source(family, options.seed, stream << 56U | repetition, 0);
    Watch watch(rules, 0);
    while (watch.open() && watch.pairs() < kLastWatched) watch.Add(source.Next());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      ++misses[i].repetitions;
      misses[i].missed += watch.outcomes()[i].decision != LookDecision::kContinue;
    }
  };
  const std::vector<Misses> flat =
      Repeat(options.repetitions, options.threads, std::vector<Misses>(rules.size()), body);
  std::vector<std::vector<Misses>> by_row;
  for (auto from = flat.begin(); from != flat.end();) {
    const auto to = from + static_cast<std::ptrdiff_t>(options.alphas.size());
    by_row.emplace_back(from, to);
    from = to;
  }
  return by_row;
}

Result<std::vector<Level>> MakeLevels(const Options& options, std::uint64_t first_look) {
  std::vector<Level> levels;
  for (double alpha : options.alphas) {
    Result<Level> level = Level::Make(alpha, first_look);
    if (!level) return std::move(level).error();
    levels.push_back(*std::move(level));
  }
  return levels;
}

Table Tabulate(const std::string& title, std::span<const CoverageRow> rows,
               std::span<const CoverageOfFamily> results,
               std::vector<std::vector<Misses>> CoverageOfFamily::*part, std::size_t level) {
  std::vector<std::string> header{"method", "looks"};
  for (const CoverageOfFamily& result : results) header.emplace_back(result.family->name);
  Table table(title, std::move(header));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells{rows[r].name, rows[r].looks};
    for (const CoverageOfFamily& result : results) {
      const Misses& misses = (result.*part)[r][level];
      const bool apply = misses.absent == 0 && !(rows[r].typical_change && result.family->unlike());
      cells.push_back(apply ? Share(misses.missed, misses.repetitions) : "-");
    }
    table.AddRow(std::move(cells));
  }
  return table;
}

}  // namespace

Misses& Misses::operator+=(const Misses& other) {
  repetitions += other.repetitions;
  missed += other.missed;
  absent += other.absent;
  return *this;
}

std::span<const Family> CoverageFamilies() { return kFamilies; }

std::span<const CoverageRow> WatchedRows() {
  static const std::vector<CoverageRow> rows = [] {
    std::vector<CoverageRow> all;
    for (const WatchedMethod& one : WatchedMethods()) all.push_back(one.row);
    return all;
  }();
  return rows;
}

Result<std::vector<CoverageOfFamily>> SimulateCoverage(const Options& options, CoveragePart part) {
  const Result<std::vector<const Family*>> families = Chosen(options, kFamilies);
  if (!families) return families.error();
  std::vector<std::vector<Level>> levels;
  for (std::uint64_t first_look : kFirstLooks) {
    Result<std::vector<Level>> made = MakeLevels(options, first_look);
    if (!made) return std::move(made).error();
    levels.push_back(*std::move(made));
  }
  std::vector<CoverageOfFamily> results;
  for (const Family* family : *families) {
    const auto number = static_cast<std::uint64_t>(family - kFamilies.data());
    const std::uint64_t stream = kFirstStream + 2 * number;
    CoverageOfFamily& result = results.emplace_back();
    result.family = family;
    result.watched = SimulateWatched(options, *family, stream, levels);
    if (part == CoveragePart::kAll)
      result.one_look = SimulateOneLooks(options, *family, stream + 1);
  }
  return results;
}

std::string CoverageReport(std::span<const CoverageOfFamily> results, const Options& options,
                           Format format) {
  std::ostringstream out;
  out << "coverage: " << options.repetitions << " repetitions, seed " << options.seed
      << ", arms of equal means on a steady machine\n"
      << "Per cent of the intervals that miss the truth, with the Monte-Carlo standard error.\n"
      << "lognormal: shifted, CV " << Percent(kVariation) << "; lognormal-0.5 and -0.5-1: from 0 "
      << "on, the spread of the logs\nof either arm; unlike-rare: a steady reference and rare slow "
      << "runs of the candidate.\n\n";
  for (std::size_t level = 0; level < options.alphas.size(); ++level) {
    const std::string alpha = ", alpha " + Percent(options.alphas[level]);
    out << Tabulate(
               "Watched up to " + std::to_string(kLastWatched) + " pairs: % ever wrong" + alpha,
               WatchedRows(), results, &CoverageOfFamily::watched, level)
               .Print(format)
        << Tabulate("One look: % wrong" + alpha, OneLookRows(), results,
                    &CoverageOfFamily::one_look, level)
               .Print(format);
  }
  return out.str();
}

}  // namespace benchd::validity
