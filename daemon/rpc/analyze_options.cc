#include "daemon/rpc/analyze_options.h"

#include <cmath>
#include <string>
#include <utility>

#include "benchd/v1/analysis.pb.h"
#include "core/base/error.h"
#include "proto/convert/enum_tables.h"
#include "proto/convert/from_proto.h"
#include "proto/convert/to_proto.h"

namespace benchd::rpc {
namespace {

Result<TableColumn> ReadColumn(const v1::Column& from, int index) {
  const std::string path = "columns[" + std::to_string(index) + "]";
  TableColumn column{from.metric(), from.unit(), std::nullopt, std::nullopt};
  if (from.better() != v1::BETTER_UNSPECIFIED) {
    column.better = convert::ModelValue(convert::kBetters, from.better());
    if (!column.better) {
      return InvalidArgument(
          path + ".better",
          "this benchd does not know the value " + std::to_string(static_cast<int>(from.better())),
          "is the client newer than the daemon?");
    }
  }
  if (from.has_resolution()) column.resolution = from.resolution();
  return column;
}

void SummaryToProto(const ArmSummary& from, v1::Summary* to) {
  to->set_benchmark(from.benchmark);
  to->set_metric(from.metric);
  to->set_unit(from.unit);
  to->set_arm(from.arm);
  if (from.better) to->set_better(convert::WireValue(convert::kBetters, *from.better));
  to->set_n(from.n);
  to->set_min(from.min);
  to->set_lower_quartile(from.lower_quartile);
  to->set_median(from.median);
  to->set_upper_quartile(from.upper_quartile);
  to->set_max(from.max);
  if (from.mean) to->set_mean(*from.mean);
  if (from.standard_deviation) to->set_standard_deviation(*from.standard_deviation);
  if (from.variation) to->set_variation(*from.variation);
  if (from.best_mean) to->set_best_mean(*from.best_mean);
  for (const std::string& reference : from.starred) to->add_starred(reference);
}

void HistogramToProto(const ArmHistogram& from, v1::Histogram* to) {
  to->set_arm(from.arm);
  to->mutable_edges()->Add(from.edges.begin(), from.edges.end());
  to->mutable_counts()->Add(from.counts.begin(), from.counts.end());
  to->set_benchmark(from.benchmark);
  to->set_metric(from.metric);
  to->set_unit(from.unit);
}

}  // namespace

Result<TableOptions> FromProto(const v1::AnalyzeOptions& from) {
  TableOptions options;
  Result<SessionSpec> spec = convert::FromProto(from.spec());
  if (!spec) {
    Error error = std::move(spec).error();
    error.message.insert(0, "spec.");
    return error;
  }
  if (from.spec().method() != v1::METHOD_UNSPECIFIED) options.method = spec->method;
  options.spec = std::move(spec).value();
  options.references.assign(from.references().begin(), from.references().end());
  for (int i = 0; i < from.columns_size(); ++i) {
    Result<TableColumn> column = ReadColumn(from.columns(i), i);
    if (!column) return std::move(column).error();
    options.columns.push_back(std::move(column).value());
  }
  options.classic_interval = from.classic_interval();
  options.mmtests_stars = from.mmtests_stars();
  options.summaries = from.summaries();
  options.histograms = from.histograms();
  return options;
}

void ToProto(const TableReport& report, v1::AnalyzeResponse* to) {
  convert::ToProto(report.report, SessionState::kDone, to->mutable_verdict());
  if (!report.has_gates) {
    to->mutable_verdict()->clear_verdict();
    to->mutable_verdict()->clear_basis();
  }
  if (report.decided_at) to->set_decided_at(*report.decided_at);
  for (const ArmSummary& summary : report.summaries) SummaryToProto(summary, to->add_summaries());
  for (const ArmHistogram& histogram : report.histograms) {
    HistogramToProto(histogram, to->add_histograms());
  }
}

}  // namespace benchd::rpc
