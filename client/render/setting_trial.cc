#include "client/render/setting_trial.h"

#include <algorithm>

#include "client/render/json.h"
#include "client/render/units.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

std::string Times(double ratio) { return Fixed(ratio, 2); }

std::string TimesInterval(const std::optional<SpreadRatio>& ratio, const Style& style) {
  if (!ratio) return "-";
  return Times(ratio->estimate) + " (" + Times(ratio->lo) + std::string(To(style)) +
         Times(ratio->hi) + ")";
}

std::string HeldText(const TrialRow& row) {
  if (row.wanted == 0) return "-";
  return std::to_string(row.held) + " of " + std::to_string(row.wanted);
}

std::string Table(const TrialReport& report, const Style& style) {
  const std::string first = report.rows.empty() ? "" : Printable(report.rows.front().name);
  Rows rows = {{"", "stretches", "median", "spread", "spread / " + first, "p95 / median",
                "interrupted a run", "settings held", "seen in a minute"}};
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const TrialRow& row = report.rows[i];
    if (row.stretches == 0) {
      rows.push_back({Printable(row.name), "0", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const bool compared = i > 0 && i < report.trial.settings.size();
    rows.push_back({Printable(row.name), std::to_string(row.stretches),
                    FormatQuantity(row.median_s, "s", style), FormatShare(row.spread),
                    compared ? TimesInterval(report.trial.settings[i].spread, style) : "",
                    Times(row.tail), Times(row.interruptions), HeldText(row),
                    row.seen_in_minute ? FormatShare(*row.seen_in_minute) : "-"});
  }
  return AlignColumns(rows);
}

/// The names of the rows with that effect, each with its ratio.
std::vector<std::string> Those(const TrialReport& report, SettingEffect effect) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < report.trial.settings.size(); ++i) {
    const SettingComparison& one = report.trial.settings[i];
    if (one.effect != effect || !one.spread) continue;
    std::string text = Printable(report.rows[i].name);
    if (effect != SettingEffect::kUnclear) text += " (" + Times(one.spread->estimate) + " times)";
    names.push_back(std::move(text));
  }
  return names;
}

std::string InWhich(const TrialReport& report) {
  return " (" + FormatConfidence(report.confidence) + " confidence for all together)";
}

std::string NothingClear(const TrialReport& report) {
  std::size_t most = 0;
  for (const SettingComparison& one : report.trial.settings) most = std::max(most, one.rounds);
  if (most < 2) return "too few rounds for an interval: nothing can be said yet";
  return "none of these clearly changes the spread of runs here" + InWhich(report) +
         "; a longer trial sees smaller effects, such as --for 10m";
}

/// Of a trial of single settings: which are worth having.
std::vector<std::string> EachSentences(const TrialReport& report) {
  std::vector<std::string> sentences;
  const auto worth = Those(report, SettingEffect::kNoisier);
  const auto harmful = Those(report, SettingEffect::kQuieter);
  if (worth.empty() && harmful.empty()) return {NothingClear(report)};
  if (!worth.empty()) {
    sentences.push_back("worth having here, as runs spread more: " + Join(worth, ", ") +
                        InWhich(report));
  }
  if (!harmful.empty()) {
    sentences.push_back("better left alone here, as runs spread less: " + Join(harmful, ", ") +
                        "; write \"leave\" for them in the machine profile");
  }
  const auto unclear = Those(report, SettingEffect::kUnclear);
  if (!unclear.empty()) sentences.push_back("no clear effect: " + Join(unclear, ", "));
  return sentences;
}

std::vector<std::string> WholeSentences(const TrialReport& report) {
  std::vector<std::string> sentences;
  const std::string first = Printable(report.rows.front().name);
  const auto noisier = Those(report, SettingEffect::kNoisier);
  if (report.trial.best > 0) {
    const std::string best = Printable(report.rows[report.trial.best].name);
    const std::string ratio = Times(report.trial.settings[report.trial.best].spread->estimate);
    sentences.push_back("isolation helps on this machine: with " + best + " runs have " + ratio +
                        " times the spread of " + first + InWhich(report));
    sentences.push_back("make " + best + " the default here");
  } else if (noisier.empty()) {
    sentences.push_back(NothingClear(report));
  } else {
    sentences.push_back("isolation does not help on this machine: keep " + first);
  }
  if (!noisier.empty()) {
    sentences.push_back("runs spread more than with " + first + ": " + Join(noisier, ", "));
  }
  return sentences;
}

}  // namespace

std::string RenderSettingTrial(const TrialReport& report, const Style& style) {
  std::string text = Table(report, style) + "\n";
  for (const TrialRow& row : report.rows) {
    if (row.refused.empty()) continue;
    text += WrapSentence(Printable(row.name) + ": left out: " + OneLine(row.refused), style);
  }
  const auto sentences = report.each ? EachSentences(report) : WholeSentences(report);
  for (const std::string& sentence : sentences) text += WrapSentence(sentence, style);
  if (!report.nothing_held.empty()) {
    text +=
        WrapSentence("only the choice of CPUs was tried: " + OneLine(report.nothing_held), style);
  }
  return text + "seed " + std::to_string(report.seed) + "\n";
}

namespace {

void PutRatio(Json& json, const char* key, const std::optional<SpreadRatio>& ratio) {
  if (!ratio) return;
  json[key] = Json::object();
  Put(json[key], "estimate", ratio->estimate);
  Put(json[key], "lo", ratio->lo);
  Put(json[key], "hi", ratio->hi);
}

const char* EffectWord(SettingEffect effect) {
  if (effect == SettingEffect::kQuieter) return "quieter";
  return effect == SettingEffect::kNoisier ? "noisier" : "unclear";
}

Json RowJson(const TrialRow& row, const SettingComparison* compared) {
  Json json;
  json["setting"] = row.name;
  PutText(json, "refused", row.refused);
  json["stretches"] = row.stretches;
  if (row.stretches > 0) {
    Put(json, "median_s", row.median_s);
    Put(json, "spread", row.spread);
    Put(json, "p95_over_median", row.tail);
    Put(json, "involuntary_switches", row.interruptions);
    if (row.foreign_switches) Put(json, "foreign_switches", *row.foreign_switches);
    json["settings_held"] = row.held;
    json["settings_wanted"] = row.wanted;
    if (row.seen_in_minute) Put(json, "seen_in_minute", *row.seen_in_minute);
  }
  if (compared == nullptr) return json;
  json["rounds"] = compared->rounds;
  PutRatio(json, "spread_ratio", compared->spread);
  PutRatio(json, "tail_ratio", compared->tail);
  json["effect"] = EffectWord(compared->effect);
  return json;
}

}  // namespace

std::string SettingTrialJson(const TrialReport& report, const google::protobuf::Timestamp& now) {
  Json json = Named("setting_trial", "", now);
  json["seed"] = std::to_string(report.seed);
  Put(json, "confidence", report.confidence);
  json["runs"] = report.runs;
  json["each"] = report.each;
  PutText(json, "nothing_held", report.nothing_held);
  json["settings"] = Json::array();
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const bool compared = i > 0 && i < report.trial.settings.size();
    json["settings"].push_back(
        RowJson(report.rows[i], compared ? &report.trial.settings[i] : nullptr));
  }
  if (!report.each && !report.rows.empty()) json["best"] = report.rows[report.trial.best].name;
  return Line(json);
}

}  // namespace benchd::client
