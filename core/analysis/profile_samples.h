#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/model/run.h"

namespace benchd {

/// Returns the runs without the samples of their profile (IsOfProfile()): what the statistics of a
/// session see.
std::vector<Run> WithoutProfile(std::span<const Run> runs);

/// What takes the place of the callers of a stack that is too many, and of a function.
inline constexpr std::string_view kOtherFunctions = "[other]";

/// Bounds the number of different stacks of a session, which the store keeps in memory by name.
///
/// The first kMostStacks stacks, of at most kMostBytes together, stay as they are. Each further one
/// is reduced to its innermost function: "[other];read_line". The time of functions themselves is
/// therefore complete, and only that of their callers is too low. If there are too many of these as
/// well, "[other]" remains.
///
/// The result depends only on the runs and their order. Owned by one session.
class StackBudget {
 public:
  static constexpr std::size_t kMostStacks = 100'000;
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
  /// The number of stacks that may be named in addition, by their innermost function.
  static constexpr std::size_t kMostShort = 20'000;
  static constexpr std::size_t kLongestShort = 1024;

  /// Shortens the stacks of a block, and adds up those of a run that are then equal. A block that
  /// it has returned stays the same, whether it comes again live or from the store.
  void Apply(std::vector<Run>& block);

 private:
  void ApplyTo(Run& run);
  bool Shorten(Sample& sample);

  std::unordered_set<std::size_t> known_;  // hashes of metric and stack
  std::size_t stacks_ = 0;                 // number of whole stacks that are known
  std::size_t bytes_ = 0;
};

}  // namespace benchd
