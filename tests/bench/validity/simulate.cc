#include "tests/bench/validity/simulate.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "daemon/session/schedule.h"
#include "tests/bench/validity/repeat.h"

namespace benchd::validity {
namespace {

constexpr std::uint64_t kPairsOfErrors = 1000;
constexpr std::size_t kFirstSuite = 16;

constexpr std::array kSuiteScenarios{
    SuiteScenario{"all at the margin", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, kPairsOfErrors},
    SuiteScenario{"one at the margin", {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, kPairsOfErrors},
    SuiteScenario{"seven equal, 1/2, 2, 4", {0.5, 2, 4, 0, 0, 0, 0, 0, 0, 0}, kLastLook},
};

// One random stream for each comparison of the whole bench, regardless of --only.
std::uint64_t StreamOf(const Family& family, std::size_t scenario, std::size_t gate,
                       std::uint64_t repetition) {
  const auto number = static_cast<std::uint64_t>(&family - Families().data());
  return number << 56U | std::uint64_t{scenario} << 48U | std::uint64_t{gate} << 40U | repetition;
}

struct Scenario {
  std::size_t number;
  double effect;
  double margin;
  std::uint64_t last;
};

std::vector<Tally> SimulateComparisons(const Options& options, const Family& family,
                                       const Scenario& scenario, std::span<const Rule> rules) {
  const auto body = [&](std::uint64_t repetition, std::vector<Tally>& tallies) {
    BlockSource source(family, options.seed, StreamOf(family, scenario.number, 0, repetition),
                       scenario.effect);
    Watch watch(rules, scenario.margin);
    while (watch.open() && watch.pairs() < scenario.last) watch.Add(source.Next());
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const Outcome& outcome = watch.outcomes()[i];
      tallies[i].Add(outcome.decision, outcome.open ? watch.pairs() : outcome.pairs);
    }
  };
  return Repeat(options.repetitions, options.threads, std::vector<Tally>(rules.size()), body);
}

std::vector<Rule> SequentialRules(std::span<const Level> levels) {
  std::vector<Rule> rules;
  for (const Level& level : levels) {
    for (Method method : SequentialMethods()) rules.push_back({method, &level});
  }
  return rules;
}

std::vector<Tally> Part(const std::vector<Tally>& tallies, std::size_t level) {
  const auto count = static_cast<std::ptrdiff_t>(SequentialMethods().size());
  const auto begin = tallies.begin() + count * static_cast<std::ptrdiff_t>(level);
  return {begin, begin + count};
}

void SimulateFamily(const Options& options, const Family& family, std::span<const Level> levels,
                    std::span<FamilyResult> results) {
  const std::vector<Rule> rules = SequentialRules(levels);
  const std::vector<Tally> equal =
      SimulateComparisons(options, family, {0, 0, 0, kPairsOfErrors}, rules);
  const std::vector<Tally> at_margin =
      SimulateComparisons(options, family, {1, kMargin, kMargin, kPairsOfErrors}, rules);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    results[level].family = &family;
    results[level].alpha = levels[level].alpha();
    results[level].equal = Part(equal, level);
    results[level].at_margin = Part(at_margin, level);
  }
  for (std::size_t e = 0; e < kEffects.size(); ++e) {
    const double effect = kEffects[e] * kMargin;
    std::vector<Rule> with_oracle = rules;
    std::uint64_t most = 0;
    for (const Level& level : levels) {
      const std::uint64_t pairs = OraclePairs(level.alpha(), effect, kMargin, family.variance());
      with_oracle.push_back({Method::kOracle, &level, pairs});
      most = std::max(most, pairs);
    }
    if (most > kMostOraclePairs) {
      for (FamilyResult& result : results) result.effects[e].resize(SequentialMethods().size());
      continue;
    }
    const std::vector<Tally> tallies =
        SimulateComparisons(options, family, {2 + e, effect, kMargin, kLastTimedLook}, with_oracle);
    for (std::size_t level = 0; level < levels.size(); ++level) {
      results[level].effects[e] = Part(tallies, level);
      results[level].oracle[e] = tallies[rules.size() + level];
      results[level].oracle_pairs[e] = with_oracle[rules.size() + level].oracle_pairs;
    }
  }
}

// One session: benchmarks without a verdict get blocks in turn. The daemon prefers those nearest to
// their verdict (tests/bench/suites.cc simulates that), but the blocks of a gate are the same.
void RunSession(const SuiteScenario& scenario, const Rule& rule, std::vector<BlockSource> sources,
                SuiteTally& tally) {
  const std::span<const Rule> rules(&rule, 1);
  std::vector<Watch> watches(kGates, Watch(rules, kMargin));
  // No benchmark reaches that minimum, so they take turns.
  std::vector<BenchmarkOutlook> outlooks(kGates, {.minimum = kLastLook});
  std::uint64_t left = scenario.pairs_per_gate * kGates;
  std::size_t open = kGates;
  while (open > 0 && left > 0) {
    const std::size_t gate = NextBenchmark(outlooks);
    ++outlooks[gate].blocks;
    --left;
    watches[gate].Add(sources[gate].Next());
    outlooks[gate].open = watches[gate].open() && outlooks[gate].blocks < kLastLook;
    open -= outlooks[gate].open ? 0 : 1;
  }
  bool false_regression = false;
  bool false_pass = false;
  bool decided = true;
  for (std::size_t gate = 0; gate < kGates; ++gate) {
    const LookDecision decision = watches[gate].outcomes()[0].decision;
    const double effect = scenario.effects[gate];
    false_regression |= decision == LookDecision::kRegression && effect <= 1;
    false_pass |= decision == LookDecision::kPass && effect >= 1;
    decided &= decision != LookDecision::kContinue;
  }
  ++tally.repetitions;
  tally.false_regressions += false_regression;
  tally.false_passes += false_pass;
  tally.decided += decided;
  std::uint64_t sum = 0;
  std::uint64_t most = 0;
  for (const BenchmarkOutlook& outlook : outlooks) {
    sum += outlook.blocks;
    most = std::max(most, outlook.blocks);
  }
  tally.open_only.Add(LookDecision::kContinue, sum);
  tally.all_to_the_end.Add(LookDecision::kContinue, kGates * most);
}

std::optional<double> OraclePairsPerGate(const Family& family, const SuiteScenario& scenario,
                                         double alpha) {
  double sum = 0;
  for (double effect : scenario.effects) {
    if (effect == 1) return std::nullopt;
    sum += static_cast<double>(OraclePairs(alpha, effect * kMargin, kMargin, family.variance()));
  }
  return sum / kGates;
}

SuiteResult SimulateSuite(const Options& options, const Family& family, std::size_t scenario_index,
                          double alpha, const Level& gate_level) {
  const SuiteScenario& scenario = kSuiteScenarios[scenario_index];
  const std::array rules{Rule{Method::kPaired, &gate_level}, Rule{Method::kClassic, &gate_level}};
  const auto body = [&](std::uint64_t repetition, std::vector<SuiteTally>& tallies) {
    std::vector<BlockSource> sources;
    for (std::size_t gate = 0; gate < kGates; ++gate) {
      sources.emplace_back(family, options.seed,
                           StreamOf(family, kFirstSuite + scenario_index, gate, repetition),
                           scenario.effects[gate] * kMargin);
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
      RunSession(scenario, rules[i], sources, tallies[i]);
    }
  };
  const std::vector<SuiteTally> tallies = Repeat(options.suite_repetitions, options.threads,
                                                 std::vector<SuiteTally>(rules.size()), body);
  return {&family,    &scenario,  alpha,
          tallies[0], tallies[1], OraclePairsPerGate(family, scenario, alpha / kGates)};
}

Result<std::vector<Level>> MakeLevels(const std::vector<double>& alphas, double gates) {
  std::vector<Level> levels;
  for (double alpha : alphas) {
    Result<Level> level = Level::Make(alpha / gates, kFirstLook);
    if (!level) return std::move(level).error();
    levels.push_back(*std::move(level));
  }
  return levels;
}

}  // namespace

Result<std::vector<const Family*>> Chosen(const Options& options, std::span<const Family> known) {
  std::vector<const Family*> chosen;
  std::string names;
  for (const Family& family : known) {
    if (!options.only || *options.only == family.name) chosen.push_back(&family);
    names += (names.empty() ? "" : ", ") + std::string(family.name);
  }
  if (chosen.empty())
    return InvalidArgument("--only", "there is no such family", "one of: " + names);
  return chosen;
}

std::span<const SuiteScenario> SuiteScenarios() { return kSuiteScenarios; }

void Tally::Add(LookDecision decision, std::uint64_t used) {
  ++repetitions;
  regressions += decision == LookDecision::kRegression;
  passes += decision == LookDecision::kPass;
  pairs += used;
  squared_pairs += used * used;
}

Tally& Tally::operator+=(const Tally& other) {
  repetitions += other.repetitions;
  regressions += other.regressions;
  passes += other.passes;
  pairs += other.pairs;
  squared_pairs += other.squared_pairs;
  return *this;
}

double Tally::MeanPairs() const {
  return static_cast<double>(pairs) / static_cast<double>(repetitions);
}

double Tally::MeanPairsError() const {
  const auto n = static_cast<double>(repetitions);
  const double mean = MeanPairs();
  return std::sqrt(std::max(0.0, static_cast<double>(squared_pairs) / n - mean * mean) / n);
}

double ShareError(std::uint64_t count, std::uint64_t repetitions) {
  const auto n = static_cast<double>(repetitions);
  const double share = static_cast<double>(count) / n;
  return std::sqrt(share * (1 - share) / n);
}

SuiteTally& SuiteTally::operator+=(const SuiteTally& other) {
  repetitions += other.repetitions;
  false_regressions += other.false_regressions;
  false_passes += other.false_passes;
  decided += other.decided;
  open_only += other.open_only;
  all_to_the_end += other.all_to_the_end;
  return *this;
}

Result<Results> Simulate(const Options& options) {
  Result<std::vector<const Family*>> families = Chosen(options, Families());
  if (!families) return std::move(families).error();
  Result<std::vector<Level>> levels = MakeLevels(options.alphas, 1);
  if (!levels) return std::move(levels).error();
  Result<std::vector<Level>> gate_levels = MakeLevels(options.alphas, kGates);
  if (!gate_levels) return std::move(gate_levels).error();

  Results results;
  results.families.resize(levels->size() * families->size());
  for (std::size_t f = 0; f < families->size(); ++f) {
    std::vector<FamilyResult> by_level(levels->size());
    SimulateFamily(options, *(*families)[f], *levels, by_level);
    for (std::size_t level = 0; level < levels->size(); ++level) {
      results.families[level * families->size() + f] = std::move(by_level[level]);
    }
  }
  if (!options.suites) return results;
  for (std::size_t level = 0; level < gate_levels->size(); ++level) {
    for (const Family* family : *families) {
      if (!family->in_suites && !options.only) continue;
      for (std::size_t scenario = 0; scenario < kSuiteScenarios.size(); ++scenario) {
        results.suites.push_back(SimulateSuite(options, *family, scenario, options.alphas[level],
                                               (*gate_levels)[level]));
      }
    }
  }
  return results;
}

}  // namespace benchd::validity
