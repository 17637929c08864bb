#include "core/analysis/layout_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "core/stats/decision.h"
#include "core/stats/descriptive.h"

namespace benchd {

Result<LayoutGroups> LayoutGroups::Make(const std::vector<Benchmark>& benchmarks) {
  constexpr const char* kHint =
      "name the builds base/1, base/2 ... and candidate/1, candidate/2 ...";
  LayoutGroups groups;
  for (const Benchmark& benchmark : benchmarks) {
    Benchmark grouped = benchmark;
    grouped.arms.clear();
    std::vector<std::size_t> builds;
    std::vector<Place>& places = groups.places_.emplace_back();
    for (const Arm& arm : benchmark.arms) {
      const auto layout = LayoutOf(arm.name);
      if (!layout) {
        return InvalidArgument("layouts", "arm " + Quoted(arm.name) + " is not named GROUP/NUMBER",
                               kHint);
      }
      auto group = std::ranges::find(grouped.arms, layout->group, &Arm::name);
      if (group == grouped.arms.end()) {
        grouped.arms.push_back(arm);
        grouped.arms.back().name = layout->group;
        builds.push_back(0);
        group = grouped.arms.end() - 1;
      }
      if (group->role != arm.role) {
        return InvalidArgument("layouts", layout->group + " is a reference and a candidate", kHint);
      }
      const auto index = static_cast<std::size_t>(group - grouped.arms.begin());
      ++builds[index];
      places.push_back({static_cast<std::uint32_t>(index), layout->number});
    }
    for (std::size_t i = 0; i < builds.size(); ++i) {
      if (builds[i] >= kFewestLayouts) continue;
      return InvalidArgument(
          "layouts",
          fmt::format(
              "{} of {} are too few to estimate the spread between layouts; at least {} are needed",
              Counted(builds[i], "build"), grouped.arms[i].name, kFewestLayouts),
          "use --layouts 8");
    }
    groups.benchmarks_.push_back(std::move(grouped));
  }
  return groups;
}

std::vector<Run> LayoutGroups::Grouped(std::span<const Run> block) const {
  std::vector<Run> grouped(block.begin(), block.end());
  for (Run& run : grouped) {
    const bool known = run.benchmark < places_.size() && run.arm < places_[run.benchmark].size();
    const Place place = known ? places_[run.benchmark][run.arm]
                              : Place{std::numeric_limits<std::uint32_t>::max(), 0};
    run.arm = place.arm;
    run.position = place.layout;
  }
  return grouped;
}

std::vector<LayoutMean> MeansOfLayouts(std::span<const std::pair<std::uint32_t, double>> runs,
                                       bool harmonic) {
  std::map<std::uint32_t, Moments> by_layout;
  for (const auto& [layout, value] : runs) by_layout[layout].Add(harmonic ? 1 / value : value);
  std::vector<LayoutMean> means;
  for (const auto& [layout, moments] : by_layout) {
    means.push_back({layout, moments.count(), harmonic ? 1 / moments.mean() : moments.mean()});
  }
  return means;
}

double MeanOfLayouts(std::span<const LayoutMean> builds, bool geometric) {
  Moments means;
  for (const LayoutMean& build : builds) means.Add(geometric ? std::log(build.mean) : build.mean);
  return geometric ? std::exp(means.mean()) : means.mean();
}

std::uint64_t BuildsPerArm(double sd, double half_width, double confidence) {
  return UnitsPerArm(sd, half_width, 1 - confidence);
}

}  // namespace benchd
