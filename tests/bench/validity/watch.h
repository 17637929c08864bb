#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"
#include "core/stats/exact_t.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"
#include "tests/bench/validity/noise.h"

namespace benchd::validity {

/// n0 of the daemon's sequential methods; N of the horizon method; no values are drawn beyond the
/// last look.
inline constexpr std::uint64_t kFirstLook = 8;
inline constexpr std::uint64_t kHorizonPairs = 1000;
inline constexpr std::uint64_t kLastLook = 10'000;
/// The last look of the comparisons that are timed: six times the default's mean at half a margin.
inline constexpr std::uint64_t kLastTimedLook = 5'000;
/// The P of kQuantile.
inline constexpr double kWatchedQuantile = 0.1;
/// Beyond it, one cut of the signed-rank law costs more than everything else.
inline constexpr std::uint64_t kLastRankLook = 2'000;

/// The deciding methods, all from benchd except the unguarded and the linear one and the last two.
enum class Method {
  kPaired,
  kPairedUnguarded,  ///< `paired` without its skewness guard, to show what the guard does
  /// `paired` with D = c - (1 + margin) b in place of the log ratio: the same guard and boundary,
  /// but the decision does not depend on a linearisation of the logarithm.
  kLinear,
  kHorizon,
  kExactT,
  kHodgesLehmann,  ///< the typical change, by its own geometric looks; ends at kLastRankLook
  kMedian,         ///< of the pairs' log ratios; also the typical change
  kQuantile,       ///< the arms' kWatchedQuantile-quantiles, by geometric looks
  kLognormalMean,  ///< assumes that the arms of the pairs are independent; not offered watched
  kPrecision,      ///< `paired`, until its interval is shorter than Rule::width
  kWelch,          ///< unpaired; a random bit assigns its runs to an arm
  kClassic,        ///< the peeking loop: Welch's interval for one look, taken after every run
  kOracle,         ///< one look, at the number of pairs that is optimal for the known effect
};

inline constexpr std::size_t kMethods = static_cast<std::size_t>(Method::kOracle) + 1;

std::string_view NameOf(Method method);
/// In the order of the main tables' columns; without kOracle, which needs a known effect.
std::span<const Method> SequentialMethods();
/// Whether the method estimates the typical change, which differs from that of the means if the
/// arms' laws differ in shape.
bool AsksForTypicalChange(Method method);

/// The quantities of a level that all comparisons share, so that a look computes no quantile.
///
/// Immutable and therefore thread-safe.
class Level {
 public:
  /// @param first_look  n0 of all methods.
  /// @errors kInvalidArgument for an alpha that one of the boundaries refuses.
  static Result<Level> Make(double alpha, std::uint64_t first_look);

  double alpha() const { return alpha_; }
  std::uint64_t first_look() const { return robbins_.first_look(); }
  const SequentialBoundary& robbins() const { return robbins_; }
  /// The default's boundary at n pairs, first_look() <= n <= kLastLook.
  double RobbinsT(std::uint64_t n) const { return robbins_t_[n]; }
  /// As above for n <= kHorizonPairs.
  double HorizonT(std::uint64_t n) const { return horizon_t_[n]; }
  double ExactT(std::uint64_t n) const { return exact_t_[n]; }
  /// For the Walsh averages at n <= kLastRankLook; 0 if there is no look or no interval.
  std::uint64_t RankCut(std::uint64_t n) const { return rank_cut_[n]; }
  /// For the pairs' values at n <= kLastTimedLook; 0 if there is no interval.
  std::uint64_t MedianCutAt(std::uint64_t n) const { return median_cut_[n]; }
  /// The normal quantile of alpha / 2, which is below every t of one look.
  double fixed_z() const { return fixed_z_; }

 private:
  Level(double alpha, const SequentialBoundary& robbins, const SequentialBoundary& horizon,
        const ExactTBoundary& exact);

  double alpha_;
  SequentialBoundary robbins_;
  double fixed_z_;
  std::vector<double> robbins_t_;
  std::vector<double> horizon_t_;
  std::vector<double> exact_t_;
  std::vector<std::uint64_t> rank_cut_;
  std::vector<std::uint64_t> median_cut_;
};

/// The smallest number of pairs at which one look at `alpha` finds `effect` with a power of 90 %,
/// for known effect and spread: n = v (t_{alpha/2} + t_{0.1})^2 / delta^2, n - 1
/// degrees of freedom, delta the distance of `effect` from `margin` on the log scale, v the
/// variance of a pair's log ratio.
std::uint64_t OraclePairs(double alpha, double effect, double margin, double variance);

/// One method at one level, in one comparison.
struct Rule {
  Method method = Method::kPaired;
  const Level* level = nullptr;
  std::uint64_t oracle_pairs = 0;  ///< of kOracle
  double width = 0;                ///< of kPrecision, of the relative change
  /// Of kPaired: the level of the upper end, which establishes a pass; nullptr: that of `level`.
  const Level* pass_level = nullptr;
};

struct Outcome {
  LookDecision decision = LookDecision::kContinue;
  std::uint64_t pairs = 0;  ///< at the decision, or at the end without a verdict
  bool open = true;
};

/// The position of the interval of HodgesLehmann() relative to `threshold`, by its cut and counts.
///
/// W_(q) > threshold means that fewer than q averages are at or below it: one count instead of
/// selecting four order statistics. `sorted` are the pairs' values, ascending.
LookDecision DecideByCounts(std::span<const double> sorted, std::uint64_t cut, double threshold);

/// One comparison watched by several rules at once: the first verdict of each is kept.
class Watch {
 public:
  /// @param margin  relative, >= 0; 0 asks whether the interval ever excludes equality.
  Watch(std::span<const Rule> rules, double margin);

  void Add(const Block& block);
  /// Whether any rule is still without its verdict.
  bool open() const { return open_ > 0; }
  std::uint64_t pairs() const { return pairs_; }
  /// One result per rule, in order.
  std::span<const Outcome> outcomes() const { return outcomes_; }

 private:
  /// Open rules of that method: quantities that no rule waits for are not computed.
  std::size_t& Waiting(Method method) { return waiting_[static_cast<std::size_t>(method)]; }
  void Decide(std::size_t rule, LookDecision decision);
  void LookAtPairs();
  LookDecision PairedLook(const Rule& rule, const CentredMoments& moments,
                          const PairedEstimate& estimate) const;
  LookDecision RankLook(const Level& level) const;
  LookDecision MedianLook(const Level& level) const;
  LookDecision QuantileLook(const Level& level) const;
  LookDecision LognormalLook(const Level& level) const;
  void LookForWidth(std::size_t rule, const PairedEstimate& estimate);
  void AddRun(bool candidate, double value);
  void AddCoinRun(const CoinRun& run);

  std::span<const Rule> rules_;
  double margin_;
  double threshold_;
  std::uint64_t pairs_ = 0;
  std::size_t open_;
  std::array<std::size_t, kMethods> waiting_{};
  PairedMoments moments_;
  Moments base_, candidate_;            // in the order of the block, for kClassic
  Moments coin_base_, coin_candidate_;  // for kWelch
  Moments log_base_, log_candidate_;    // for kLognormalMean
  std::vector<double> sorted_;          // log ratios of the pairs, for kHodgesLehmann and kMedian
  std::vector<double> sorted_base_, sorted_candidate_;  // for kQuantile
  std::vector<Outcome> outcomes_;
};

}  // namespace benchd::validity
