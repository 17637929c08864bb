// The bench of many gates: 200 gates that share their level, some of them slower. How many pairs do
// the procedures of core/analysis/family_decision.h save, and do their error rates hold? It also
// prints the price of a pass at a confidence of its own.
//
// usage: gates [--repetitions N] [--seed S] [--check]
//
// The differences of a gate's pairs are normal with a known spread, and its p-values come from the
// boundary of the daemon. Gates are looked at after 8 * 1.03^j pairs. All procedures see the same
// pairs. Exit code 0; 1 if --check found a figure outside its band; 2 for a wrong command line.

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/family_decision.h"
#include "core/base/split_mix.h"
#include "core/stats/sequential_boundary.h"

namespace benchd {
namespace {

constexpr std::size_t kGates = 200;
constexpr std::size_t kPlanted = 10;
constexpr double kFirstLook = 8;
constexpr double kGrowth = 1.03;
/// The margin in standard deviations of a pair: a margin of 2 % and a CV of 5 % in each arm.
const double kMarginInSpreads = std::log(1.02) / (0.05 * std::numbers::sqrt2);
constexpr double kRarity = 3.2e-5;  // P(Z > 4): probability of a figure outside its band
constexpr std::uint64_t kFewestRepetitions = 20;

enum class Procedure {
  kShares,    ///< alpha / G for each gate
  kHolm,      ///< what `family` does: a list of regressions and a list of passes
  kOneList,   ///< Holm with both verdicts in one list: not offered: no proof covers it
  kFdr,       ///< what `fdr` does
  kEvidence,  ///< e-BH: e-values by the adjuster of Vovk and Wang
};
constexpr std::array kProcedures{Procedure::kShares, Procedure::kHolm, Procedure::kOneList,
                                 Procedure::kFdr, Procedure::kEvidence};
constexpr std::array kNames{"alpha/G", "holm", "holm, one list", "fdr", "e-BH"};

/// Numbers of SplitMix64 as standard normal ones. Box and Muller, Ann. Math. Statist. 29 (1958)
/// 610-611.
class Normals {
 public:
  Normals(std::uint64_t seed, std::uint64_t stream) : numbers_(seed, stream) {}
  double Next() {
    const auto uniform = [this] {
      return (static_cast<double>(numbers_.Next() >> 11U) + 0.5) * 0x1p-53;
    };
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  SplitMix64 numbers_;
};

struct Scenario {
  const char* name;
  double alpha;
  double correlation;                  // of the gates' pairs with the same number
  double (*change)(std::size_t gate);  // in margins
  double last_pairs;
};

double Planted(std::size_t gate, double margins) { return gate < kPlanted ? margins : 0; }
double Slow15(std::size_t gate) { return Planted(gate, 1.5); }
double Slow2(std::size_t gate) { return Planted(gate, 2); }
double Slow5(std::size_t gate) { return Planted(gate, 5); }
double AtMargin(std::size_t) { return 1; }
double HalfAtMargin(std::size_t gate) { return gate % 2 == 0 ? 1 : 0; }
double Spread(std::size_t gate) { return 2 * static_cast<double>(gate) / (kGates - 1); }
/// Twenty gates ever closer below the margin, so that they are decided one after the other; all
/// others are unchanged.
double OneByOne(std::size_t gate) {
  return gate < 20 ? 1 - std::pow(0.8, static_cast<double>(gate)) : 0;
}

constexpr Scenario kScenarios[] = {
    {"10 of 200 at 1.5 margins, independent", 0.01, 0, Slow15, 8000},
    {"10 of 200 at 1.5 margins, correlated 0.9", 0.01, 0.9, Slow15, 8000},
    {"10 of 200 at 2 margins, independent", 0.01, 0, Slow2, 8000},
    {"10 of 200 at 2 margins, correlated 0.9", 0.01, 0.9, Slow2, 8000},
    {"10 of 200 at 5 margins, independent", 0.01, 0, Slow5, 8000},
    {"10 of 200 at 5 margins, correlated 0.9", 0.01, 0.9, Slow5, 8000},
    {"10 of 200 at 1.5 margins, independent", 0.05, 0, Slow15, 8000},
    {"10 of 200 at 1.5 margins, correlated 0.9", 0.05, 0.9, Slow15, 8000},
    {"10 of 200 at 2 margins, independent", 0.05, 0, Slow2, 8000},
    {"10 of 200 at 2 margins, correlated 0.9", 0.05, 0.9, Slow2, 8000},
    {"10 of 200 at 5 margins, independent", 0.05, 0, Slow5, 8000},
    {"10 of 200 at 5 margins, correlated 0.9", 0.05, 0.9, Slow5, 8000},
    {"all at the margin, independent", 0.05, 0, AtMargin, 2000},
    {"all at the margin, correlated 0.9", 0.05, 0.9, AtMargin, 2000},
    {"half at the margin, half unchanged, independent", 0.05, 0, HalfAtMargin, 2000},
    {"half at the margin, half unchanged, correlated 0.9", 0.05, 0.9, HalfAtMargin, 2000},
    {"evenly between 0 and 2 margins, independent", 0.05, 0, Spread, 8000},
    {"20 ever closer below the margin, 180 unchanged", 0.05, 0, OneByOne, 4e6},
};

/// e(p) = (1 - p + p ln p) / (p (-ln p)^2), the mixture of all calibrators k p^(k-1). V. Vovk,
/// R. Wang, Annals of Statistics 49 (2021) 1736-1754.
double EvidenceOf(double p) {
  if (p >= 1) return 0.5;
  const double log_p = std::log(std::max(p, 1e-300));
  return (1 - p + p * log_p) / (std::max(p, 1e-300) * log_p * log_p);
}

/// The gates as one procedure sees them.
struct Course {
  std::vector<GateEvidence> family = std::vector<GateEvidence>(kGates);
  std::size_t open = kGates;
  double pairs = 0;  // of all gates, until their verdicts
};

// Takes the gates of a list whose e-values suffice: the k largest if each is at least G / (level
// k).
void ByEvidence(std::span<const GateEvidence> family, Verdict verdict, double level,
                std::vector<Verdict>& decisions) {
  std::vector<double> values;
  for (const GateEvidence& gate : family) {
    const double p = verdict == Verdict::kPass ? gate.p_pass : gate.p_regression;
    values.push_back(EvidenceOf(gate.decided == verdict ? 0 : p));
  }
  std::vector<double> descending = values;
  std::ranges::sort(descending, std::greater());
  const auto count = static_cast<double>(family.size());
  std::size_t taken = descending.size();
  while (taken > 0 && descending[taken - 1] < count / (level * static_cast<double>(taken))) --taken;
  if (taken == 0) return;
  for (std::size_t i = 0; i < family.size(); ++i) {
    if (family[i].decided == Verdict::kUndecided && values[i] >= descending[taken - 1]) {
      decisions[i] = verdict;
    }
  }
}

// Holm over min(p_regression, p_pass), in either direction.
void InOneList(std::span<const GateEvidence> family, double level,
               std::vector<Verdict>& decisions) {
  std::vector<GateEvidence> both(family.begin(), family.end());
  for (GateEvidence& gate : both) {
    gate.p_pass = std::min(gate.p_pass, gate.p_regression);
    gate.p_regression = 1;
    if (gate.decided != Verdict::kUndecided) gate.decided = Verdict::kPass;
  }
  decisions = DecideFamily(both, ErrorRate::kFamily, {level, level});
  for (std::size_t i = 0; i < family.size(); ++i) {
    if (decisions[i] == Verdict::kUndecided) continue;
    const bool worse = family[i].p_regression < family[i].p_pass;
    decisions[i] = worse ? Verdict::kRegression : Verdict::kPass;
  }
}

std::vector<Verdict> DecisionsOf(Procedure procedure, std::span<const GateEvidence> family,
                                 double level) {
  std::vector<Verdict> decisions(family.size(), Verdict::kUndecided);
  switch (procedure) {
    case Procedure::kShares:
      for (std::size_t i = 0; i < family.size(); ++i) {
        if (family[i].decided != Verdict::kUndecided) continue;
        const double share = level / static_cast<double>(family.size());
        if (family[i].p_pass <= share) decisions[i] = Verdict::kPass;
        if (family[i].p_regression <= share) decisions[i] = Verdict::kRegression;
      }
      return decisions;
    case Procedure::kHolm:
      return DecideFamily(family, ErrorRate::kFamily, {level, level});
    case Procedure::kOneList:
      InOneList(family, level, decisions);
      return decisions;
    case Procedure::kFdr:
      return DecideFamily(family, ErrorRate::kFdr, {level, level});
    case Procedure::kEvidence:
      ByEvidence(family, Verdict::kPass, level, decisions);
      ByEvidence(family, Verdict::kRegression, level, decisions);
      return decisions;
  }
  return decisions;
}

struct Tally {
  std::uint64_t with_errors = 0;  // suites with any wrong verdict
  double wrong_regressions = 0;   // share among the regressions, summed over the suites
  double wrong_passes = 0;
  double pairs = 0;
  double open = 0;
};

void Count(const Scenario& scenario, const Course& course, double last, Tally& tally) {
  std::array<double, 2> listed{};
  std::array<double, 2> wrong{};
  for (std::size_t i = 0; i < kGates; ++i) {
    const Verdict verdict = course.family[i].decided;
    if (verdict == Verdict::kUndecided) continue;
    const std::size_t list = verdict == Verdict::kPass ? 1 : 0;
    const double change = scenario.change(i);
    ++listed[list];
    wrong[list] += (list == 1 ? change >= 1 : change <= 1) ? 1 : 0;
  }
  tally.with_errors += wrong[0] + wrong[1] > 0 ? 1 : 0;
  tally.wrong_regressions += wrong[0] / std::max(1.0, listed[0]);
  tally.wrong_passes += wrong[1] / std::max(1.0, listed[1]);
  tally.open += static_cast<double>(course.open);
  tally.pairs += course.pairs + static_cast<double>(course.open) * last;
}

using Tallies = std::array<Tally, kProcedures.size()>;

void Follow(const Scenario& scenario, std::uint64_t seed, Tallies& tallies) {
  const SequentialBoundary boundary =
      SequentialBoundary::Robbins(scenario.alpha, static_cast<std::uint64_t>(kFirstLook)).value();
  Normals normals(seed, 0);
  std::vector<double> sums(kGates);
  std::vector<std::array<double, 2>> crossings(kGates);  // below and above the margin
  std::array<Course, kProcedures.size()> courses;
  double pairs = 0;
  double next = kFirstLook;
  bool more = true;
  for (; more && next <= scenario.last_pairs; next = std::ceil(next * kGrowth)) {
    const double step = next - pairs;
    pairs = next;
    const double common = normals.Next() * std::sqrt(scenario.correlation);
    for (std::size_t i = 0; i < kGates; ++i) {
      const double noise = common + normals.Next() * std::sqrt(1 - scenario.correlation);
      sums[i] += kMarginInSpreads * (scenario.change(i) - 1) * step + noise * std::sqrt(step);
      const double z = sums[i] / std::sqrt(pairs);
      double& crossing = crossings[i][z > 0 ? 1 : 0];
      crossing = std::max(crossing, boundary.CrossingAt(std::abs(z), pairs));
      const double p = boundary.PValue(crossing) / 2;
      for (Course& course : courses) {
        GateEvidence& gate = course.family[i];
        if (gate.decided == Verdict::kUndecided) (z > 0 ? gate.p_regression : gate.p_pass) = p;
      }
    }
    more = false;
    for (std::size_t k = 0; k < courses.size(); ++k) {
      Course& course = courses[k];
      if (course.open == 0) continue;
      const std::vector<Verdict> decisions =
          DecisionsOf(kProcedures[k], course.family, scenario.alpha / 2);
      for (std::size_t i = 0; i < kGates; ++i) {
        if (decisions[i] == Verdict::kUndecided) continue;
        course.family[i].decided = decisions[i];
        course.pairs += pairs;
        --course.open;
      }
      more = more || course.open > 0;
    }
  }
  for (std::size_t k = 0; k < courses.size(); ++k) Count(scenario, courses[k], pairs, tallies[k]);
}

/// Whether at least k of n events with probability p would be that rare.
bool TooMany(std::uint64_t count, std::uint64_t n, double p) {
  if (count == 0) return false;
  const boost::math::binomial_distribution<double> law(static_cast<double>(n), p);
  return boost::math::cdf(boost::math::complement(law, static_cast<double>(count) - 1)) < kRarity;
}

bool Tell(const Scenario& scenario, const Tallies& tallies, std::uint64_t repetitions) {
  const auto n = static_cast<double>(repetitions);
  std::printf("\n%s, alpha %g %%, %llu suites\n", scenario.name, 100 * scenario.alpha,
              static_cast<unsigned long long>(repetitions));
  std::printf("  %-15s %10s %9s %14s %18s %14s\n", "", "pairs", "relative", "any wrong",
              "wrong regressions", "wrong passes");
  for (std::size_t k = 0; k < kProcedures.size(); ++k) {
    const Tally& tally = tallies[k];
    std::printf("  %-15s %10.0f %9.3f %12.2f %% %16.3f %% %12.3f %%", kNames[k], tally.pairs / n,
                tally.pairs / tallies[0].pairs, 100 * static_cast<double>(tally.with_errors) / n,
                100 * tally.wrong_regressions / n, 100 * tally.wrong_passes / n);
    std::printf(tally.open > 0 ? "  %.1f open\n" : "\n", tally.open / n);
  }
  // One standard error of a mean share is at most half, over the root of the number.
  const double error = 4 * std::sqrt(scenario.alpha / 2 / n);
  const bool family = !TooMany(tallies[1].with_errors, repetitions, scenario.alpha);
  const bool fdr = tallies[3].wrong_regressions / n <= scenario.alpha / 2 + error &&
                   tallies[3].wrong_passes / n <= scenario.alpha / 2 + error;
  if (!family) std::printf("  out of its band: any wrong verdict of holm\n");
  if (!fdr) std::printf("  out of its band: wrong share of fdr\n");
  return family && fdr;
}

/// The price of a pass at the confidence `confidence`, of one gate at alpha 1 %.
struct PassTally {
  std::uint64_t false_regressions = 0;
  std::uint64_t false_passes = 0;
  double pairs = 0;
};

/// Watches one gate until a verdict. Returns whether it passed; nothing at the end without one.
template <typename Take>
void Watch(const SequentialBoundary& lower, const SequentialBoundary& upper, double change,
           double last, Normals& normals, Take take) {
  double sum = 0;
  for (double n = 1; n <= last; ++n) {
    sum += kMarginInSpreads * (change - 1) + normals.Next();
    if (n < kFirstLook) continue;
    const double z = sum / std::sqrt(n);
    if (z > lower.ZAtInformation(n)) return take(Verdict::kRegression, n);
    if (-z > upper.ZAtInformation(n)) return take(Verdict::kPass, n);
  }
  take(Verdict::kUndecided, last);
}

void TellPrice(std::uint64_t repetitions, std::uint64_t seed) {
  constexpr double kAlpha = 0.01;
  constexpr std::array kConfidences{0.995, 0.99, 0.95, 0.9};
  std::printf("one gate, alpha 1 %%, by the confidence of a pass, %llu comparisons each\n",
              static_cast<unsigned long long>(repetitions));
  std::printf("  %-12s %22s %9s %28s %23s\n", "confidence", "pairs without a change", "relative",
              "false regressions at margin", "false passes at margin");
  const auto n = static_cast<double>(repetitions);
  double first = 0;
  for (const double confidence : kConfidences) {
    const auto boundary = [](double alpha) {
      return SequentialBoundary::Robbins(alpha, static_cast<std::uint64_t>(kFirstLook)).value();
    };
    const SequentialBoundary lower = boundary(kAlpha);
    const SequentialBoundary upper = boundary(2 * (1 - confidence));
    PassTally tally;
    for (std::uint64_t i = 0; i < repetitions; ++i) {
      Normals unchanged(seed, 2 * i);
      Watch(lower, upper, 0, 10'000, unchanged,
            [&tally](Verdict, double pairs) { tally.pairs += pairs; });
      Normals at_margin(seed, 2 * i + 1);
      Watch(lower, upper, 1, 1000, at_margin, [&tally](Verdict verdict, double) {
        if (verdict == Verdict::kRegression) ++tally.false_regressions;
        if (verdict == Verdict::kPass) ++tally.false_passes;
      });
    }
    if (first == 0) first = tally.pairs;
    std::printf("  %-10g %% %22.1f %9.3f %26.2f %% %21.2f %%\n", 100 * confidence, tally.pairs / n,
                tally.pairs / first, 100 * static_cast<double>(tally.false_regressions) / n,
                100 * static_cast<double>(tally.false_passes) / n);
  }
}

struct CommandLine {
  std::uint64_t repetitions = 1000;
  std::uint64_t seed = 1;
  bool check = false;
};

bool ReadNumber(const char* text, std::uint64_t& number) {
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  return error == std::errc() && rest == end && rest != text;
}

bool Read(std::span<char* const> words, CommandLine& line) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool has_value = i + 1 < words.size();
    if (word == "--check") {
      line.check = true;
    } else if (word == "--repetitions" && has_value) {
      if (!ReadNumber(words[++i], line.repetitions)) return false;
    } else if (word == "--seed" && has_value) {
      if (!ReadNumber(words[++i], line.seed)) return false;
    } else {
      return false;
    }
  }
  return line.repetitions >= kFewestRepetitions;
}

}  // namespace
}  // namespace benchd

int main(int count, char** words) {
  using namespace benchd;
  CommandLine line;
  if (!Read(std::span(words, static_cast<std::size_t>(count)).subspan(1), line)) {
    std::fprintf(stderr, "usage: gates [--repetitions N (20 or more)] [--seed S] [--check]\n");
    return 2;
  }
  TellPrice(10 * line.repetitions, line.seed);
  bool within = true;
  for (const Scenario& scenario : kScenarios) {
    Tallies tallies{};
    for (std::uint64_t i = 0; i < line.repetitions; ++i) {
      Follow(scenario, SplitMix64(line.seed, i).Next(), tallies);
    }
    within = Tell(scenario, tallies, line.repetitions) && within;
  }
  return line.check && !within ? 1 : 0;
}
