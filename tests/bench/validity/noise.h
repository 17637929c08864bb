#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "daemon/session/schedule.h"

namespace benchd::validity {

/// The CV of an arm's runs within a block, unless a family differs; the margin of each gate.
inline constexpr double kVariation = 0.05;
inline constexpr double kMargin = 0.02;

/// The law of one run's time on a steady machine; shifted (unless noted) and scaled to the arm's
/// mean and CV.
enum class Shape {
  kNormal,
  kLogNormal,    ///< exp(Z), skewness 6.2
  kGamma,        ///< two exponentials, skewness 1.4
  kBimodalEven,  ///< two equally likely modes, four of their spreads apart
  kBimodalRare,  ///< one run in ten in a mode six spreads above the others
  kExponential,  ///< a fixed time and an exponential one, skewness 2
  kOutlier,      ///< one run in twenty late by an exponential time, its mean five spreads
  kRareSlow,     ///< one run in fifty late by an exponential time, its mean ten spreads
  kRarerSlow,    ///< one run in a hundred, twenty spreads
  kStudent3,     ///< three degrees of freedom: no third moment
  kFromZero,     ///< log-normal from 0 on, not shifted: its CV alone gives the spread of its logs
};

/// The effect of the machine on both arms of a block, as a factor on their times.
enum class Machine {
  kSteady,
  kAutoregressive,  ///< log factor AR(0.9), stationary standard deviation 5 %
  kRandomWalk,      ///< log factor takes a normal step of 1 % before each block
  kTrend,           ///< 30 % slower per 1000 blocks
  kStep,            ///< 20 % slower from a block on that is drawn among the first 1000
  kSine,            ///< a sine of 10 % over the runs, with a period of 2.1 runs: about a block
  kBursts,          ///< every second run is 20 % slower: one of each block
};

/// One kind of data for a method.
struct Family {
  std::string_view name;
  Shape base;
  Shape candidate;
  Machine machine;
  bool in_suites = false;  ///< also simulated in suites of gates, as are families named by --only
  double base_variation = kVariation;
  double candidate_variation = kVariation;
  /// A known limit: an assumption of docs/statistics.md section 3 is broken, or the spread is so
  /// large that the guarantee, which is asymptotic, is not reached.
  bool limit = false;
  double slow_share = 0;   ///< a run is this many times slower with this probability, in either arm
  double slow_factor = 1;  ///< the mean of the arms' runs is then not 1, but the same for both
  double pair_correlation = 0;  ///< of the runs of a block; needs kNormal
  double persistence = 0;       ///< each arm is AR(1) by itself, by block; needs kNormal

  /// The arms' laws differ in more than their mean.
  bool unlike() const { return base != candidate || base_variation != candidate_variation; }
  /// docs/statistics.md section 3 promises less than alpha.
  bool beyond_promise() const { return unlike() || limit; }
  /// Runs of one arm are independent and have no rare slow ones beyond those of their law.
  bool plain() const { return machine == Machine::kSteady && persistence == 0 && slow_share == 0; }
  /// The mean of either arm's runs without an effect; the machine's factor is not included.
  double mean() const { return 1 + slow_share * (slow_factor - 1); }
  /// For one pair's log ratio, to first order.
  double variance() const;
};

std::span<const Family> Families();

/// A run whose arm was drawn at random.
struct CoinRun {
  bool candidate = false;
  double time = 0;
};

/// One complete block: a run of each arm in random order, times in an arbitrary unit.
struct Block {
  double base = 0;
  double candidate = 0;
  bool candidate_first = false;
  std::array<CoinRun, 2> coin;  ///< the runs of an unpaired design in the same time
};

/// An endless comparison whose true relative change is known.
///
/// The same (seed, stream) give the same blocks on every machine and in any thread. A value type.
class BlockSource {
 public:
  /// @param effect  true change: the candidate's times are those of its law times 1 + effect.
  BlockSource(const Family& family, std::uint64_t seed, std::uint64_t stream, double effect);

  Block Next();

 private:
  double Uniform();      // in (0, 1)
  double Normal();       // George Marsaglia's polar method, SIAM Review 6 (1964) 260-264
  double Exponential();  // mean 1
  double Draw(Shape shape);
  double Time(Shape shape, double variation);
  double BaseTime(double machine);
  double CandidateTime(double machine);
  /// Returns a time with the same mean as Time(), for arms that depend on their past or on each
  /// other.
  double DependentTime(double variation, double& state);
  double SlowFactor();
  double MachineFactor();
  /// Returns the machine's factor on the first or the second run of the present block.
  double RunFactor(bool second) const;

  const Family* family_;
  RandomStream random_;
  double effect_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t step_block_ = 0;
  double log_factor_ = 0;
  double base_state_ = 0;  // of AR(1), or of the last base, for `pair_correlation`
  double candidate_state_ = 0;
};

}  // namespace benchd::validity
