#include "core/analysis/function_counts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/analysis/function_names.h"
#include "core/analysis/profile_samples.h"
#include "core/model/profile.h"

namespace benchd {
namespace {

const Sample* FigureOf(const Run& run, std::string_view metric) {
  const auto found = std::ranges::find_if(run.samples, [metric](const Sample& sample) {
    return sample.metric == metric && sample.inner_benchmark.empty();
  });
  return found == run.samples.end() ? nullptr : &*found;
}

}  // namespace

FunctionTable::FunctionTable() { AddVariant(kKernelFunction); }

std::uint32_t FunctionTable::VariantOf(std::string_view name) {
  const auto known = variant_numbers_.find(name);
  if (known != variant_numbers_.end()) return known->second;
  if (variants_.size() + 1 >= kMostVariants && name != kOtherFunctions) {
    return VariantOf(kOtherFunctions);
  }
  return AddVariant(name);
}

std::uint32_t FunctionTable::AddVariant(std::string_view name) {
  const auto number = static_cast<std::uint32_t>(variants_.size());
  Variant& variant = variants_.emplace_back(Variant{std::string(name)});
  variant_numbers_.emplace(variant.name, number);
  std::string base = WithoutCloneSuffixes(name);
  const auto known = function_numbers_.find(base);
  if (known != function_numbers_.end()) {
    variant.function = known->second;
  } else {
    variant.function = static_cast<std::uint32_t>(functions_.size());
    Function& function = functions_.emplace_back(Function{std::move(base), {}});
    function_numbers_.emplace(function.name, variant.function);
  }
  functions_[variant.function].variants.push_back(number);
  return number;
}

// Notes that the current stack has a function. Returns the function.
std::uint32_t FunctionCounter::See(std::string_view frame, std::size_t& own_frames) {
  const StackFrame parsed = FrameOf(frame);
  const std::uint32_t variant = table_.VariantOf(parsed.name);
  if (by_variant_.size() <= variant) by_variant_.resize(table_.variants());
  if (by_variant_[variant] == 0) variants_.push_back(variant);
  by_variant_[variant] |= parsed.inlined ? kSeenInlined : kSeenOwn;
  if (!parsed.inlined) ++own_frames;
  if (parsed.kernel) kernel_sampled_ = true;
  const std::uint32_t function = table_.FunctionOf(variant);
  if (by_function_.size() <= function) by_function_.resize(table_.functions());
  return function;
}

void FunctionCounter::CountStack(const Sample& sample, RunProfile& profile) {
  const auto count = static_cast<float>(sample.value);
  ++stack_;
  std::string_view rest = sample.inner_benchmark;
  std::size_t own_frames = 0;
  std::uint32_t innermost = 0;
  for (;;) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    innermost = See(rest.substr(0, end), own_frames);
    Scratch& function = by_function_[innermost];
    if (function.total == 0 && function.stack != stack_) functions_.push_back(innermost);
    if (std::exchange(function.stack, stack_) != stack_) function.total += count;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  by_function_[innermost].self += count;
  profile.samples += sample.value;
  if (IsUnnamedFunction(table_.NameOf(innermost))) profile.unnamed += sample.value;
  if (own_frames <= 2) profile.shallow += sample.value;
}

// Returns the events of each function: its share of the sampled events, multiplied by the figure of
// the run if there is one.
std::vector<FunctionEvents> FunctionCounter::EventsOf(const Run& run, std::string_view stacks,
                                                      std::string_view metric) {
  std::map<std::uint32_t, double> events;
  double all = 0;
  for (const Sample& sample : run.samples) {
    if (sample.metric != stacks || sample.value <= 0) continue;
    const StackFrame frame = FrameOf(InnermostOf(sample.inner_benchmark));
    events[table_.FunctionOf(table_.VariantOf(frame.name))] += sample.value;
    all += sample.value;
  }
  const Sample* const counted = FigureOf(run, metric);
  const double scale = counted != nullptr && all > 0 ? counted->value / all : 1;
  std::vector<FunctionEvents> scaled;
  scaled.reserve(events.size());
  for (const auto& [function, value] : events) scaled.push_back({function, value * scale});
  return scaled;
}

/// Divides the CPU time of a run: the samples do not show its time in the kernel, unless some of
/// them are of the kernel.
void FunctionCounter::CountKernel(const Run& run, RunProfile& profile) {
  profile.sampled_seconds = profile.seconds;
  const Sample* const kernel = FigureOf(run, "system_time");
  if (kernel == nullptr || kernel_sampled_ || kernel->value <= 0) return;
  profile.sampled_seconds = std::max(profile.seconds - kernel->value, 0.0);
  const bool seen = std::ranges::any_of(
      profile.seen, [](const auto& one) { return one.first == FunctionTable::kKernel; });
  if (!seen) profile.seen.emplace_back(FunctionTable::kKernel, kSeenOwn);
}

RunProfile FunctionCounter::Count(const Run& run) {
  RunProfile profile;
  kernel_sampled_ = false;
  if (const Sample* const seconds = FigureOf(run, "cpu_time")) profile.seconds = seconds->value;
  if (const Sample* const lost = FigureOf(run, kLostSamplesMetric)) profile.lost = lost->value;
  if (const Sample* const unkept = FigureOf(run, kUnkeptSamplesMetric)) {
    profile.unkept = unkept->value;
  }
  for (const Sample& sample : run.samples) {
    if (sample.metric == kStackMetric && sample.value >= 1) CountStack(sample, profile);
  }
  profile.functions.reserve(functions_.size());
  for (const std::uint32_t function : functions_) {
    Scratch& scratch = by_function_[function];
    profile.functions.push_back({function, scratch.self, scratch.total});
    scratch.self = scratch.total = 0;
  }
  profile.seen.reserve(variants_.size());
  for (const std::uint32_t variant : variants_) {
    profile.seen.emplace_back(variant, std::exchange(by_variant_[variant], std::uint8_t{0}));
  }
  functions_.clear();
  variants_.clear();
  CountKernel(run, profile);
  profile.instructions = EventsOf(run, kInstructionStackMetric, "instructions");
  profile.cache_misses = EventsOf(run, kCacheMissStackMetric, "cache_misses");
  return profile;
}

}  // namespace benchd
