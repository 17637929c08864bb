#include "client/report/metric_picture.h"

#include <algorithm>

#include "client/render/sentence.h"
#include "client/render/words.h"
#include "client/report/plot.h"
#include "client/report/several_units.h"
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
  if (one.verdict() != v1::VERDICT_UNSPECIFIED) return std::string(Word(one.verdict()));
  return one.flag() == v1::FLAG_UNSPECIFIED ? "" : std::string(Word(one.flag()));
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
  for (const v1::Comparison* one : comparisons) {
    const Judged judged = JudgedBy(*one);
    if (!judged.estimate) continue;
    RowsOn(AxisOf(judged), groups)
        .push_back({prefix + LabelWithMetric(*one, update), ChangeText(*one), Outcome(*one),
                    *judged.estimate, judged.lo, judged.hi, MarginOf(*one), Shape::kTriangle});
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
    return InvalidArgument(metric, "no comparison is of this metric",
                           known.empty() ? "" : "one of: " + Join(known, ", "));
  }
  std::vector<Picture> parts;
  for (const auto& [axis, rows] : groups) {
    parts.push_back(DrawIntervals("intervals" + std::to_string(parts.size()), rows, axis));
  }
  const auto of_metric = [&metric](const MetricRuns& runs) {
    return runs.metric == metric && !runs.arms.empty();
  };
  if (std::ranges::count_if(source.metrics, of_metric) == 1) {
    const MetricRuns& runs = *std::ranges::find_if(source.metrics, of_metric);
    for (const v1::Comparison* one : comparisons) {
      const auto layouts = LayoutsOf(runs, *one);
      if (layouts) parts.push_back(DrawUnits("builds" + std::to_string(parts.size()), *layouts));
    }
    parts.push_back(DrawDistributions("values", runs.arms, runs.unit, runs.resolution));
  }
  return PictureFile(parts, metric + " of " + source.name);
}

}  // namespace benchd::client
