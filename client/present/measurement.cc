#include "client/present/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "client/present/findings.h"
#include "client/present/gates.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "core/base/text.h"
#include "core/model/measurement.h"
#include "core/model/verdict_reason.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

bool HasInterval(const v1::Estimate& estimate) {
  return estimate.has_value() && estimate.value().has_lo() && estimate.value().has_hi();
}

// Returns the common format of the estimate and the ends of its interval. A single end needs as
// many digits as an interval that is symmetric about the estimate.
ColumnFormat FormatOf(const v1::Estimate& estimate, const Style& style) {
  const v1::Effect& value = estimate.value();
  const double centre = value.estimate();
  auto lo = value.has_lo() ? std::optional(value.lo()) : std::nullopt;
  auto hi = value.has_hi() ? std::optional(value.hi()) : std::nullopt;
  if (lo && !hi) hi = 2 * centre - *lo;
  if (hi && !lo) lo = 2 * centre - *hi;
  return ColumnFormat::OfDifferences(centre, lo, hi, estimate.unit(), style);
}

std::optional<double> WidthOf(const v1::Estimate& estimate) {
  if (!HasInterval(estimate)) return std::nullopt;
  const v1::Effect& value = estimate.value();
  const double width = (value.hi() - value.lo()) / std::abs(value.estimate());
  return std::isfinite(width) ? std::optional(width) : std::nullopt;
}

std::string Quantity(bool has, double value, const v1::Estimate& estimate, const Style& style) {
  return has ? FormatQuantity(value, estimate.unit(), style) : "-";
}

// Returns whether all estimates that were asked for are of wall_time.
bool OnlyWallTime(const v1::Update& update) {
  return std::ranges::all_of(AskedOf(update),
                             [](const auto* one) { return one->metric() == "wall_time"; });
}

}  // namespace

bool Measures(const v1::SessionSpec& spec) {
  return !spec.benchmarks().empty() && !spec.benchmarks(0).arms().empty() &&
         spec.benchmarks(0).arms(0).role() == v1::ARM_ROLE_MEASURED;
}

Estimates AskedOf(const v1::Update& update) {
  Estimates asked;
  for (const v1::Estimate& one : update.estimates()) {
    if (one.asked()) asked.push_back(&one);
  }
  return asked;
}

std::string_view MeasuredWord(v1::Verdict verdict) {
  return verdict == v1::VERDICT_PASS ? "measured" : "undecided";
}

std::string_view EndWord(const v1::Update& update) { return Measures(update) ? "done" : "verdict"; }

std::string EstimatorName(const v1::Estimate& estimate) {
  std::string name = EstimatorWord(estimate.estimator());
  std::ranges::replace(name, ':', ' ');
  const bool rate = estimate.better() == v1::BETTER_HIGHER;
  if (rate && estimate.estimator().kind() == v1::ESTIMATOR_KIND_QUANTILE) {
    name += " from the fast end";
  }
  return name;
}

std::string EstimateLabel(const v1::Estimate& estimate, const v1::Update& update) {
  std::string label = SeveralBenchmarks(update) ? estimate.benchmark() + ": " : "";
  label += estimate.arm();
  if (!OnlyWallTime(update)) label += " " + estimate.metric();
  return Printable(label);
}

std::string EstimateValue(const v1::Estimate& estimate, const Style& style) {
  if (!estimate.has_value()) return "-";
  const ColumnFormat format = FormatOf(estimate, style);
  return format.WithUnit(format.Format(estimate.value().estimate()));
}

std::string EstimateInterval(const v1::Estimate& estimate, const Style& style) {
  const v1::Effect& value = estimate.value();
  if (!value.has_lo() && !value.has_hi()) return "";
  const ColumnFormat format = FormatOf(estimate, style);
  const auto bound = [&format](const char* words, double end) {
    return words + format.WithUnit(format.Format(end));
  };
  if (!value.has_hi()) return bound("at least ", value.lo());
  if (!value.has_lo()) return bound("at most ", value.hi());
  return format.WithUnit(format.Format(value.lo()).append(To(style)) + format.Format(value.hi()));
}

std::string EstimateWidth(const v1::Estimate& estimate) {
  const std::optional<double> width = WidthOf(estimate);
  return width ? FormatShare(*width) : "";
}

std::string EstimateText(const v1::Estimate& estimate, const Style& style) {
  const std::string interval = EstimateInterval(estimate, style);
  const std::string width = EstimateWidth(estimate);
  std::string text = EstimateValue(estimate, style);
  if (interval.empty()) return text + " (no interval)";
  return text + " (" + interval + (width.empty() ? "" : ", " + width + " wide") + ")";
}

std::string EstimateState(const v1::Estimate& estimate) {
  if (!estimate.asked()) return "";
  if (estimate.precise()) return "measured";
  if (!estimate.reason().empty()) {
    const EstimateReason* const reason = FindEstimateReason(estimate.reason());
    return reason != nullptr ? std::string(reason->words)
                             : Printable(CodeInWords(estimate.reason()));
  }
  if (!HasInterval(estimate)) {
    return estimate.value().has_lo()   ? "no upper end"
           : estimate.value().has_hi() ? "no lower end"
                                       : "no interval";
  }
  return estimate.has_precision() ? "wider than " + FormatPercent(estimate.precision()) : "";
}

std::string EstimateSentence(const v1::Estimate& estimate, const Style& style) {
  const std::string subject = "the " + EstimatorName(estimate) + " " +
                              Printable(estimate.metric()) + " of " + Printable(estimate.arm());
  if (!estimate.has_value()) return subject + " is unknown: " + EstimateState(estimate);
  const std::string text = subject + " is " + EstimateText(estimate, style);
  if (estimate.precise()) return text;
  if (estimate.reason().empty()) {
    return estimate.has_precision()
               ? text + ", but " + FormatPercent(estimate.precision()) + " was requested"
               : text;
  }
  const EstimateReason* const reason = FindEstimateReason(estimate.reason());
  const bool has_hint = reason != nullptr && !reason->hint.empty();
  return text + ": " + EstimateState(estimate) + (has_hint ? "; " + std::string(reason->hint) : "");
}

std::vector<std::string> MeasuredSentences(const v1::Update& update, const Style& style) {
  constexpr std::size_t kMostTold = 6;
  const Estimates asked = AskedOf(update);
  const bool precise = std::ranges::all_of(asked, [](const auto* one) { return one->precise(); });
  if (asked.empty()) {
    return {std::string("not measured: ") +
            (EveryArmRan(update) ? "no program printed a metric" : kNotEveryArmRan)};
  }
  const bool requested = asked.front()->has_precision();
  const std::string word = precise                                ? "measured: "
                           : update.verdict() == v1::VERDICT_PASS ? "measured less precisely: "
                           : requested                            ? "not as precise as requested: "
                                                                  : "not measured: ";
  const bool more_time = update.verdict() != v1::VERDICT_PASS && requested;
  const auto advice = [more_time](const v1::Estimate& one) -> std::string {
    if (!more_time || !one.reason().empty()) return "";
    // Without an interval, no precision is wide enough.
    return std::string("; raise the limit (--max-time or --max-runs)") +
           (HasInterval(one) ? ", or ask for a wider --precision" : "");
  };
  if (asked.size() == 1) {
    return {word + EstimateSentence(*asked.front(), style) + advice(*asked.front())};
  }
  Estimates open;
  for (const v1::Estimate* one : asked) {
    if (!one->precise()) open.push_back(one);
  }
  const std::string all =
      asked.size() == 2 ? "both estimates" : fmt::format("all {} estimates", asked.size());
  if (open.empty()) return {word + all};
  std::vector<std::string> lines = {
      word + (open.size() == asked.size()
                  ? all
                  : fmt::format("{} of {} estimates", open.size(), asked.size()))};
  for (std::size_t i = 0; i < std::min(open.size(), kMostTold); ++i) {
    const std::string place =
        SeveralBenchmarks(update) ? Printable(open[i]->benchmark()) + ": " : "";
    lines.push_back("  " + place + EstimateSentence(*open[i], style) + advice(*open[i]));
  }
  if (open.size() > kMostTold) {
    lines.push_back(fmt::format("  and {} more in the table", open.size() - kMostTold));
  }
  return lines;
}

std::string RenderEstimates(const v1::Update& update, EstimatesShown shown,
                            const std::string& session, const Style& style) {
  if (!Measures(update)) return "";
  const bool all = shown == EstimatesShown::kAll;
  const bool benchmarks = SeveralBenchmarks(update);
  Rows rows = {{"arm", "metric", "", "interval", "width", "runs", "min", "max", "sd", ""}};
  std::set<std::string> estimators;
  std::size_t others = 0;
  for (const v1::Estimate& one : update.estimates()) {
    if (!all && !one.asked()) {
      ++others;
      continue;
    }
    estimators.insert(EstimatorName(one));
    const std::string interval = EstimateInterval(one, style);
    const std::string width = EstimateWidth(one);
    rows.push_back({Printable((benchmarks ? one.benchmark() + ": " : "") + one.arm()),
                    Printable(one.metric()), EstimateValue(one, style),
                    interval.empty() ? "-" : interval, width.empty() ? "-" : width,
                    std::to_string(one.n()), Quantity(one.has_min(), one.min(), one, style),
                    Quantity(one.has_max(), one.max(), one, style),
                    Quantity(one.has_sd(), one.sd(), one, style), EstimateState(one)});
  }
  rows.front()[2] = estimators.size() == 1 ? *estimators.begin() : "value";
  std::string text = AlignColumns(rows);
  // In a narrow terminal, the extremes are left out first, then the deviation and the numbers.
  constexpr std::size_t kDispensable[] = {6, 6, 6, 5, 4};  // min, max, sd, runs, width
  for (const std::size_t column : kDispensable) {
    if (style.width <= 0 || Widest(Lines(text)) <= style.width) break;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    text = AlignColumns(rows);
  }
  if (others > 0) {
    text +=
        WrapSentence(fmt::format("{} of other metrics: {} lists them", Counted(others, "estimate"),
                                 session.empty() ? "--verbose" : "benchctl show " + session),
                     style);
  }
  return text;
}

std::string RenderMeasurementNote(const v1::Update& update, const Style& style) {
  for (const v1::Warning& warning : update.warnings()) {
    if (warning.code() != "other_sessions") continue;
    return WrapSentence("note: " + WarningText(convert::FromProto(warning)), style);
  }
  return "";
}

std::string MeasuredProgress(const v1::Update& update, const Style& style) {
  constexpr std::size_t kMost = 3;
  const Estimates asked = AskedOf(update);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(asked.size(), kMost); ++i) {
    texts.push_back(EstimateLabel(*asked[i], update) + " " + EstimateText(*asked[i], style));
  }
  return Join(texts, ", ") +
         (asked.size() > kMost ? fmt::format(" and {} more", asked.size() - kMost) : "");
}

std::vector<std::string> MeasuredLines(const v1::Update& update, double since_event_seconds,
                                       const Style& style, int height) {
  Estimates asked = AskedOf(update);
  if (asked.empty() || height < 1) return {};
  const auto room = static_cast<std::size_t>(height);
  const bool all_fit = asked.size() <= room;
  if (!all_fit) {
    std::stable_partition(asked.begin(), asked.end(),
                          [](const v1::Estimate* one) { return !one->precise(); });
  }
  const std::size_t shown = all_fit ? asked.size() : std::max<std::size_t>(1, room - 1);
  Rows rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const v1::Estimate& one = *asked[i];
    const std::string width = EstimateWidth(one);
    std::string state = EstimateState(one);
    if (!one.precise() && one.has_eta_seconds()) {
      state = "~" + FormatRough(std::max(0.0, one.eta_seconds() - since_event_seconds));
    }
    rows.push_back({EstimateLabel(one, update), EstimateValue(one, style),
                    EstimateInterval(one, style), width.empty() ? "" : width + " wide", state});
  }
  std::vector<std::string> lines;
  for (const std::string& line : Lines(AlignColumns(rows))) {
    lines.push_back(Shorten(line, style.width, style));
  }
  if (!all_fit && room > 1) lines.push_back(fmt::format("and {} more", asked.size() - shown));
  return lines;
}

}  // namespace benchd::client
