#include "client/ci/calibration.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "client/present/json.h"
#include "client/present/markdown.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::client {

Result<CalibrationOutlook> OutlookOf(const v1::SessionSpec& calibration, const v1::Update& report,
                                     const v1::SessionSpec& planned) {
  SelfComparison self;
  self.elapsed_seconds = report.elapsed_seconds();
  TRY(self.spec, convert::FromProto(calibration));
  for (const v1::Comparison& proto : report.comparisons()) {
    TRY(auto comparison, convert::FromProto(proto));
    self.comparisons.push_back(std::move(comparison));
  }
  TRY(const SessionSpec spec, convert::FromProto(planned));
  return ForecastFrom(self, spec);
}

namespace {

// Formats the limits of the comparison: "5 min", "40 runs and 5 min".
std::string LimitsText(const CalibrationOutlook& outlook) {
  const std::string time = FormatRough(outlook.planned_seconds);
  return outlook.planned_runs ? Counted(*outlook.planned_runs, "run") + " and " + time : time;
}

std::string MetricText(const std::string& metric) {
  return metric.empty() ? "the gates" : Printable(metric);
}

// Formats the change of one benchmark, or the range over several: "0.80 % to 6.0 % in wall_time
// (worst: parse)".
std::string VisibleText(const VisibleMetric& visible) {
  const std::string in = " in " + MetricText(visible.metric);
  const std::string most = FormatShare(visible.most.change);
  const std::string least = FormatShare(visible.least.change);
  if (least == most) return most + in;
  return least + " to " + most + in + " (worst: " + Printable(visible.most.benchmark) + ")";
}

// Says why nothing is known, and what to do: the calibration had no interval, or the comparison
// will not have one.
std::string UnknownSentence(const CalibrationOutlook& outlook) {
  const std::string unknown = "What this runner can show is unknown: ";
  if (outlook.unknown == 0) {
    return unknown + "the " + LimitsText(outlook) +
           " given are too few runs for an interval. Allow more.";
  }
  // A quarter more, because the last run ends after the limit.
  const double enough = std::ceil(outlook.interval_seconds * 1.25 / 10) * 10;
  return unknown + FormatRough(outlook.measured_seconds) +
         " of the base against itself were too few runs for an interval. Use --calibrate " +
         FormatRoundTrip(enough) + "s.";
}

std::string VisibleSentence(const CalibrationOutlook& outlook) {
  if (outlook.visible.empty()) return UnknownSentence(outlook);
  const std::string measured =
      FormatRough(outlook.measured_seconds) + " of the base against itself";
  std::vector<std::string> changes;
  for (const VisibleMetric& visible : outlook.visible) changes.push_back(VisibleText(visible));
  return "On this runner, the " + LimitsText(outlook) + " given show changes of " +
         Join(changes, ", ", std::identity(), " and ") + ", by " + measured + ".";
}

std::string RecommendedSentence(const CalibrationOutlook& outlook) {
  if (!outlook.recommended) {
    return "No margin up to 50 % can be relied on within the " + LimitsText(outlook) + " given.";
  }
  const RecommendedGate& gate = *outlook.recommended;
  const bool built_in = gate.metric == "wall_time" || gate.metric == "cpu_time";
  const std::string percent = FormatRoundTripPercent(gate.margin);
  return "Gate" + (gate.metric.empty() ? "" : " on " + Printable(gate.metric)) +
         " with a margin of " + FormatPercent(gate.margin) + " (" +
         (built_in ? "--metric " + gate.metric + ":" + percent : "--margin " + percent) + ").";
}

// Describes what would decide all gates: "40 min would suffice".
std::string NeededText(const Forecast& needed) {
  std::vector<std::string> what;
  switch (needed.remedy) {
    case Remedy::kMoreRuns:
      what.push_back(fmt::format("--runs {}", needed.runs.value_or(0)));
      break;
    case Remedy::kMoreMaxRuns:
      what.push_back(fmt::format("--max-runs {}", needed.runs.value_or(0)));
      break;
    case Remedy::kOtherMargin:
      return "no time would suffice, because one step of a metric is larger than its margin";
    case Remedy::kHardlyAny:
      return "hardly any time would suffice";
    default:
      break;
  }
  if (needed.seconds) what.push_back(FormatRough(std::ceil(*needed.seconds)));
  return Join(what, ", ", std::identity(), " and ") + " would suffice";
}

std::string TooSmallSentence(const OpenGates& open, const CalibrationOutlook& outlook) {
  const double margin = open.margin.value_or(0);
  const std::string of = open.margin_kind == MarginKind::kRatio
                             ? FormatPercent(margin)
                             : FormatQuantity(margin, open.unit, Style());
  const std::string where = open.gates == 1
                                ? ""
                                : fmt::format(" in {} of {} gates (worst: {})", open.open,
                                              open.gates, Printable(open.benchmark));
  const bool alone = outlook.open.size() == 1 && outlook.needed;
  return "The margin of " + of + " for " + Printable(open.metric) + " is too small for " +
         LimitsText(outlook) + " here" + where + ": expect undecided" +
         (alone ? "; " + NeededText(*outlook.needed) : "") + ".";
}

}  // namespace

std::vector<std::string> OutlookSentences(const CalibrationOutlook& outlook) {
  std::vector<std::string> sentences = {VisibleSentence(outlook)};
  const bool known = !outlook.visible.empty() && outlook.unknown == 0;
  if (outlook.recommended || known) sentences.push_back(RecommendedSentence(outlook));
  for (const OpenGates& open : outlook.open) sentences.push_back(TooSmallSentence(open, outlook));
  if (outlook.open.size() > 1 && outlook.needed) {
    sentences.push_back("To decide all gates, " + NeededText(*outlook.needed) + ".");
  }
  if (outlook.unknown > 0 && !outlook.visible.empty()) {
    sentences.push_back("Too few runs for a forecast: " + Counted(outlook.unknown, "gate") + ".");
  }
  return sentences;
}

std::string OutlookMarkdown(const CalibrationOutlook& outlook) {
  // No name may be in the title: it is HTML, in which nothing is escaped.
  std::string text = "<details><summary>calibration: ";
  text += outlook.open.empty()
              ? FormatRough(outlook.measured_seconds) + " of the base against itself"
              : "a margin is too small for this runner";
  text += "</summary>\n\n";
  for (const std::string& sentence : OutlookSentences(outlook)) {
    text += "- " + MarkdownText(sentence) + "\n";
  }
  return text + "\n</details>\n";
}

namespace {

Json ChangeJson(const VisibleChange& change) {
  Json json;
  json["benchmark"] = change.benchmark;
  Put(json, "change", change.change);
  return json;
}

Json VisibleJson(const VisibleMetric& visible) {
  Json json;
  PutText(json, "metric", visible.metric);
  json["benchmarks"] = visible.benchmarks;
  json["least"] = ChangeJson(visible.least);
  json["most"] = ChangeJson(visible.most);
  return json;
}

Json OpenJson(const OpenGates& open) {
  Json json;
  json["metric"] = open.metric;
  const bool relative = open.margin_kind == MarginKind::kRatio;
  if (open.margin) Put(json, relative ? "margin" : "margin_absolute", *open.margin);
  if (!relative) PutText(json, "unit", open.unit);
  json["gates"] = open.gates;
  json["open"] = open.open;
  json["worst"] = open.benchmark;
  return json;
}

Json NeededJson(const Forecast& needed) {
  Json json;
  json["remedy"] = NameOf(needed.remedy);
  if (needed.seconds) Put(json, "seconds", *needed.seconds);
  if (needed.runs) json["runs"] = *needed.runs;
  return json;
}

}  // namespace

std::string OutlookJson(const CalibrationOutlook& outlook, const std::string& session,
                        const google::protobuf::Timestamp& now) {
  Json json = Named("ci_calibration", session, now);
  Put(json, "elapsed_s", outlook.measured_seconds);
  Put(json, "max_time_s", outlook.planned_seconds);
  if (outlook.planned_runs) json["max_runs"] = *outlook.planned_runs;
  json["benchmarks"] = outlook.benchmarks;
  json["visible"] = Json::array();
  for (const VisibleMetric& one : outlook.visible) json["visible"].push_back(VisibleJson(one));
  if (outlook.recommended) {
    PutText(json["recommended"], "metric", outlook.recommended->metric);
    Put(json["recommended"], "margin", outlook.recommended->margin);
  }
  json["too_small"] = Json::array();
  for (const OpenGates& one : outlook.open) json["too_small"].push_back(OpenJson(one));
  if (outlook.needed) json["needed"] = NeededJson(*outlook.needed);
  json["unknown_gates"] = outlook.unknown;
  json["sentences"] = OutlookSentences(outlook);
  return Line(json);
}

}  // namespace benchd::client
