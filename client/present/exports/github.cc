#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "client/present/exports.h"
#include "client/present/exports/means.h"
#include "client/present/findings.h"
#include "client/present/gates.h"
#include "client/present/json.h"
#include "client/present/measurement.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"
#include "core/analysis/control_report.h"

namespace benchd::client {
namespace {

/// A value and its spread in a form in which smaller is better.
struct Smaller {
  double value = 0;
  std::optional<double> spread;
  std::string unit;
};

std::string InverseUnit(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) return unit.empty() ? "" : "1/" + unit;
  const std::string below = unit.substr(slash + 1);
  return unit.starts_with("1/") ? below : below + "/" + unit.substr(0, slash);
}

/// Converts a rate to its reciprocal by the delta method (docs/statistics.md section 2).
std::optional<Smaller> SmallerIsBetter(const Smaller& value, v1::Better better) {
  if (better != v1::BETTER_HIGHER) return value;
  if (!(value.value > 0)) return std::nullopt;
  Smaller inverse{1 / value.value, std::nullopt, InverseUnit(value.unit)};
  if (value.spread) inverse.spread = *value.spread / (value.value * value.value);
  return inverse;
}

std::string UnitOf(const std::string& unit) { return unit == "1" ? "" : unit; }

/// Returns the candidate's mean, with its standard deviation.
std::optional<Smaller> SmallerIsBetter(const v1::Comparison& c) {
  const auto sd = c.has_sd_candidate() ? std::optional(c.sd_candidate()) : std::nullopt;
  return SmallerIsBetter({c.mean_candidate(), sd, UnitOf(c.unit())}, c.better());
}

/// Returns the estimate, with half the width of its interval.
std::optional<Smaller> SmallerIsBetter(const v1::Estimate& estimate) {
  if (!estimate.has_value()) return std::nullopt;
  const v1::Effect& effect = estimate.value();
  const bool bounded = effect.has_lo() && effect.has_hi();
  const auto half = bounded ? std::optional((effect.hi() - effect.lo()) / 2) : std::nullopt;
  return SmallerIsBetter({effect.estimate(), half, UnitOf(estimate.unit())}, estimate.better());
}

std::string ThreeDigits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

/// Adds the entry of a metric that is called SERIES: METRIC.
/// @param extra  a sentence about it; empty: none
template <typename Result>
void AddEntry(const Result& result, const std::string& series, const std::string& extra,
              Json& list) {
  const std::optional<Smaller> smaller = SmallerIsBetter(result);
  if (!smaller) return;
  const char* const form = result.better() == v1::BETTER_HIGHER ? " (reciprocal)" : "";
  Json entry;
  entry["name"] = series + ": " + result.metric() + form;
  entry["unit"] = smaller->unit;
  entry["value"] = smaller->value;
  if (smaller->spread) entry["range"] = "± " + ThreeDigits(*smaller->spread);
  if (!extra.empty()) entry["extra"] = extra;
  list.push_back(std::move(entry));
}

// Renders the mean of each candidate in each gate's metric, or each estimate. A metric for which
// higher is better is exported as its reciprocal. Without a verdict the list is empty, which the
// action rejects.
std::string RenderGithub(const v1::Session& session, std::span<const v1::Run>) {
  const std::vector<const v1::Comparison*> means = MeansOf(session);
  const SeriesNames names(means);
  const bool any_gate = !GatesOf(session.report()).empty();
  const std::string changed = session.report().control_changed() ? kControlChangedWords : "";
  const std::string note = EstimatorNote(session.report());
  Json list = Json::array();
  for (const v1::Comparison* c : means) {
    const bool gate = c->role() == v1::COMPARISON_ROLE_GATE;
    if (any_gate && !gate) continue;
    std::string words;
    if (gate) {
      words = ResultWords(*c, Style()) + ": " + GateSentence(*c, Style());
      if (!note.empty()) words += "; " + note;
    }
    AddEntry(*c, names.Of(*c), changed + (changed.empty() || words.empty() ? "" : "; ") + words,
             list);
  }
  for (const v1::Estimate* one : MeasuredOf(session)) {
    AddEntry(*one, SeriesNameOf(*one), EstimateState(*one) + ": " + EstimateSentence(*one, Style()),
             list);
  }
  return JsonText(list, 2) + "\n";
}

}  // namespace

ExportFormat GithubExportFormat() {
  return {.name = "github",
          .summary = "for github-action-benchmark",
          .help = "write FILE for github-action-benchmark (customSmallerIsBetter)",
          .render = RenderGithub,
          .render_same = [](const std::string&) { return RenderGithub({}, {}); }};
}

}  // namespace benchd::client
