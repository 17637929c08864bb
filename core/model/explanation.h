#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/comparison.h"

/// The result of a session whose runs were sampled (model/profile.h): the functions that changed.
namespace benchd {

/// In which arms a function was seen. kInlined: as a function of its own in the reference, and only
/// inlined into others in the candidate; kOutlined: the reverse.
enum class Presence { kBoth, kNew, kGone, kInlined, kOutlined };
BENCHD_NAMES(Presence, "both", "new", "gone", "inlined", "outlined")

/// What a function costs in a run of each arm, and the difference. All times are seconds of CPU
/// time per run: the function's share of the samples of a run, multiplied by the user time of the
/// run. The system time is that of a function "[kernel]", because the kernel is not sampled.
struct FunctionChange {
  std::string function;
  /// Its name in the reference, if it is another one. The two were then matched by a guess: without
  /// source file, template arguments, parameters and return type, or without the suffixes of the
  /// compiler's clones.
  std::string matched;
  Presence presence = Presence::kBoth;
  double self_reference = 0;  ///< in the function itself
  double self_candidate = 0;
  /// candidate - reference. Without ends if the function itself has too few samples to be compared,
  /// because it only calls others.
  Effect self;
  double total_reference = 0;  ///< with everything that it calls; recursion counts once
  double total_candidate = 0;
  Effect total;  ///< like `self`
  /// Whether the change of `self` is established: Holm's step-down over all functions. An end of
  /// the interval of `self` is then cut at zero if it lies beyond.
  bool changed = false;
  /// The retired instructions of the function itself in a run; only if the CPU counts them.
  std::optional<double> instructions_reference;
  std::optional<double> instructions_candidate;
  std::optional<double> cache_misses_reference;
  std::optional<double> cache_misses_candidate;
  bool operator==(const FunctionChange&) const = default;
};
BENCHD_FIELDS(FunctionChange, function, matched, presence, self_reference, self_candidate, self,
              total_reference, total_candidate, total, changed, instructions_reference,
              instructions_candidate, cache_misses_reference, cache_misses_candidate)

/// The maximum number of functions that an explanation lists.
inline constexpr std::size_t kMostFunctions = 200;

/// Where the CPU time of a candidate differs from that of a reference.
struct Explanation {
  std::string benchmark;
  std::string reference;
  std::string candidate;
  /// The number of blocks, or of builds of each group (kLayouts), without those that lack samples.
  std::uint64_t blocks = 0;
  std::uint64_t samples_reference = 0;
  std::uint64_t samples_candidate = 0;
  std::uint64_t lost = 0;        ///< number of samples lost, in both arms
  double seconds_reference = 0;  ///< mean CPU time of a run
  double seconds_candidate = 0;
  Effect change;                 ///< of the CPU time of a run, in seconds; at the session's level
  double explained_seconds = 0;  ///< sum of the changes of `self` of the functions that changed
  /// `explained_seconds` divided by the change; absent if the interval of the change contains zero.
  std::optional<double> explained;
  /// The probability with which all intervals of functions, and all that changed, are right
  /// together.
  double confidence = 0;
  std::uint64_t compared = 0;  ///< number of functions whose `self` is compared
  /// The functions by the size of the change of `self`, those that changed first; at most
  /// kMostFunctions.
  std::vector<FunctionChange> functions;
  /// The seconds of all functions that are too rare to be compared (analysis/pair_explanation.h),
  /// or whose address alone is known and which only one arm has.
  double rest_reference = 0;
  double rest_candidate = 0;
  /// The share of the samples of both arms in functions without a name.
  double unnamed = 0;
  /// The CPU time of a run in the kernel, if that was not sampled: the samples stand for the rest.
  double kernel_reference = 0;
  double kernel_candidate = 0;
  std::uint64_t left_out = 0;  ///< number of compared functions that `functions` lacks
  bool operator==(const Explanation&) const = default;
};
BENCHD_FIELDS(Explanation, benchmark, reference, candidate, blocks, samples_reference,
              samples_candidate, lost, seconds_reference, seconds_candidate, change,
              explained_seconds, explained, confidence, compared, functions, rest_reference,
              rest_candidate, unnamed, kernel_reference, kernel_candidate, left_out)

}  // namespace benchd
