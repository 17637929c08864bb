#include "core/analysis/profile_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace benchd {
namespace {

/// The approximate number of bytes that the functions of all explanations of a session may have,
/// because watchers receive them in one message.
constexpr std::size_t kMostExplanationBytes = std::size_t{1} << 20U;

// The shares from which on a warning is due, and the number of samples of a run below which it is.
constexpr double kManyUnnamed = 0.2;
constexpr double kManyLost = 0.05;
constexpr double kManyUnkept = 0.01;  // they are all of the end of a run
constexpr double kFewOfExpected = 0.5;
constexpr double kNearlyAll = 0.95;
constexpr double kFewSamples = 100;

std::string ShareText(double part, double whole) {
  return fmt::format("{:.0f} %", 100 * part / whole);
}

}  // namespace

ProfileAnalysis::ProfileAnalysis(const SessionSpec& spec)
    : alpha_(spec.alpha),
      profile_(spec.profile.value_or(Profile{})),
      paired_(spec.method != Method::kLayouts) {
  for (const Benchmark& benchmark : spec.benchmarks) {
    Measured& measured = benchmarks_.emplace_back();
    measured.name = benchmark.name;
    for (std::uint32_t arm = 0; arm < benchmark.arms.size(); ++arm) {
      const Arm& one = benchmark.arms[arm];
      const auto layout = paired_ ? std::nullopt : LayoutOf(one.name);
      const std::string& name = layout ? layout->group : one.name;
      auto side = std::ranges::find(measured.sides, name, &Side::name);
      if (side == measured.sides.end()) {
        measured.sides.push_back({name, one.role, {}});
        side = measured.sides.end() - 1;
      }
      side->arms.push_back(arm);
    }
    const auto count = [&measured](ArmRole role) {
      return static_cast<std::size_t>(std::ranges::count(measured.sides, role, &Side::role));
    };
    pairs_ += count(ArmRole::kReference) * count(ArmRole::kCandidate);
  }
}

void ProfileAnalysis::Add(std::span<const Run> block) {
  if (block.empty() || block.front().benchmark >= benchmarks_.size()) return;
  Measured& benchmark = benchmarks_[block.front().benchmark];
  if (counts_ >= kMostCounts) {
    ++benchmark.left_out;
    return;
  }
  std::vector<ArmRun>& added = benchmark.blocks.emplace_back();
  for (const Run& run : block) {
    added.push_back({run.arm, counter_.Count(run)});
    counts_ += added.back().profile.functions.size();
  }
}

/// Returns the runs of each unit: of each block, or of each build. A block is empty if one of its
/// runs has no sample.
ProfileUnits ProfileAnalysis::UnitsOf(const Measured& benchmark, const Side& side) const {
  ProfileUnits units(paired_ ? benchmark.blocks.size() : side.arms.size());
  for (std::size_t block = 0; block < benchmark.blocks.size(); ++block) {
    bool complete = true;
    for (const ArmRun& run : benchmark.blocks[block]) {
      const auto arm = std::ranges::find(side.arms, run.arm);
      if (arm == side.arms.end()) continue;
      const bool usable = run.profile.samples > 0;
      complete = complete && usable;
      const std::size_t unit = paired_ ? block : static_cast<std::size_t>(arm - side.arms.begin());
      if (usable) units[unit].push_back(&run.profile);
    }
    if (paired_ && !complete) units[block].clear();
  }
  return units;
}

Explanation ProfileAnalysis::Explain(const Measured& benchmark, const Side& reference,
                                     const Side& candidate, const FunctionMatcher& matcher) const {
  ProfileUnits first = UnitsOf(benchmark, reference);
  ProfileUnits second = UnitsOf(benchmark, candidate);
  if (paired_) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i].empty() || second[i].empty()) first[i] = second[i] = {};
    }
  }
  for (ProfileUnits* const units : {&first, &second}) {
    std::erase_if(*units, [](const auto& unit) { return unit.empty(); });
  }
  Explanation explanation = ExplainPair(
      table_, matcher, first, second,
      {.paired = paired_, .alpha = alpha_, .most_bytes = kMostExplanationBytes / pairs_});
  explanation.benchmark = benchmark.name;
  explanation.reference = reference.name;
  explanation.candidate = candidate.name;
  return explanation;
}

std::vector<Explanation> ProfileAnalysis::Conclude() const {
  const FunctionMatcher matcher(table_);
  std::vector<Explanation> explanations;
  for (const Measured& benchmark : benchmarks_) {
    for (const Side& reference : benchmark.sides) {
      if (reference.role != ArmRole::kReference) continue;
      for (const Side& candidate : benchmark.sides) {
        if (candidate.role != ArmRole::kCandidate) continue;
        explanations.push_back(Explain(benchmark, reference, candidate, matcher));
      }
    }
  }
  return explanations;
}

ProfileAnalysis::SampleSums ProfileAnalysis::SumsOf(const Measured& benchmark,
                                                    const Side& side) const {
  SampleSums sums;
  for (const std::vector<ArmRun>& block : benchmark.blocks) {
    for (const ArmRun& run : block) {
      if (std::ranges::find(side.arms, run.arm) == side.arms.end()) continue;
      ++sums.runs;
      if (run.profile.samples == 0) ++sums.without;
      sums.samples += run.profile.samples;
      sums.lost += run.profile.lost;
      sums.unkept += run.profile.unkept;
      sums.unnamed += run.profile.unnamed;
      sums.shallow += run.profile.shallow;
      sums.expected += run.profile.sampled_seconds * profile_.frequency_hz;
    }
  }
  return sums;
}

std::vector<Warning> ProfileAnalysis::WarningsOf(const Measured& benchmark,
                                                 const Side& side) const {
  const SampleSums sums = SumsOf(benchmark, side);
  std::vector<Warning> warnings;
  if (sums.runs == 0) return warnings;
  const auto warn = [&](WarningCode code, std::string message) {
    warnings.push_back(MakeWarning(code, std::move(message), benchmark.name, side.name));
  };
  const double mean = sums.samples / static_cast<double>(sums.runs);
  if (sums.without > 0) {
    warn("profile_few", fmt::format("{} of {} of {} have no sample, so their blocks are left out",
                                    sums.without, Counted(sums.runs, "run"), side.name));
  } else if (mean < kFewSamples) {
    warn("profile_few",
         fmt::format("a run of {} has {:.0f} samples on average, so only large changes of a "
                     "function show",
                     side.name, mean));
  }
  if (sums.unkept > kManyUnkept * (sums.lost + sums.samples)) {
    warn(
        "profile_full",
        fmt::format("{} of the samples of {} are missing, because the profile of a run is limited "
                    "to {} MiB; they are from the end of its runs, whose functions have too little "
                    "time",
                    ShareText(sums.unkept, sums.lost + sums.samples), side.name,
                    kMostProfileBytes >> 20U));
  } else if (sums.lost > kManyLost * (sums.lost + sums.samples)) {
    warn("profile_lost", fmt::format("{} of the samples of {} were lost",
                                     ShareText(sums.lost, sums.lost + sums.samples), side.name));
  }
  // A task gets its first sample after a whole interval of its own.
  const double seen = sums.samples + sums.lost;
  if (sums.expected >= kFewSamples && seen < kFewOfExpected * sums.expected) {
    warn("profile_short_lived",
         fmt::format("the samples of {} show only {} of its CPU time; the rest was used by threads "
                     "or processes that end before their first sample",
                     side.name, ShareText(seen, sums.expected)));
  }
  if (sums.samples == 0) return warnings;
  if (sums.unnamed > kManyUnnamed * sums.samples) {
    warn("profile_unnamed", fmt::format("{} of the samples of {} are in functions without a name",
                                        ShareText(sums.unnamed, sums.samples), side.name));
  }
  if (sums.shallow > kNearlyAll * sums.samples) {
    warn("profile_no_callers",
         fmt::format("{} of the samples of {} show one caller at most, so the times of functions "
                     "with all that they call are too low",
                     ShareText(sums.shallow, sums.samples), side.name));
    if (profile_.call_graph == CallGraph::kDwarf) {
      warnings.back().hint = "build with unwind tables (-fasynchronous-unwind-tables)";
    }
  }
  return warnings;
}

std::vector<Warning> ProfileAnalysis::Warnings() const {
  std::vector<Warning> warnings;
  for (const Measured& benchmark : benchmarks_) {
    for (const Side& side : benchmark.sides) {
      for (Warning& warning : WarningsOf(benchmark, side)) warnings.push_back(std::move(warning));
    }
    if (benchmark.left_out == 0) continue;
    warnings.push_back(MakeWarning(
        "profile_left_out",
        fmt::format(
            "the profiles of {} are left out, because those of earlier blocks take too much "
            "memory",
            Counted(benchmark.left_out, "block")),
        benchmark.name));
  }
  return warnings;
}

}  // namespace benchd
