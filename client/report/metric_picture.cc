#include "client/report/metric_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "client/present/combination.h"
#include "client/present/gates.h"
#include "client/present/sentence.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"
#include "client/report/plot.h"
#include "core/analysis/layout_groups.h"
#include "core/base/result.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr Style kPlain;

}  // namespace

std::optional<MarginLine> MarginOf(const v1::Comparison& one) {
  const Judged judged = JudgedBy(one);
  if (!judged.margin) return std::nullopt;
  const bool worse_above = one.better() != v1::BETTER_HIGHER;
  return MarginLine{worse_above ? *judged.margin : -*judged.margin, worse_above};
}

AxisUnit AxisOf(const Judged& judged) {
  return {judged.relative, judged.relative ? "" : judged.unit};
}

std::string Outcome(const v1::Comparison& one) {
  if (one.verdict() != v1::VERDICT_UNSPECIFIED) {
    std::string words = ResultWords(one, kPlain);
    if (one.has_confirmation() && !one.reason().empty()) words += ", " + ReasonWords(one);
    return words + (IsConfirmed(one) ? ", confirmed" : "");
  }
  return one.flag() == v1::FLAG_UNSPECIFIED ? "" : std::string(Word(one.flag()));
}

std::optional<v1::Comparison> SecondPhaseOf(const v1::Comparison& one) {
  if (!one.has_confirmation()) return std::nullopt;
  v1::Comparison second = OfSecondPhase(one);
  second.clear_confirmation();
  // Only the changes of that phase are known.
  second.clear_mean_reference();
  second.clear_mean_candidate();
  second.clear_flag();
  return second;
}

std::string ChangeText(const v1::Comparison& one) {
  const Judged judged = JudgedBy(one);
  const std::string interval = judged.Interval(kPlain);
  return judged.Estimate(kPlain) + (interval.empty() ? "" : " (" + interval + ")");
}

std::string LabelWithMetric(const v1::Comparison& one, const v1::Update& update) {
  const std::string label = ComparisonLabel(one, update);
  return label.find(one.metric()) != std::string::npos ? label : one.metric() + ", " + label;
}

std::vector<IntervalRow>& RowsOn(const AxisUnit& axis, IntervalGroups& groups) {
  const auto group = std::ranges::find_if(groups, [&axis](const auto& known) {
    return known.first.relative == axis.relative && known.first.unit == axis.unit;
  });
  return group != groups.end() ? group->second
                               : groups.emplace_back(axis, std::vector<IntervalRow>()).second;
}

IntervalGroups IntervalRows(const Comparisons& comparisons, const v1::Update& update,
                            const std::string& prefix) {
  IntervalGroups groups;
  const auto add = [&](const v1::Comparison& one, const std::string& label) {
    const Judged judged = JudgedBy(one);
    if (!judged.estimate) return;
    RowsOn(AxisOf(judged), groups)
        .push_back({prefix + label, ChangeText(one), Outcome(one), *judged.estimate, judged.lo,
                    judged.hi, MarginOf(one), Shape::kTriangle});
  };
  for (const v1::Comparison* one : comparisons) {
    const std::string label = LabelWithMetric(*one, update);
    add(*one, label);
    if (const auto second = SecondPhaseOf(*one)) add(*second, "second phase: " + label);
  }
  return groups;
}

std::string PictureFile(const std::vector<Picture>& parts, const std::string& name) {
  constexpr double kGap = 18;
  double height = 0;
  for (const Picture& part : parts) height += part.svg.height() + kGap;
  Svg all("report", kPictureWidth + 2 * kGap, height + kGap);
  all.Rect(0, 0, all.width(), all.height(), "ground");
  double top = kGap;
  std::string description;
  for (const Picture& part : parts) {
    all.Place(kGap, top, part.svg);
    top += part.svg.height() + kGap;
    description += part.description + ". ";
  }
  return all.File(name, description);
}

Result<std::string> RenderMetricPicture(const ReportSource& source, const std::string& metric) {
  const v1::Update& update = source.session.report();
  Comparisons comparisons;
  std::vector<std::string> known;
  for (const v1::Comparison& one : update.comparisons()) {
    if (one.metric() == metric) comparisons.push_back(&one);
    if (std::ranges::find(known, one.metric()) == known.end()) known.push_back(one.metric());
  }
  const IntervalGroups groups = IntervalRows(comparisons, update, "");
  if (groups.empty()) {
    return InvalidArgument(metric, "no comparison has this metric",
                           known.empty() ? "" : "one of: " + Join(known, ", "));
  }
  std::vector<Picture> parts;
  for (const auto& [axis, rows] : groups) {
    parts.push_back(DrawIntervals(fmt::format("intervals{}", parts.size()), rows, axis));
  }
  const auto of_metric = [&metric](const MetricRuns& runs) {
    return runs.metric == metric && !runs.arms.empty();
  };
  if (std::ranges::count_if(source.metrics, of_metric) == 1) {
    const MetricRuns& runs = *std::ranges::find_if(source.metrics, of_metric);
    for (const v1::Comparison* one : comparisons) {
      const auto layouts = LayoutsOf(runs, *one);
      if (layouts) parts.push_back(DrawUnits(fmt::format("builds{}", parts.size()), *layouts));
    }
    parts.push_back(DrawDistributions("values", runs.arms, runs.unit, runs.resolution));
  }
  return PictureFile(parts, metric + " of " + source.name);
}

namespace {

/// Returns the common format for changes in `range`.
ColumnFormat ChangesBetween(const Range& range, const AxisUnit& axis) {
  if (axis.relative) return ColumnFormat::OfChanges(range.low, range.high);
  return ColumnFormat::OfDifferences(0, range.low, range.high, axis.unit, kPlain);
}

std::string WithSignAndUnit(double change, const ColumnFormat& format) {
  return format.WithUnit(format.Signed(change));
}

/// The builds of one arm of a comparison.
struct BuiltArm {
  std::string name;
  std::vector<LayoutMean> builds;
  double mean = 0;
};

/// Returns the change from the mean of the reference's builds, as in the verdict.
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
                          WithSignAndUnit(value, changes), Counted(count, "run")},
                         value,
                         {},
                         {}};
  };
  for (const LayoutMean& build : arm.builds) {
    group.units.push_back(
        unit_of(fmt::format("{}/{}", arm.name, build.layout), build.mean, build.runs));
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

/// Groups the measured runs of one arm by build.
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
      "Each mark is the mean of one build, relative to the mean of the builds of " +
          OneLine(comparison.reference()) +
          ". Below the marks is the mean of the arm's builds, with the interval of the change.",
      {"build", "mean", "vs " + comparison.reference(), "runs"},
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
          reference, candidate, ChangeText(own), outside ? "unlike the others" : ReasonWords(own)},
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
      "Each mark is the result of one machine, with its own interval. Below the marks is the mean "
      "over the machines";
  note += gate.prediction ? "; the shaded range is the prediction for one more machine." : ".";
  return {LabelWithMetric(together, all),
          std::move(note),
          {"export", "machine", OneLine(together.reference()), OneLine(together.candidate()),
           "change", "remark"},
          AxisOf(judged),
          {std::move(group)}};
}

}  // namespace benchd::client
