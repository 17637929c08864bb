#include "core/analysis/profile_samples.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/model/profile.h"

namespace benchd {
namespace {

bool IsStack(const Sample& sample) {
  return IsOfProfile(sample.metric) && !sample.inner_benchmark.empty();
}

std::size_t NameHash(const Sample& sample) {
  const std::hash<std::string_view> hash;
  return hash(sample.metric) * 31 + hash(sample.inner_benchmark);
}

// Adds up the samples of a run that have the same stack.
void AddUpEqualStacks(std::vector<Sample>& samples) {
  std::map<std::pair<std::string, std::string>, std::size_t> first;
  std::size_t kept = 0;
  for (Sample& sample : samples) {
    if (IsStack(sample)) {
      const auto [at, is_new] = first.try_emplace({sample.metric, sample.inner_benchmark}, kept);
      if (!is_new) {
        samples[at->second].value += sample.value;
        continue;
      }
    }
    if (&samples[kept] != &sample) samples[kept] = std::move(sample);
    ++kept;
  }
  samples.resize(kept);
}

}  // namespace

std::vector<Run> WithoutProfile(std::span<const Run> runs) {
  std::vector<Run> without;
  without.reserve(runs.size());
  for (const Run& run : runs) {
    Run& own = without.emplace_back(Run{.benchmark = run.benchmark,
                                        .block = run.block,
                                        .position = run.position,
                                        .arm = run.arm,
                                        .phase = run.phase,
                                        .started_at = run.started_at,
                                        .exit = run.exit,
                                        .disturbances = run.disturbances,
                                        .metrics = run.metrics});
    std::ranges::copy_if(run.samples, std::back_inserter(own.samples),
                         [](const Sample& sample) { return !IsOfProfile(sample.metric); });
  }
  return without;
}

void StackBudget::Apply(std::vector<Run>& block) {
  for (Run& run : block) ApplyTo(run);
}

void StackBudget::ApplyTo(Run& run) {
  bool shortened = false;
  for (Sample& sample : run.samples) {
    if (IsStack(sample) && Shorten(sample)) shortened = true;
  }
  if (shortened) AddUpEqualStacks(run.samples);
}

// Shortens a stack that is not known and would be one too many. Returns whether it did.
bool StackBudget::Shorten(Sample& sample) {
  const std::size_t hash = NameHash(sample);
  if (known_.contains(hash)) return false;
  std::string& stack = sample.inner_benchmark;
  const bool is_short = stack.starts_with(kOtherFunctions);
  if (!is_short && stacks_ < kMostStacks && bytes_ + stack.size() <= kMostBytes) {
    ++stacks_;
    bytes_ += stack.size();
    known_.insert(hash);
    return false;
  }
  const std::size_t last = stack.rfind(';');
  const std::string innermost = last == std::string::npos ? stack : stack.substr(last + 1);
  std::string kept(kOtherFunctions);
  if (innermost != kOtherFunctions) kept += ';' + innermost;
  const bool changes = kept != stack;
  stack = std::move(kept);
  const std::size_t short_hash = NameHash(sample);
  if (known_.contains(short_hash)) return changes;
  if (known_.size() - stacks_ < kMostShort && stack.size() <= kLongestShort) {
    known_.insert(short_hash);
    return changes;
  }
  stack = kOtherFunctions;
  return true;
}

}  // namespace benchd
