#pragma once

#include <cstdint>

namespace benchd {

/// The share of a run that the function of a plan has.
inline constexpr double kUsualShare = 0.1;

/// A question to a session whose runs are sampled: does a function of that size change by that
/// much?
struct ProfileQuestion {
  double seconds = 0;             ///< CPU time of a run, > 0
  double frequency_hz = 1000;     ///< samples per second of CPU time, > 0
  double change = 0;              ///< the change of the function in a run, in seconds, > 0
  double share = kUsualShare;     ///< the function's share of the run, in (0, 1)
  double alpha = 0.01;            ///< 1 - the joint confidence of all functions
  std::uint64_t functions = 100;  ///< the number of functions that are compared, >= 1
  /// The standard deviation of the difference of two runs of a block, relative to their CPU time;
  /// 0 if it is unknown. The function is assumed to have its share of it.
  double relative_sd = 0;
};

/// The minimum number of units of each arm (blocks, or builds) with which a function may be called
/// changed.
inline constexpr std::uint64_t kLeastUnits = 4;

/// The numbers of blocks between which a plan chooses.
inline constexpr std::uint64_t kFewestPlannedBlocks = 10;
inline constexpr std::uint64_t kMostPlannedBlocks = 1000;

struct ProfilePlan {
  std::uint64_t blocks = 0;
  double shown = 0;  ///< the smallest change of the function that so many blocks show, in seconds
  bool enough = false;  ///< whether it is at most the change that was asked for
};

/// Returns the standard deviation of the difference of a function's seconds in a block. The samples
/// are taken to hit the function independently, each with its share as the probability:
///     sd^2 = 2 seconds share (1 - share) / frequency + (share relative_sd seconds)^2
double SdOfFunction(const ProfileQuestion& question);

/// Returns the smallest change of the function that a number of blocks shows: twice the half-width
/// of its interval,
///     2 t sd / sqrt(blocks),  t = the quantile of Student's law with blocks - 1 degrees of freedom
///                                 that is exceeded with probability alpha / (4 functions).
/// The interval of a function with such a change excludes 0 with a probability of nearly 1.
///
/// @param blocks  at least 2
double SmallestShownChange(const ProfileQuestion& question, std::uint64_t blocks);

/// Returns the number of blocks that shows the change: the smallest one from kFewestPlannedBlocks
/// on with SmallestShownChange() <= question.change. If that exceeds the maximum, the plan is the
/// maximum, and not enough.
///
/// @param most_blocks  the number of blocks for which there is time; at least 2 are planned
ProfilePlan PlanProfile(const ProfileQuestion& question,
                        std::uint64_t most_blocks = kMostPlannedBlocks);

}  // namespace benchd
