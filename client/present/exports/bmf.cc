#include <string>
#include <string_view>
#include <vector>

#include "client/present/exports.h"
#include "client/present/exports/means.h"
#include "client/present/json.h"

namespace benchd::client {
namespace {

// Renders the mean of each candidate in every metric, plus and minus one standard deviation, and
// the estimates that a measurement was asked for, with their intervals.
// `--parse bmf` reads it back.
std::string RenderBmf(const v1::Session& session, std::span<const v1::Run>) {
  // Bencher's built-in measure, which has a fixed unit.
  constexpr std::string_view kLatency = "latency";
  constexpr double kNanosecondsPerSecond = 1e9;
  const std::vector<const v1::Comparison*> means = MeansOf(session);
  const SeriesNames names(means);
  Json json = Json::object();
  for (const v1::Comparison* c : means) {
    const bool latency = c->metric() == kLatency && c->unit() == "s";
    const double scale = latency ? kNanosecondsPerSecond : 1;
    Json& measure = json[names.Of(*c)][c->metric()];
    measure["value"] = c->mean_candidate() * scale;
    if (!c->has_sd_candidate()) continue;
    Put(measure, "lower_value", (c->mean_candidate() - c->sd_candidate()) * scale);
    Put(measure, "upper_value", (c->mean_candidate() + c->sd_candidate()) * scale);
  }
  for (const v1::Estimate* one : MeasuredOf(session)) {
    const bool latency = one->metric() == kLatency && one->unit() == "s";
    const double scale = latency ? kNanosecondsPerSecond : 1;
    const v1::Effect& value = one->value();
    Json& measure = json[SeriesNameOf(*one)][one->metric()];
    measure["value"] = value.estimate() * scale;
    if (value.has_lo()) Put(measure, "lower_value", value.lo() * scale);
    if (value.has_hi()) Put(measure, "upper_value", value.hi() * scale);
  }
  return JsonText(json, 2) + "\n";
}

}  // namespace

ExportFormat BmfExportFormat() {
  return {.name = "bmf",
          .summary = "Bencher Metric Format",
          .help = "write Bencher Metric Format to FILE",
          .render = RenderBmf,
          .render_same = [](const std::string&) { return RenderBmf({}, {}); }};
}

}  // namespace benchd::client
