#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "client/present/exports.h"
#include "client/present/exports/means.h"
#include "client/present/gates.h"
#include "client/present/json.h"
#include "client/present/measurement.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/verdict_words.h"
#include "client/present/words.h"

namespace benchd::client {
namespace {

/// A mean and its standard deviation in a form in which smaller is better.
struct Smaller {
  double value = 0;
  std::optional<double> sd;
  std::string unit;
};

std::string InverseUnit(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) return unit.empty() ? "" : "1/" + unit;
  const std::string below = unit.substr(slash + 1);
  return unit.starts_with("1/") ? below : below + "/" + unit.substr(0, slash);
}

/// Converts a rate to its reciprocal by the delta method (docs/statistics.md section 2).
std::optional<Smaller> SmallerIsBetter(const v1::Comparison& c) {
  const std::string unit = c.unit() == "1" ? "" : c.unit();
  const auto sd = c.has_sd_candidate() ? std::optional(c.sd_candidate()) : std::nullopt;
  const double mean = c.mean_candidate();
  if (c.better() != v1::BETTER_HIGHER) return Smaller{mean, sd, unit};
  if (!(mean > 0)) return std::nullopt;
  Smaller inverse{1 / mean, std::nullopt, InverseUnit(unit)};
  if (sd) inverse.sd = *sd / (mean * mean);
  return inverse;
}

/// Converts an estimate in the same way. Its range is half the width of its interval.
std::optional<Smaller> SmallerIsBetter(const v1::Estimate& estimate) {
  const std::string unit = estimate.unit() == "1" ? "" : estimate.unit();
  const v1::Effect& effect = estimate.value();
  const double value = effect.estimate();
  const bool bounded = effect.has_lo() && effect.has_hi();
  const auto half = bounded ? std::optional((effect.hi() - effect.lo()) / 2) : std::nullopt;
  if (!estimate.has_value()) return std::nullopt;
  if (estimate.better() != v1::BETTER_HIGHER) return Smaller{value, half, unit};
  if (!(value > 0)) return std::nullopt;
  Smaller inverse{1 / value, std::nullopt, InverseUnit(unit)};
  if (half) inverse.sd = *half / (value * value);
  return inverse;
}

std::string ThreeDigits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

// Renders the mean of each candidate in each gate's metric. A metric for which higher is better is
// exported as its reciprocal. Without a verdict the list is empty, which the action rejects.
std::string RenderGithub(const v1::Session& session, std::span<const v1::Run>) {
  const std::vector<const v1::Comparison*> means = MeansOf(session);
  const SeriesNames names(means);
  const bool any_gate = !GatesOf(session.report()).empty();
  Json list = Json::array();
  for (const v1::Comparison* c : means) {
    if (any_gate && c->role() != v1::COMPARISON_ROLE_GATE) continue;
    const auto smaller = SmallerIsBetter(*c);
    if (!smaller) continue;
    Json entry;
    entry["name"] = names.Of(*c) + ": " + c->metric() +
                    (c->better() == v1::BETTER_HIGHER ? " (reciprocal)" : "");
    entry["unit"] = smaller->unit;
    entry["value"] = smaller->value;
    if (smaller->sd) entry["range"] = "± " + ThreeDigits(*smaller->sd);
    entry["extra"] = ResultWords(*c, Style()) + ": " + GateSentence(*c, Style());
    if (c->role() != v1::COMPARISON_ROLE_GATE) entry.erase("extra");
    list.push_back(std::move(entry));
  }
  for (const v1::Estimate* one : MeasuredOf(session)) {
    const auto smaller = SmallerIsBetter(*one);
    if (!smaller) continue;
    Json entry;
    entry["name"] = SeriesNameOf(*one) + ": " + one->metric() +
                    (one->better() == v1::BETTER_HIGHER ? " (reciprocal)" : "");
    entry["unit"] = smaller->unit;
    entry["value"] = smaller->value;
    if (smaller->sd) entry["range"] = "± " + ThreeDigits(*smaller->sd);
    entry["extra"] = EstimateState(*one) + ": " + EstimateSentence(*one, Style());
    list.push_back(std::move(entry));
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
