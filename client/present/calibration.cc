#include "client/present/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client/present/json.h"
#include "client/present/sentence.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr double kMinute = 60;
// A session ends only after its current block, so one minute is accurate to a few per cent.
constexpr double kSameTime = 0.05;
// Advise another metric only if it is at least this many times quieter.
constexpr double kMuchQuieter = 2;

std::string ShareOrNone(std::optional<double> fraction) {
  return fraction ? FormatShare(*fraction) : "-";
}

NoiseFloor FloorOf(const v1::Comparison& comparison, double elapsed_seconds) {
  NoiseFloor floor;
  floor.metric = comparison.metric();
  floor.unit = comparison.unit();
  floor.runs = std::min(comparison.n_reference(), comparison.n_candidate());
  floor.mean = (comparison.mean_reference() + comparison.mean_candidate()) / 2;
  floor.sd = std::hypot(comparison.sd_reference(), comparison.sd_candidate()) / std::sqrt(2);
  if (!comparison.change().has_lo() || !comparison.change().has_hi()) return floor;
  floor.seen = (comparison.change().hi() - comparison.change().lo()) / 2;
  if (elapsed_seconds > 0)
    floor.seen_in_minute = *floor.seen * std::sqrt(elapsed_seconds / kMinute);
  return floor;
}

const NoiseFloor* Find(const Calibration& calibration, const char* metric) {
  for (const NoiseFloor& floor : calibration.metrics) {
    if (floor.metric == metric && floor.seen) return &floor;
  }
  return nullptr;
}

std::string CalibrationTable(const Calibration& calibration, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"", "runs", "mean", "sd", "sd / mean"}};
  rows[0].push_back("seen in " + FormatClock(calibration.elapsed_seconds));
  if (calibration.scaled()) rows[0].emplace_back("in a minute");
  for (const NoiseFloor& floor : calibration.metrics) {
    rows.push_back(
        {Printable(floor.metric), fmt::format("2 x {}", floor.runs),
         FormatQuantity(floor.mean, floor.unit, style), FormatQuantity(floor.sd, floor.unit, style),
         floor.mean > 0 ? FormatShare(floor.sd / floor.mean) : "-", ShareOrNone(floor.seen)});
    if (calibration.scaled()) rows.back().push_back(ShareOrNone(floor.seen_in_minute));
  }
  return AlignColumns(rows, 3);
}

std::string SeenSentence(const Calibration& calibration) {
  std::string seen;
  for (const NoiseFloor& floor : calibration.metrics) {
    if (!floor.seen_in_minute) continue;
    seen += (seen.empty() ? "" : ", in ") + Printable(floor.metric) + " of " +
            FormatShare(*floor.seen_in_minute) + " or more";
  }
  if (seen.empty()) return "too few runs for an interval: allow more time, such as --for 5m\n";
  std::string text = "in one minute, this machine can detect a change in " + seen + " (" +
                     FormatConfidence(calibration.confidence) + " confidence)\n";
  if (calibration.scaled()) {
    text += "scaled from " + FormatClock(calibration.elapsed_seconds) +
            " by the square root of the time\n";
  }
  return text;
}

std::string Advice(const Calibration& calibration) {
  const NoiseFloor* wall = Find(calibration, "wall_time");
  const NoiseFloor* cpu = Find(calibration, "cpu_time");
  if (wall == nullptr || cpu == nullptr || *wall->seen < kMuchQuieter * *cpu->seen) return "";
  std::string times = "far";
  if (*cpu->seen > 0) {
    times = FormatTimes(*wall->seen / *cpu->seen, 0) + " times";
  }
  return "cpu_time is " + times +
         " quieter: for a program that computes rather than waits, use --metric cpu_time\n";
}

}  // namespace

bool Calibration::scaled() const {
  return std::abs(elapsed_seconds - kMinute) > kSameTime * kMinute;
}

Calibration CalibrationOf(const v1::Update& update) {
  Calibration calibration;
  calibration.elapsed_seconds = update.elapsed_seconds();
  for (const v1::Comparison* gate : GatesOf(update)) {
    calibration.confidence = gate->confidence();
    calibration.metrics.push_back(FloorOf(*gate, update.elapsed_seconds()));
  }
  return calibration;
}

std::string RenderCalibration(const Calibration& calibration, const Style& style) {
  return CalibrationTable(calibration, style) + "\n" + SeenSentence(calibration) +
         Advice(calibration);
}

std::string CalibrationJson(const Calibration& calibration, const std::string& session,
                            const google::protobuf::Timestamp& now) {
  Json json = Named("calibration", session, now);
  Put(json, "elapsed_s", calibration.elapsed_seconds);
  Put(json, "confidence", calibration.confidence);
  json["metrics"] = Json::array();
  for (const NoiseFloor& floor : calibration.metrics) {
    Json entry;
    entry["metric"] = floor.metric;
    PutText(entry, "unit", floor.unit);
    entry["runs"] = floor.runs;
    Put(entry, "mean", floor.mean);
    Put(entry, "sd", floor.sd);
    if (floor.mean > 0) Put(entry, "sd_relative", floor.sd / floor.mean);
    if (floor.seen) Put(entry, "seen", *floor.seen);
    if (floor.seen_in_minute) Put(entry, "seen_in_minute", *floor.seen_in_minute);
    json["metrics"].push_back(std::move(entry));
  }
  return Line(json);
}

namespace {

std::string Times(double ratio) { return Fixed(ratio, 2); }

std::string TimesInterval(const std::optional<SpreadRatio>& ratio, const Style& style) {
  if (!ratio) return "-";
  return Times(ratio->estimate) + " (" + Times(ratio->lo) + std::string(To(style)) +
         Times(ratio->hi) + ")";
}

std::string HeldText(const TrialRow& row) {
  if (row.wanted == 0) return "-";
  return fmt::format("{} of {}", row.held, row.wanted);
}

std::string Table(const TrialReport& report, const Style& style) {
  const std::string first = report.rows.empty() ? "" : Printable(report.rows.front().name);
  Rows rows = {{"", "segments", "median", "spread", "spread / " + first, "p95 / median",
                "interruptions per run", "settings held", "seen in a minute"}};
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

/// Returns the names of the rows with that effect, each with its ratio.
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
  if (most < 2) return "too few rounds for an interval: no statement is possible yet";
  return "no setting clearly changes the spread of runs here" + InWhich(report) +
         "; a longer trial, such as --for 10m, detects smaller effects";
}

/// Returns the conclusions of a trial of single settings: which of them to keep.
std::vector<std::string> EachSentences(const TrialReport& report) {
  std::vector<std::string> sentences;
  const auto worth = Those(report, SettingEffect::kNoisier);
  const auto harmful = Those(report, SettingEffect::kQuieter);
  if (worth.empty() && harmful.empty()) return {NothingClear(report)};
  if (!worth.empty()) {
    sentences.push_back("worth keeping here, because runs spread more: " + Join(worth, ", ") +
                        InWhich(report));
  }
  if (!harmful.empty()) {
    sentences.push_back("better left alone here, because runs spread less: " + Join(harmful, ", ") +
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
    sentences.push_back("isolation helps on this machine: " + best +
                        " reduces the spread of runs to " + ratio + " times that of " + first +
                        InWhich(report));
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
  return text + fmt::format("seed {}\n", report.seed);
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
