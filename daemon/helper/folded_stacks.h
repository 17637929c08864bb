#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/run.h"

namespace benchd {

/// The names of functions in the stacks of a run, each once.
class NamePool {
 public:
  std::uint32_t IndexOf(const std::string& name);
  const std::string& operator[](std::uint32_t index) const { return *names_[index]; }

 private:
  std::unordered_map<std::string, std::uint32_t> indices_;
  std::vector<const std::string*> names_;  // the keys of indices_, which do not move
};

/// Functions by their index in a NamePool, the outermost first.
using NamedStack = std::vector<std::uint32_t>;

/// What a stack stands for, by wire::ProfileEventKind: the number of samples of kTime, and the
/// number of events of the others.
using KindValues = std::array<std::uint64_t, 3>;

/// The stacks of a run and how often each was sampled. Pure.
class FoldedStacks {
 public:
  /// The maximum number of functions in a stack. Of a deeper one, the innermost are kept.
  static constexpr std::size_t kMostFrames = 127;
  /// The maximum number of different stacks in the samples of a run, and of their bytes in the
  /// answer of benchd-helper. The answer must fit into kHelperAnswerBytes
  /// (launch/helper_process.h).
  static constexpr std::size_t kMostStacks = 5000;
  static constexpr std::size_t kMostBytes = std::size_t{4} * 1024 * 1024;
  /// The same of the stacks that are reduced to their innermost function.
  static constexpr std::size_t kMostShort = 5000;
  static constexpr std::size_t kMostShortBytes = std::size_t{1} * 1024 * 1024;

  /// Adds samples of a stack.
  void Add(NamedStack stack, const KindValues& values);

  /// Returns one sample per stack and metric (model/profile.h), the most frequent stacks first.
  /// Stacks beyond the limits are reduced to their innermost function, "[other];read_line", so that
  /// the time of functions themselves is complete. If these are too many, "[other]" remains.
  std::vector<Sample> Samples(const NamePool& names) const;

 private:
  struct HashOfStack {
    std::size_t operator()(const NamedStack& stack) const;
  };

  KindValues Totals() const;

  std::unordered_map<NamedStack, KindValues, HashOfStack> stacks_;
};

/// Returns a hash of a list of numbers.
std::size_t HashOfNumbers(const std::vector<std::uint32_t>& numbers);

}  // namespace benchd
