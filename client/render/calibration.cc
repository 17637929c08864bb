#include "client/render/calibration.h"

#include <algorithm>
#include <cmath>

#include "client/render/json.h"
#include "client/render/sentence.h"
#include "client/render/text.h"
#include "client/render/units.h"

namespace benchd::client {
namespace {

constexpr double kMinute = 60;
// A session ends after the block that is under way: a minute is met to a few per cent.
constexpr double kSameTime = 0.05;
// So many times quieter is worth another metric.
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
        {Printable(floor.metric), "2 x " + std::to_string(floor.runs),
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
    seen += (seen.empty() ? "" : ", of ") + Printable(floor.metric) + " from " +
            FormatShare(*floor.seen_in_minute) + " on";
  }
  if (seen.empty()) return "there were too few runs for an interval: give it more time, --for 5m\n";
  std::string text = "in a minute this machine shows a change of " + seen + " (" +
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
    times = std::to_string(std::llround(*wall->seen / *cpu->seen)) + " times";
  }
  return "cpu_time is " + times +
         " quieter: where a program computes and does not wait, let it decide: --metric cpu_time\n";
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

}  // namespace benchd::client
