#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/run.h"

namespace benchd {

/// The functions of a session, each name once. The compiler's clones of a function are variants of
/// it (function_names.h), and count as the function.
class FunctionTable {
 public:
  /// The maximum number of variants. All further ones are the function kOtherFunctions.
  static constexpr std::size_t kMostVariants = 100'000;

  FunctionTable();

  /// Returns the number of the variant with this name, which becomes known.
  std::uint32_t VariantOf(std::string_view name);

  std::uint32_t FunctionOf(std::uint32_t variant) const { return variants_[variant].function; }
  const std::string& NameOfVariant(std::uint32_t variant) const { return variants_[variant].name; }
  const std::string& NameOf(std::uint32_t function) const { return functions_[function].name; }
  std::span<const std::uint32_t> VariantsOf(std::uint32_t function) const {
    return functions_[function].variants;
  }
  /// Returns the number of kKernelFunction, which is always known.
  static constexpr std::uint32_t kKernel = 0;
  std::size_t functions() const { return functions_.size(); }
  std::size_t variants() const { return variants_.size(); }

 private:
  struct Variant {
    std::string name;
    std::uint32_t function = 0;
  };
  struct Function {
    std::string name;
    std::vector<std::uint32_t> variants;
  };
  std::uint32_t AddVariant(std::string_view name);

  std::deque<Variant> variants_;  // a deque does not move the names, to which the keys refer
  std::deque<Function> functions_;
  std::unordered_map<std::string_view, std::uint32_t> variant_numbers_;
  std::unordered_map<std::string_view, std::uint32_t> function_numbers_;
};

/// How often a function was sampled in one run.
struct FunctionCount {
  std::uint32_t function = 0;
  float self = 0;   ///< as the innermost function
  float total = 0;  ///< anywhere in the stack, once per sample
};

/// A part of the events that a CPU counted in a run: those of one function.
struct FunctionEvents {
  std::uint32_t function = 0;
  double events = 0;
};

/// How a function was seen: in a frame of its own, or inlined into another one.
inline constexpr std::uint8_t kSeenOwn = 1;
inline constexpr std::uint8_t kSeenInlined = 2;

/// The function that has the time of a run in the kernel, if that was not sampled.
inline constexpr std::string_view kKernelFunction = "[kernel]";

/// The profile of one run, without its stacks.
struct RunProfile {
  double seconds = 0;  ///< CPU time
  /// The part of it that the samples represent: in user mode, or all if the kernel was sampled.
  double sampled_seconds = 0;
  double samples = 0;
  double lost = 0;
  double unkept = 0;   ///< those lost because the profile of the run was full
  double unnamed = 0;  ///< samples whose innermost function has no name
  double shallow = 0;  ///< samples with at most two functions, not counting inlined ones
  std::vector<FunctionCount> functions;
  std::vector<FunctionEvents> instructions;  ///< empty if the CPU did not count them
  std::vector<FunctionEvents> cache_misses;
  /// The variants that were seen, and how (kSeenOwn, kSeenInlined).
  std::vector<std::pair<std::uint32_t, std::uint8_t>> seen;
};

/// Counts the functions of runs, one run after the other. Takes time in proportion to the length of
/// the stacks.
class FunctionCounter {
 public:
  explicit FunctionCounter(FunctionTable& table) : table_(table) {}

  RunProfile Count(const Run& run);

 private:
  struct Scratch {
    float self = 0;
    float total = 0;
    std::uint64_t stack = 0;  // the last stack that had the function
  };
  void CountStack(const Sample& sample, RunProfile& profile);
  void CountKernel(const Run& run, RunProfile& profile);
  std::uint32_t See(std::string_view frame, std::size_t& own_frames);
  std::vector<FunctionEvents> EventsOf(const Run& run, std::string_view stacks,
                                       std::string_view metric);

  FunctionTable& table_;
  std::vector<Scratch> by_function_;
  std::vector<std::uint8_t> by_variant_;  // how it was seen in this run
  std::vector<std::uint32_t> functions_;  // those of this run
  std::vector<std::uint32_t> variants_;
  std::uint64_t stack_ = 0;
  bool kernel_sampled_ = false;  // in this run
};

}  // namespace benchd
