#include "tests/bench/validity/bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/stats/decision.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/paired.h"
#include "tests/bench/validity/table.h"

namespace benchd::validity {
namespace {

constexpr double kWidth = 4;        // in standard errors
constexpr double kRarity = 3.2e-5;  // P(Z > 4)
// The least that benchd's methods reject, relative to alpha: the lowest measured was a third.
constexpr double kLeastShare = 0.2;
// The default decides within 5000 pairs in all but this share, off the margin.
constexpr double kMostOpen = 1e-3;
constexpr std::uint64_t kMostOfTimed = kLastTimedLook / 6;

// Figures of `validity --only normal`, 20 000 repetitions, seed 1: pairs by kEffects.
struct Reference {
  double alpha;
  Method method;
  std::array<double, kEffects.size()> pairs;
};
constexpr double kReferenceRepetitions = 20'000;
constexpr double kReferenceRounding = 0.5;
constexpr std::array kReferences{
    Reference{0.05, Method::kPaired, {130.1, 555, 569, 135.8, 19.6}},
    Reference{0.05, Method::kPairedUnguarded, {126.0, 547, 561, 131.8, 17.9}},
    Reference{0.05, Method::kHorizon, {119.5, 433, 441, 124.3, 21.2}},
    Reference{0.05, Method::kExactT, {130.8, 574, 587, 136.6, 17.4}},
    Reference{0.05, Method::kHodgesLehmann, {140.7, 626, 640, 147.4, 19.2}},
    Reference{0.05, Method::kWelch, {123.9, 538, 555, 128.9, 17.1}},
    Reference{0.05, Method::kClassic, {38.4, 126, 124, 40.1, 7.6}},
    Reference{0.01, Method::kPaired, {183.1, 765, 783, 190.4, 27.1}},
    Reference{0.01, Method::kPairedUnguarded, {179.2, 759, 777, 186.2, 25.0}},
    Reference{0.01, Method::kHorizon, {167.1, 590, 601, 173.4, 28.4}},
    Reference{0.01, Method::kExactT, {188.8, 806, 826, 196.4, 24.9}},
    Reference{0.01, Method::kHodgesLehmann, {199.0, 855, 874, 207.1, 27.0}},
    Reference{0.01, Method::kWelch, {175.1, 748, 770, 182.4, 23.0}},
    Reference{0.01, Method::kClassic, {73.2, 273, 274, 76.6, 12.0}},
};
// From the same run: equal arms that the classic loop called different. The bench must detect it.
constexpr std::array kClassicEqual{std::pair{0.05, 0.5355}, std::pair{0.01, 0.1773}};

// The default against the oracle, over all families of like shapes: 0.8 to 1.1 was measured.
constexpr double kLeastOfOracle = 0.7;
constexpr double kMostOfOracle = 1.2;

bool Promised(Method method) {
  return method != Method::kPairedUnguarded && method != Method::kLinear &&
         method != Method::kClassic;
}

class Findings {
 public:
  void AtMost(std::uint64_t count, std::uint64_t n, double share, const std::string& what) {
    const bool above = static_cast<double>(count) > static_cast<double>(n) * share;
    if (above && BinomialTail(n, share, count) < kRarity) {
      Add(what, count, n, "at most " + Percent(share));
    }
  }
  void AtLeast(std::uint64_t count, std::uint64_t n, double share, const std::string& what) {
    const bool below = static_cast<double>(count) < static_cast<double>(n) * share;
    if (below && BinomialTail(n, share, count) < kRarity) {
      Add(what, count, n, "at least " + Percent(share));
    }
  }
  void Between(double low, double mean, double high, const std::string& what) {
    if (mean >= low && mean <= high) return;
    offences_.push_back(what + ": " + Number(mean, 1) + " pairs, expected " + Number(low, 1) +
                        " to " + Number(high, 1));
  }
  std::vector<std::string> Take() { return std::move(offences_); }

 private:
  void Add(const std::string& what, std::uint64_t count, std::uint64_t n,
           const std::string& expected) {
    offences_.push_back(what + ": " + std::to_string(count) + " of " + std::to_string(n) +
                        ", expected " + expected);
  }

  std::vector<std::string> offences_;
};

std::string Where(const FamilyResult& result, Method method) {
  return std::string(result.family->name) + ", alpha " + Percent(result.alpha) + ", " +
         std::string(NameOf(method));
}

void CheckErrors(const FamilyResult& result, std::size_t i, Findings& findings) {
  const Method method = SequentialMethods()[i];
  if (!Promised(method)) return;
  const std::string where = Where(result, method);
  const Tally& equal = result.equal[i];
  const Tally& at_margin = result.at_margin[i];
  findings.AtMost(equal.decided(), equal.repetitions, result.alpha, where + ", equal arms");
  findings.AtMost(at_margin.regressions, at_margin.repetitions, result.alpha / 2,
                  where + ", false regressions at the margin");
  findings.AtMost(at_margin.passes, at_margin.repetitions, result.alpha / 2,
                  where + ", false passes at the margin");
  for (std::size_t e = 0; e < kEffects.size(); ++e) {
    const Tally& tally = result.effects[e][i];
    const std::uint64_t wrong = kEffects[e] < 1 ? tally.regressions : tally.passes;
    findings.AtMost(wrong, tally.repetitions, result.alpha / 2,
                    where + ", wrong verdicts at " + Number(kEffects[e], 1) + " margins");
  }
}

void CheckDefaultsPairs(const FamilyResult& result, Findings& findings) {
  for (std::size_t e = 0; e < kEffects.size(); ++e) {
    const Tally& tally = result.effects[e][0];
    // In a noisier family, the default needs more pairs than are drawn.
    if (result.oracle_pairs[e] > kMostOfTimed || tally.repetitions == 0) continue;
    const std::string what =
        Where(result, Method::kPaired) + ", " + Number(kEffects[e], 1) + " margins";
    findings.AtMost(tally.repetitions - tally.decided(), tally.repetitions, kMostOpen,
                    what + ", no verdict");
    const auto oracle = static_cast<double>(result.oracle_pairs[e]);
    const double slack = kWidth * tally.MeanPairsError();
    findings.Between(kLeastOfOracle * oracle - slack, tally.MeanPairs(),
                     kMostOfOracle * oracle + slack, what + ", beside the oracle");
  }
}

void CheckReferences(const FamilyResult& result, Findings& findings) {
  if (result.family->name != "normal") return;
  for (std::size_t i = 0; i < SequentialMethods().size(); ++i) {
    const Method method = SequentialMethods()[i];
    for (const Reference& reference : kReferences) {
      if (reference.alpha != result.alpha || reference.method != method) continue;
      for (std::size_t e = 0; e < kEffects.size(); ++e) {
        const Tally& tally = result.effects[e][i];
        const auto n = static_cast<double>(tally.repetitions);
        const double slack = kReferenceRounding + kWidth * tally.MeanPairsError() *
                                                      std::sqrt(1 + n / kReferenceRepetitions);
        findings.Between(reference.pairs[e] - slack, tally.MeanPairs(), reference.pairs[e] + slack,
                         Where(result, method) + ", " + Number(kEffects[e], 1) + " margins");
      }
    }
    if (method != Method::kClassic) continue;
    for (const auto& [alpha, share] : kClassicEqual) {
      if (alpha != result.alpha) continue;
      const Tally& equal = result.equal[i];
      findings.AtMost(equal.decided(), equal.repetitions, share, Where(result, method));
      findings.AtLeast(equal.decided(), equal.repetitions, share, Where(result, method));
    }
  }
}

// If the arms' shapes differ, the guard keeps the default from passing too soon: equal arms took
// 3.7 times the pairs at alpha 5 %, 4.3 times at 1 %.
void CheckGuard(const FamilyResult& result, Findings& findings) {
  constexpr double kLeastOfUnguarded = 2;
  if (result.family->name != "unlike-rare") return;
  const std::span<const Method> methods = SequentialMethods();
  const auto unguarded = std::find(methods.begin(), methods.end(), Method::kPairedUnguarded);
  const double pairs =
      result.effects[0][static_cast<std::size_t>(unguarded - methods.begin())].MeanPairs();
  findings.Between(kLeastOfUnguarded * pairs, result.effects[0][0].MeanPairs(), kLastTimedLook,
                   Where(result, Method::kPaired) + ", equal arms, beside no guard");
}

// All families of like shapes together: a narrower band, and the only one with a lower end.
void CheckTogether(const Results& results, double alpha, std::size_t i, Findings& findings) {
  const Method method = SequentialMethods()[i];
  if (!Promised(method)) return;
  Tally equal;
  Tally at_margin;
  for (const FamilyResult& result : results.families) {
    if (result.alpha != alpha || result.family->beyond_promise()) continue;
    equal += result.equal[i];
    at_margin += result.at_margin[i];
  }
  const std::string where =
      "all families, alpha " + Percent(alpha) + ", " + std::string(NameOf(method));
  const auto check = [&findings](std::uint64_t count, std::uint64_t n, double share,
                                 const std::string& what) {
    findings.AtMost(count, n, share, what);
    findings.AtLeast(count, n, kLeastShare * share, what);
  };
  check(equal.decided(), equal.repetitions, alpha, where + ", equal arms");
  check(at_margin.regressions, at_margin.repetitions, alpha / 2, where + ", false regressions");
  check(at_margin.passes, at_margin.repetitions, alpha / 2, where + ", false passes");
}

std::string Where(const SuiteScenario& scenario, double alpha) {
  return "ten gates, " + std::string(scenario.name) + ", alpha " + Percent(alpha);
}

// All families together, because no family beyond the promise is among the suites.
void CheckSuiteErrors(const Results& results, const SuiteScenario& scenario, double alpha,
                      Findings& findings) {
  SuiteTally together;
  for (const SuiteResult& result : results.suites) {
    if (result.alpha == alpha && result.scenario == &scenario) together += result.paired;
  }
  const std::string where = Where(scenario, alpha);
  findings.AtMost(together.false_regressions, together.repetitions, alpha / 2,
                  where + ", false regressions");
  findings.AtMost(together.false_passes, together.repetitions, alpha / 2, where + ", false passes");
}

void CheckSuitePairs(const SuiteResult& result, Findings& findings) {
  if (!result.oracle_pairs) return;
  const SuiteTally& tally = result.paired;
  const std::string where =
      Where(*result.scenario, result.alpha) + ", " + std::string(result.family->name);
  findings.AtMost(tally.repetitions - tally.decided, tally.repetitions, kMostOpen,
                  where + ", no verdict");
  const double slack = kWidth * tally.open_only.MeanPairsError() / kGates;
  findings.Between(kLeastOfOracle * *result.oracle_pairs - slack,
                   tally.open_only.MeanPairs() / kGates,
                   kMostOfOracle * *result.oracle_pairs + slack, where + ", beside the oracle");
}

// Continue while there is no interval.
Result<LookDecision> DecideByInterval(std::span<const double> sorted, double alpha,
                                      double threshold) {
  const Result<OneLook> look = HodgesLehmann(sorted, alpha);
  if (!look) return look.error();
  return look->interval ? DecideAgainst(*look->interval, threshold) : LookDecision::kContinue;
}

}  // namespace

double BinomialTail(std::uint64_t n, double p, std::uint64_t k) {
  const auto count = static_cast<double>(n);
  const auto start = static_cast<double>(k);
  if (start == count * p) return 1;
  double term =
      std::exp(std::lgamma(count + 1) - std::lgamma(start + 1) - std::lgamma(count - start + 1) +
               start * std::log(p) + (count - start) * std::log1p(-p));
  const double odds = p / (1 - p);
  double sum = term;
  if (start > count * p) {
    for (double i = start; i < count; ++i) sum += term *= odds * (count - i) / (i + 1);
  } else {
    for (double i = start; i > 0; --i) sum += term *= i / (odds * (count - i + 1));
  }
  return sum;
}

std::vector<std::string> Offences(const Results& results, const Options& options) {
  Findings findings;
  for (const FamilyResult& result : results.families) {
    CheckReferences(result, findings);
    CheckGuard(result, findings);
    if (result.family->beyond_promise()) continue;
    for (std::size_t i = 0; i < SequentialMethods().size(); ++i) CheckErrors(result, i, findings);
    CheckDefaultsPairs(result, findings);
  }
  for (double alpha : options.alphas) {
    for (std::size_t i = 0; i < SequentialMethods().size(); ++i) {
      CheckTogether(results, alpha, i, findings);
    }
    for (const SuiteScenario& scenario : SuiteScenarios()) {
      CheckSuiteErrors(results, scenario, alpha, findings);
    }
  }
  for (const SuiteResult& result : results.suites) CheckSuitePairs(result, findings);
  return findings.Take();
}

std::vector<std::string> CoverageOffences(std::span<const CoverageOfFamily> results,
                                          const Options& options) {
  Findings findings;
  const std::span<const CoverageRow> rows = WatchedRows();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].bad_habit) continue;
    for (std::size_t level = 0; level < options.alphas.size(); ++level) {
      const double alpha = options.alphas[level];
      const std::string what = ", alpha " + Percent(alpha) + ", " + rows[r].name;
      Misses together;
      for (const CoverageOfFamily& result : results) {
        if (result.family->unlike()) continue;
        const Misses& misses = result.watched[r][level];
        findings.AtMost(misses.missed, misses.repetitions, alpha,
                        std::string(result.family->name) + what);
        together += misses;
      }
      findings.AtMost(together.missed, together.repetitions, alpha, "all families" + what);
      if (!rows[r].typical_change || rows[r].conservative) continue;
      findings.AtLeast(together.missed, together.repetitions, kLeastShare * alpha,
                       "all families" + what);
    }
  }
  return findings.Take();
}

std::vector<std::string> RankCountOffences(std::uint64_t seed) {
  constexpr std::uint64_t kComparisons = 20;
  constexpr std::uint64_t kPairs = 120;  // up to here a look by selection takes microseconds
  constexpr double kAlpha = 0.05;
  const Result<SequentialBoundary> boundary = SequentialBoundary::Robbins(kAlpha, kFirstLook);
  const Result<Level> level = Level::Make(kAlpha, kFirstLook);
  if (!boundary || !level) return {"no boundary to compare the rank counts at"};
  std::vector<std::string> offences;
  for (std::uint64_t comparison = 0; comparison < kComparisons; ++comparison) {
    // From clearly better to clearly worse, so that all three answers occur.
    const double effect = kMargin * (static_cast<double>(comparison) / 2 - 5);
    BlockSource source(Families().front(), seed, comparison, effect);
    std::vector<double> sorted;
    for (std::uint64_t n = 1; n <= kPairs; ++n) {
      const Block block = source.Next();
      InsertSorted(sorted, *PairValue(block.base, block.candidate, Contrast::kLogRatio));
      if (level->RankCut(n) == 0) continue;
      const Result<LookDecision> expected =
          DecideByInterval(sorted, LevelOfOneLook(*boundary, static_cast<double>(n)), 0);
      if (!expected || *expected != DecideByCounts(sorted, level->RankCut(n), 0)) {
        offences.push_back("hl, comparison " + std::to_string(comparison) + ", " +
                           std::to_string(n) + " pairs: the counts and the interval disagree");
      }
    }
  }
  return offences;
}

}  // namespace benchd::validity
