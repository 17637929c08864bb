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
  /// The arms' shapes differ: docs/statistics.md section 3 promises less than alpha.
  bool beyond_promise() const { return base != candidate; }
  /// For one pair's log ratio, to first order.
  double variance() const {
    return base_variation * base_variation + candidate_variation * candidate_variation;
  }
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
  double MachineFactor();

  const Family* family_;
  RandomStream random_;
  double effect_;
  double spare_normal_ = 0;
  bool has_spare_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t step_block_ = 0;
  double log_factor_ = 0;
};

}  // namespace benchd::validity
