#include "client/report/several_units.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/render/combination.h"
#include "client/render/gates.h"
#include "client/render/units.h"
#include "client/report/metric_picture.h"
#include "client/report/plot.h"
#include "core/analysis/layout_groups.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;

/// How changes beside each other are told.
ColumnFormat ChangesBetween(const Range& range, const AxisUnit& axis) {
  if (axis.relative) return ColumnFormat::OfChanges(range.low, range.high);
  return ColumnFormat::OfDifferences(0, range.low, range.high, axis.unit, kPlain);
}

std::string Told(double change, const ColumnFormat& format) {
  return format.WithUnit(format.Signed(change));
}

/// One arm of a comparison by its builds.
struct BuiltArm {
  std::string name;
  std::vector<LayoutMean> builds;
  double mean = 0;
};

/// Beside the mean of the reference's builds, as the verdict compares them.
double Beside(double mean, double reference, bool relative) {
  return relative ? mean / reference - 1 : mean - reference;
}

UnitGroup GroupOf(const BuiltArm& arm, const BuiltArm& reference, const Range& means,
                  const ColumnFormat& changes, const v1::Comparison& one) {
  const Judged judged = JudgedBy(one);
  UnitGroup group;
  group.label = arm.name;
  std::uint64_t runs = 0;
  const auto unit_of = [&](std::string name, double mean, std::uint64_t count) {
    const double value = Beside(mean, reference.mean, judged.relative);
    return UnitOfPicture{{std::move(name), ValueLabel(mean, means, one.unit()),
                          Told(value, changes), Counted(count, "run")},
                         value,
                         {},
                         {}};
  };
  for (const LayoutMean& build : arm.builds) {
    group.units.push_back(
        unit_of(arm.name + "/" + std::to_string(build.layout), build.mean, build.runs));
    runs += build.runs;
  }
  group.mean =
      unit_of(arm.name + ", mean of " + Counted(arm.builds.size(), "build"), arm.mean, runs);
  group.reference = arm.name == reference.name;
  if (group.reference) {
    group.numbers = ValueLabel(arm.mean, means, one.unit());
    return group;
  }
  group.mean.lo = judged.lo;
  group.mean.hi = judged.hi;
  group.margin = MarginOf(one);
  group.numbers = ChangeText(one);
  return group;
}

/// The measured runs of one arm, by their builds.
BuiltArm BuiltArmOf(const MetricRuns& runs, const std::string& name, bool harmonic, bool relative) {
  std::vector<std::pair<std::uint32_t, double>> measured;
  for (const RunOfPicture& run : runs.runs) {
    if (run.warmup || run.layout == 0 || runs.arms[run.arm].name != name) continue;
    measured.emplace_back(run.layout, run.value);
  }
  BuiltArm arm{name, MeansOfLayouts(measured, harmonic), 0};
  if (!arm.builds.empty()) arm.mean = MeanOfLayouts(arm.builds, relative);
  return arm;
}

}  // namespace

std::optional<UnitsOfPicture> LayoutsOf(const MetricRuns& runs, const v1::Comparison& comparison) {
  const Judged judged = JudgedBy(comparison);
  if (comparison.method() != v1::METHOD_LAYOUTS || !judged.estimate) return std::nullopt;
  const bool positive = std::ranges::all_of(
      runs.runs, [](const RunOfPicture& run) { return run.warmup || run.value > 0; });
  if (judged.relative && !positive) return std::nullopt;
  const bool harmonic = judged.relative && comparison.better() == v1::BETTER_HIGHER;
  const BuiltArm reference = BuiltArmOf(runs, comparison.reference(), harmonic, judged.relative);
  const BuiltArm candidate = BuiltArmOf(runs, comparison.candidate(), harmonic, judged.relative);
  if (reference.builds.empty() || candidate.builds.empty()) return std::nullopt;

  Range means{reference.mean, reference.mean};
  Range changes;
  for (const BuiltArm* arm : {&reference, &candidate}) {
    for (const LayoutMean& build : arm->builds) {
      means.Include(build.mean);
      changes.Include(Beside(build.mean, reference.mean, judged.relative));
    }
  }
  const AxisUnit axis = AxisOf(judged);
  const ColumnFormat format = ChangesBetween(changes, axis);
  return UnitsOfPicture{
      "Builds: " + OneLine(comparison.candidate()) + " vs " + OneLine(comparison.reference()),
      "Each mark is the mean of a build, beside what the builds of " +
          OneLine(comparison.reference()) +
          " come to; below them the mean of the arm's builds, with the interval of the change.",
      {"build", "mean", "beside " + comparison.reference(), "runs"},
      axis,
      {GroupOf(reference, reference, means, format, comparison),
       GroupOf(candidate, reference, means, format, comparison)}};
}

std::optional<MachineCombination> CombinationOf(std::span<const ReportSource> sources) {
  std::vector<MachineSession> sessions;
  for (const ReportSource& source : sources) {
    if (source.on_machine) sessions.push_back(*source.on_machine);
  }
  if (sessions.size() < 2) return std::nullopt;
  auto combination = CombineMachines(std::move(sessions), std::nullopt);
  if (!combination || combination->machines.size() < 2 || combination->gates.empty()) {
    return std::nullopt;
  }
  return *std::move(combination);
}

UnitsOfPicture MachinesOf(const MachineCombination& combination, std::size_t number) {
  constexpr std::size_t kShortHash = 8;
  const CombinedGate& gate = combination.gates[number];
  const v1::Update all = GatesOfAll(combination);
  const v1::Comparison& together = all.comparisons(static_cast<int>(number));
  const v1::Update found = AsUpdate(gate.of_machine);
  UnitGroup group;
  for (std::size_t i = 0; i < combination.machines.size(); ++i) {
    const v1::Comparison& own = found.comparisons(static_cast<int>(i));
    const Judged judged = JudgedBy(own);
    const double width = judged.lo && judged.hi ? *judged.hi - *judged.lo : 0;
    const auto [reference, candidate] =
        FormatMeans(gate.of_machine[i].mean_reference, gate.of_machine[i].mean_candidate, width,
                    own.unit(), kPlain);
    const CombinedMachine& machine = combination.machines[i];
    const bool outside = std::ranges::count(gate.outliers, i) > 0;
    group.units.push_back(
        {{OneLine(Join(machine.sources, ", ")), OneLine(machine.machine.substr(0, kShortHash)),
          reference, candidate, ChangeText(own), outside ? "unlike the others" : ""},
         judged.estimate.value_or(0),
         judged.lo,
         judged.hi});
  }
  const Judged judged = JudgedBy(together);
  group.label = Counted(combination.machines.size(), "machine");
  group.numbers = ChangeText(together);
  group.mean = {{group.label, "", "", "", group.numbers, ""},
                judged.estimate.value_or(0),
                judged.lo,
                judged.hi};
  group.prediction = gate.prediction;
  group.margin = MarginOf(together);
  std::string note =
      "Each mark is what a machine found, with its own interval; below them the mean over the "
      "machines";
  note += gate.prediction ? ", and shaded where one more machine would be." : ".";
  return {LabelWithMetric(together, all),
          std::move(note),
          {"export", "machine", OneLine(together.reference()), OneLine(together.candidate()),
           "change", "remark"},
          AxisOf(judged),
          {std::move(group)}};
}

}  // namespace benchd::client
