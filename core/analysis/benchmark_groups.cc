#include "core/analysis/benchmark_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/analysis/gate_names.h"
#include "core/analysis/sequential_design.h"
#include "core/base/text.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/metric.h"
#include "core/parse/discovery.h"

namespace benchd {
namespace {

/// Returns whether the analysis takes several looks, see GroupPlanner::Choose().
bool LooksOften(const SessionSpec& spec) {
  const Result<SequentialDesign> design = MakeSequentialDesign(spec, DataSource::kSession);
  return design && !design->OneLook();
}

bool HasHooksOfRuns(const Benchmark& benchmark) {
  const auto has_own = [](const Arm& arm) { return arm.prepare.Exists() || arm.conclude.Exists(); };
  return benchmark.hooks.prepare.Exists() || benchmark.hooks.conclude.Exists() ||
         std::ranges::any_of(benchmark.arms, has_own);
}

bool IsOfProcess(const std::string& inner, const std::string& name) {
  return inner.empty() && FindBuiltinMetric(name) != nullptr;
}

/// Rounds a share to whole per cent, but never to all of a run.
int PerCent(double share) { return std::min(99, static_cast<int>(std::lround(100 * share))); }

/// Returns the share of the start in the runs of the benchmarks that were grouped, each run alone.
double ShareOf(std::span<const LoneRun> runs, const std::vector<std::vector<std::uint32_t>>& groups,
               double start_seconds) {
  double starts = 0;
  double seconds = 0;
  for (const LoneRun& run : runs) {
    const auto has = [&run](const std::vector<std::uint32_t>& group) {
      return std::ranges::find(group, run.benchmark) != group.end();
    };
    if (std::ranges::none_of(groups, has)) continue;
    starts += start_seconds;
    seconds += run.seconds;
  }
  return starts / seconds;
}

/// Returns the note that states which benchmarks of a program are grouped, and why.
/// @param program  the name of the program's benchmark if there are several; else empty
Warning NoteOf(const std::vector<std::vector<std::uint32_t>>& groups, double share,
               const std::string& program) {
  std::size_t benchmarks = 0;
  for (const std::vector<std::uint32_t>& group : groups) benchmarks += group.size();
  const std::string of = program.empty() ? "" : " of " + program;
  return MakeWarning(
      "grouped",
      fmt::format("{} benchmarks{} run in {}, because starting the program takes {} % of a run",
                  benchmarks, of, Counted(groups.size(), "group"), PerCent(share)));
}

}  // namespace

BenchmarkGroups::BenchmarkGroups(std::vector<std::vector<std::uint32_t>> groups)
    : groups_(std::move(groups)) {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (const std::uint32_t benchmark : groups_[group]) group_of_.emplace(benchmark, group);
  }
}

std::uint32_t BenchmarkGroups::LeaderOf(std::uint32_t benchmark) const {
  const auto group = group_of_.find(benchmark);
  return group == group_of_.end() ? benchmark : groups_[group->second].front();
}

std::vector<std::uint32_t> BenchmarkGroups::MembersOf(std::uint32_t leader) const {
  const auto group = group_of_.find(leader);
  return group == group_of_.end() ? std::vector{leader} : groups_[group->second];
}

bool BenchmarkGroups::Leads(std::uint32_t benchmark) const {
  return group_of_.contains(benchmark) && LeaderOf(benchmark) == benchmark;
}

std::vector<std::vector<std::uint32_t>> ChooseGroups(std::span<const LoneRun> runs,
                                                     double start_seconds) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<std::uint32_t> group;
  double own_seconds = 0;
  const auto close = [&] {
    if (group.size() > 1) groups.push_back(group);
    group.clear();
    own_seconds = 0;
  };
  for (const LoneRun& run : runs) {
    if (start_seconds <= kMostStartShare * run.seconds) continue;
    group.push_back(run.benchmark);
    own_seconds += std::max(0.0, run.seconds - start_seconds);
    const double seconds = start_seconds + own_seconds;
    const bool is_long = seconds >= kLongProcessSeconds && start_seconds <= own_seconds;
    const bool is_full = start_seconds <= kSmallStartShare * seconds || is_long;
    if (is_full || group.size() == kMostInGroup) close();
  }
  close();
  return groups;
}

void GroupPlanner::Learn(std::span<const Run> block) {
  for (const Run& run : block) {
    Seen& seen = seen_[run.benchmark];
    seen.seconds += Seconds(WallTimeOf({&run, 1}));
    ++seen.runs;
    for (const Sample& sample : run.samples) {
      seen.metrics.emplace(sample.inner_benchmark, sample.metric);
    }
  }
}

bool GroupPlanner::MayShare(const Benchmark& benchmark, const Seen& seen) {
  if (benchmark.no_groups || benchmark.ignore_failure || benchmark.check_output) return false;
  if (HasHooksOfRuns(benchmark)) return false;
  const NameOwners own({benchmark.inner});
  std::vector<NameableMetric> metrics;
  for (const auto& [inner, name] : seen.metrics) {
    // Metrics with the name of the benchmark have lost it, or have that of the harness.
    const bool known = inner.empty() || inner == benchmark.harness;
    if (!known && !own.Of(inner)) return false;
    metrics.push_back({inner, name, IsOfProcess(inner, name)});
  }
  for (const GatedMetric& gated : MatchGates(benchmark.gates, metrics)) {
    if (metrics[gated.metric].builtin) return false;
  }
  // A metric of the process that the warm-up did not have may still appear.
  return std::ranges::all_of(benchmark.gates, [&metrics](const Gate& gate) {
    return !NamesBuiltinMetric(gate.metric) || !MatchGates({&gate, 1}, metrics).empty();
  });
}

GroupPlanner::Program GroupPlanner::ProgramOf(const SessionSpec& spec, const FoundBenchmarks& found,
                                              std::uint32_t first) const {
  Program program;
  const Benchmark& example = spec.benchmarks[first];
  const Result<Harness> harness = FindHarness(example.harness, example.parse, example.adapter);
  // The values of another format need not name their benchmarks.
  if (!found.start || !harness || example.parse != harness->format) return program;
  program.start_seconds = Seconds(*found.start);
  for (std::uint32_t i = 0; i < found.names.size(); ++i) {
    const auto seen = seen_.find(first + i);
    if (seen == seen_.end()) continue;
    const double seconds = seen->second.seconds / static_cast<double>(seen->second.runs);
    // The list may have read the program from the disk, but no run is shorter than the start.
    program.start_seconds = std::min(program.start_seconds, seconds);
    const bool may_share =
        CanShare(*harness, found.names[i]) && MayShare(spec.benchmarks[first + i], seen->second);
    if (may_share) program.runs.push_back({first + i, seconds});
  }
  return program;
}

GroupPlan GroupPlanner::Choose(const SessionSpec& spec,
                               std::span<const FoundBenchmarks> found) const {
  GroupPlan plan;
  // The second phase measures some benchmarks only, each with a process of its own.
  if (spec.confirm || !LooksOften(spec)) return plan;
  std::vector<std::vector<std::uint32_t>> all;
  for (std::size_t number = 0; number < found.size(); ++number) {
    const auto first = static_cast<std::uint32_t>(FirstOf(found, number));
    const Program program = ProgramOf(spec, found[number], first);
    auto groups = ChooseGroups(program.runs, program.start_seconds);
    if (groups.empty()) continue;
    const std::string name = found.size() > 1 ? SubmittedName(spec.benchmarks[first]) : "";
    plan.notes.push_back(
        NoteOf(groups, ShareOf(program.runs, groups, program.start_seconds), name));
    std::ranges::move(groups, std::back_inserter(all));
  }
  plan.groups = BenchmarkGroups(std::move(all));
  return plan;
}

std::optional<BenchmarkGroups> WithoutDecided(const BenchmarkGroups& groups,
                                              std::span<const BenchmarkOutlook> outlooks) {
  std::vector<std::vector<std::uint32_t>> smaller;
  bool due = false;
  for (const std::vector<std::uint32_t>& group : groups.all()) {
    std::vector<std::uint32_t> open;
    std::ranges::copy_if(group, std::back_inserter(open),
                         [&outlooks](std::uint32_t one) { return outlooks[one].open; });
    const auto decided = static_cast<double>(group.size() - open.size());
    due = due || decided >= kLeavingShare * static_cast<double>(group.size());
    if (!open.empty()) smaller.push_back(std::move(open));
  }
  if (!due) return std::nullopt;
  return BenchmarkGroups(std::move(smaller));
}

std::vector<std::uint32_t> IdleArmsOfGroup(
    std::uint32_t benchmark, const BenchmarkGroups& groups,
    const std::function<std::span<const std::uint32_t>(std::uint32_t)>& idle_arms) {
  const std::span<const std::uint32_t> own = idle_arms(benchmark);
  std::vector<std::uint32_t> idle(own.begin(), own.end());
  for (const std::uint32_t member : groups.MembersOf(groups.LeaderOf(benchmark))) {
    if (idle.empty()) break;
    std::vector<std::uint32_t> common;
    std::ranges::set_intersection(idle, idle_arms(member), std::back_inserter(common));
    idle = std::move(common);
  }
  return idle;
}

std::vector<BenchmarkOutlook> GroupedOutlooks(std::vector<BenchmarkOutlook> outlooks,
                                              const BenchmarkGroups& groups) {
  for (const std::vector<std::uint32_t>& group : groups.all()) {
    BenchmarkOutlook whole = outlooks[group.front()];
    whole.open = false;
    whole.expected_blocks = 0;
    whole.seconds = 0;
    if (whole.busy_seconds) whole.busy_seconds = 0;
    for (const std::uint32_t benchmark : group) {
      const BenchmarkOutlook& one = outlooks[benchmark];
      whole.seconds += one.seconds;
      if (whole.busy_seconds) *whole.busy_seconds += one.busy_seconds.value_or(0);
      if (one.open) {
        whole.open = true;
        const bool known = whole.expected_blocks && one.expected_blocks;
        whole.expected_blocks =
            known ? std::optional(std::max(*whole.expected_blocks, *one.expected_blocks))
                  : std::nullopt;
      }
    }
    if (!whole.open) whole.expected_blocks.reset();
    whole.idle_arms = IdleArmsOfGroup(group.front(), groups, [&outlooks](std::uint32_t one) {
      return std::span<const std::uint32_t>(outlooks[one].idle_arms);
    });
    // The time of the leader's runs without other arms is that of other blocks.
    if (whole.idle_arms != outlooks[group.front()].idle_arms) whole.busy_seconds.reset();
    for (const std::uint32_t benchmark : group) outlooks[benchmark] = {.open = false};
    outlooks[group.front()] = whole;
  }
  return outlooks;
}

}  // namespace benchd
