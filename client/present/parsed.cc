#include "client/present/parsed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "client/present/json_value.h"
#include "client/present/units.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

/// How many values of a metric the table shows.
constexpr std::size_t kShownValues = 3;

/// A metric with the parts of its name and its values.
struct ParsedSeries {
  std::string benchmark;
  std::string metric;
  const MetricInfo* info = nullptr;
  std::vector<double> values;
};

std::vector<ParsedSeries> SeriesOf(const HarnessOutput& output) {
  std::vector<ParsedSeries> all;
  std::map<std::string, std::size_t> places;
  for (const MetricInfo& info : output.metrics) {
    places.emplace(info.name, all.size());
    all.push_back({.metric = info.name, .info = &info});
  }
  for (const Sample& sample : output.samples) {
    const std::string& inner = sample.inner_benchmark;
    const auto place = places.find(inner.empty() ? sample.metric : inner + "/" + sample.metric);
    if (place == places.end()) continue;
    ParsedSeries& series = all[place->second];
    series.benchmark = inner;
    series.metric = sample.metric;
    series.values.push_back(sample.value);
  }
  return all;
}

std::string ValuesText(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) {
    if (texts.size() == kShownValues) break;
    texts.push_back(FormatRoundTrip(value));
  }
  std::string text = Join(texts, ", ");
  if (values.size() > kShownValues) text += fmt::format(", ... ({})", values.size());
  return text;
}

}  // namespace

std::string RenderParsed(const AdapterReading& reading, const Style& style) {
  std::string text;
  const std::vector<ParsedSeries> all = SeriesOf(reading.output);
  if (!all.empty()) {
    Rows rows{{"benchmark", "metric", "value", "unit", "better", "gates"}};
    for (const ParsedSeries& series : all) {
      const MetricInfo& info = *series.info;
      const std::string gates = !info.better        ? "no: state a direction"
                                : info.by_name_only ? "by name"
                                                    : "yes";
      rows.push_back({series.benchmark.empty() ? "-" : Printable(series.benchmark),
                      Printable(series.metric), ValuesText(series.values),
                      info.unit.empty() ? "-" : Printable(info.unit),
                      info.better ? std::string(NameOf(*info.better)) : "-", gates});
    }
    text += AlignColumns(rows);
  }
  for (const AdapterFailure& failure : reading.failures) {
    text += WrapSentence(
        fmt::format("line {}: the run failed: {}", failure.line, Quoted(failure.text)), style);
  }
  return text;
}

std::string RenderUnread(const AdapterReading& reading, const Style& style) {
  std::string text;
  for (const UnreadMetric& unread : reading.unread) {
    text += WrapSentence(fmt::format("the [[metric]] at line {} of the adapter read no value: {}",
                                     unread.line, Printable(unread.why)),
                         style);
  }
  return text;
}

std::string ParsedJson(const AdapterReading& reading, const std::string& format,
                       const google::protobuf::Timestamp& now) {
  Json json = Named("parsed", "", now);
  json["format"] = format;
  Json& metrics = json["metrics"] = Json::array();
  for (const ParsedSeries& series : SeriesOf(reading.output)) {
    Json metric;
    PutText(metric, "benchmark", series.benchmark);
    metric["metric"] = series.metric;
    metric["values"] = series.values;
    metric["unit"] = series.info->unit;
    if (series.info->better) metric["better"] = NameOf(*series.info->better);
    metric["gates"] = series.info->better.has_value() && !series.info->by_name_only;
    metrics.push_back(std::move(metric));
  }
  Json& failures = json["failures"] = Json::array();
  for (const AdapterFailure& failure : reading.failures) {
    Json one;
    one["line"] = failure.line;
    one["text"] = failure.text;
    failures.push_back(std::move(one));
  }
  Json& unread = json["unread"] = Json::array();
  for (const UnreadMetric& metric : reading.unread) {
    Json one;
    one["line"] = metric.line;
    one["why"] = metric.why;
    unread.push_back(std::move(one));
  }
  return Line(json);
}

}  // namespace benchd::client
