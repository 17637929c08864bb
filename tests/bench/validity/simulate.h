#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tests/bench/validity/watch.h"

namespace benchd::validity {

struct Options {
  std::uint64_t repetitions = 20'000;
  std::uint64_t suite_repetitions = 20'000;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::vector<double> alphas{0.05, 0.01};
  std::optional<std::string_view> only;  ///< the name of a family
  bool suites = true;
};

/// The families among `known` that the options select.
///
/// @errors kInvalidArgument if there is no such family.
Result<std::vector<const Family*>> Chosen(const Options& options, std::span<const Family> known);

/// The outcomes of the repetitions of one cell of a table. Integers only, so that the order in
/// which threads add them cannot matter.
struct Tally {
  std::uint64_t repetitions = 0;
  std::uint64_t regressions = 0;
  std::uint64_t passes = 0;
  std::uint64_t pairs = 0;
  std::uint64_t squared_pairs = 0;

  void Add(LookDecision decision, std::uint64_t used);
  Tally& operator+=(const Tally& other);
  std::uint64_t decided() const { return regressions + passes; }
  double MeanPairs() const;
  double MeanPairsError() const;
};

/// The Monte-Carlo standard error of a share counted as `count` of `repetitions`.
double ShareError(std::uint64_t count, std::uint64_t repetitions);

/// True changes whose verdicts are timed, in margins; the oracle knows them.
inline constexpr std::array kEffects{0.0, 0.5, 1.5, 2.0, 4.0};

/// Effects that take the oracle longer are not timed.
inline constexpr std::uint64_t kMostOraclePairs = kLastTimedLook / 3;

/// One family at one level. The arrays of tallies are indexed as SequentialMethods().
struct FamilyResult {
  const Family* family = nullptr;
  double alpha = 0;
  std::vector<Tally> equal;      ///< equal arms, margin 0: did an interval ever exclude equality?
  std::vector<Tally> at_margin;  ///< the true change is the margin: either verdict is wrong
  /// Without repetitions if the oracle needs more than kMostOraclePairs: few comparisons would end.
  std::array<std::vector<Tally>, kEffects.size()> effects;
  std::array<Tally, kEffects.size()> oracle;
  std::array<std::uint64_t, kEffects.size()> oracle_pairs{};
};

inline constexpr std::size_t kGates = 10;

/// The true changes of ten gates, in margins.
struct SuiteScenario {
  std::string_view name;
  std::array<double, kGates> effects;
  std::uint64_t pairs_per_gate;  ///< times kGates: the total that the open gates share
};
std::span<const SuiteScenario> SuiteScenarios();

/// The sessions of one suite under one method.
struct SuiteTally {
  std::uint64_t repetitions = 0;
  std::uint64_t false_regressions = 0;  ///< sessions with at least one
  std::uint64_t false_passes = 0;
  std::uint64_t decided = 0;  ///< sessions in which every gate was decided
  /// For all gates together: as used, and if every benchmark ran until the last verdict.
  Tally open_only;
  Tally all_to_the_end;

  SuiteTally& operator+=(const SuiteTally& other);
};

struct SuiteResult {
  const Family* family = nullptr;
  const SuiteScenario* scenario = nullptr;
  double alpha = 0;  ///< of the session; each gate has a tenth
  SuiteTally paired;
  SuiteTally classic;
  std::optional<double> oracle_pairs;  ///< per gate; absent if a gate has none
};

struct Results {
  std::vector<FamilyResult> families;  ///< by level, then by family
  std::vector<SuiteResult> suites;
};

/// Runs everything that the options select; `threads` never changes a number.
///
/// @errors kInvalidArgument for a level that a boundary refuses, or an unknown family.
Result<Results> Simulate(const Options& options);

}  // namespace benchd::validity
