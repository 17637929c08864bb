#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/function_counts.h"
#include "core/model/explanation.h"

namespace benchd {

/// A function in one arm or in both, by its numbers in the FunctionTable.
struct MatchedFunction {
  static constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t reference = kAbsent;
  std::uint32_t candidate = kAbsent;
};

/// How each variant of a function was seen in the runs of an arm: kSeenOwn, kSeenInlined, both, or
/// 0 if it was not seen.
using SeenVariants = std::vector<std::uint8_t>;

/// Finds the functions of a reference in a candidate that may be built from other source.
///
/// A function is the same if it has the same name. Of functions that only one of the two arms has,
/// two are taken for the same if their names without the source file are equal or, failing that,
/// their names without template arguments or without parameters and return type. No other function
/// of either arm may have that name then. A function of which only the address is known is never
/// guessed, and is left out if only one arm has it.
class FunctionMatcher {
 public:
  /// The table must outlive it and may not grow meanwhile.
  explicit FunctionMatcher(const FunctionTable& table);

  /// Returns every function that was seen, once, except unnamed ones that only one arm has.
  std::vector<MatchedFunction> Match(const SeenVariants& reference,
                                     const SeenVariants& candidate) const;

  /// Fills in the names of a function, and in which arms it was seen.
  void Describe(const MatchedFunction& function, const SeenVariants& reference,
                const SeenVariants& candidate, FunctionChange& change) const;

 private:
  static constexpr std::size_t kGuesses = 3;
  void Guess(std::size_t guess, std::span<const std::uint8_t> reference,
             std::span<const std::uint8_t> candidate, std::vector<MatchedFunction>& found,
             std::vector<bool>& taken) const;
  std::vector<std::uint8_t> FunctionsOf(const SeenVariants& seen) const;
  std::string NameIn(std::uint32_t function, const SeenVariants& seen) const;
  bool ShareAVariant(std::uint32_t function, const SeenVariants& a, const SeenVariants& b) const;

  const FunctionTable& table_;
  /// What is left of each function's name: without the source file (of which two functions of one
  /// program may have the same name), without template arguments, and qualified.
  std::array<std::vector<std::string>, kGuesses> left_;
};

}  // namespace benchd
