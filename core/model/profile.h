#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/fields.h"

namespace benchd {

/// How the callers of a sampled instruction are found: by the chain of frame pointers, which the
/// kernel follows, or by the unwind tables of the program (DWARF CFI), from a copy of its stack.
enum class CallGraph { kFramePointers, kDwarf };
BENCHD_NAMES(CallGraph, "fp", "dwarf")

/// How the runs of a session are sampled (SessionSpec::profile). At each sample, the kernel records
/// the functions that the process is executing, in user mode.
struct Profile {
  std::uint32_t frequency_hz = 1000;  ///< samples per second of CPU time, of each thread
  CallGraph call_graph = CallGraph::kFramePointers;
  std::string explains;  ///< ID of the session that this one explains; empty: none
  bool operator==(const Profile&) const = default;
};
BENCHD_FIELDS(Profile, frequency_hz, call_graph, explains)

/// The maximum size of the profile of a run. What comes after it is lost.
inline constexpr std::size_t kMostProfileBytes = std::size_t{64} << 20U;

inline constexpr std::uint32_t kLeastSampleHz = 10;
inline constexpr std::uint32_t kMostSampleHz = 20'000;

/// The metric of sampled stacks. A sample of this metric has the number of times that the stack was
/// seen in the run as its value, and the folded stack as its inner benchmark: the functions from
/// the outermost to the innermost, separated by semicolons ("main;parse;read_line").
///
/// A function of which only the address is known is "[FILE+0xOFFSET BUILD]", with the first four
/// bytes of the file's build ID, if it has one. A name that several
/// functions of one file have is followed by the source file: "step (a.c)". The suffixes are those
/// of perf and FlameGraph: "_[i]" for a function that was inlined into the previous one, and "_[j]"
/// for one that the program itself compiled (/tmp/perf-PID.map).
inline constexpr std::string_view kStackMetric = "stack";
/// The same for retired instructions and for cache misses, on machines whose CPU counts them: the
/// value is the number of events that the stack stands for.
inline constexpr std::string_view kInstructionStackMetric = "stack_instructions";
inline constexpr std::string_view kCacheMissStackMetric = "stack_cache_misses";
/// The number of samples of a run that were lost; without stacks.
inline constexpr std::string_view kLostSamplesMetric = "lost_samples";
/// The number of those that were lost because the profile of the run was full: they are from the
/// end of the run.
inline constexpr std::string_view kUnkeptSamplesMetric = "unkept_samples";

/// Returns whether a sample of this metric has a stack as its inner benchmark.
constexpr bool IsOfStacks(std::string_view metric) {
  return metric == kStackMetric || metric == kInstructionStackMetric ||
         metric == kCacheMissStackMetric;
}

/// Returns whether a sample of this metric comes from a profile. The statistics of a session never
/// see such samples.
constexpr bool IsOfProfile(std::string_view metric) {
  return IsOfStacks(metric) || metric == kLostSamplesMetric || metric == kUnkeptSamplesMetric;
}

}  // namespace benchd
