#include <google/protobuf/stubs/logging.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "benchd/v1/analysis.pb.h"
#include "core/analysis/table_analysis.h"
#include "daemon/rpc/analyze_options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/proto_text.h"
#include "tests/fuzz/sections.h"

namespace benchd::fuzz {
namespace {

class TextSource final : public TableSource {
 public:
  TextSource(std::string_view text, std::size_t piece_bytes)
      : text_(text), piece_bytes_(piece_bytes) {}

  Result<void> Rewind() override {
    at_ = 0;
    return {};
  }
  Result<std::string_view> Read() override {
    const std::string_view piece = text_.substr(at_, piece_bytes_);
    at_ += piece.size();
    return piece;
  }

 private:
  std::string_view text_;
  std::size_t piece_bytes_;
  std::size_t at_ = 0;
};

/// What is there is a number: a value that cannot be had is absent.
void CheckFinite(const std::optional<double>& value) {
  if (value) FUZZ_CHECK(std::isfinite(*value));
}

void CheckEffect(const std::optional<Effect>& effect) {
  if (!effect) return;
  for (const auto& value : {std::optional(effect->estimate), effect->lo, effect->hi}) {
    CheckFinite(value);
  }
  FUZZ_CHECK(!effect->lo || !effect->hi || *effect->lo <= *effect->hi);
}

void CheckComparison(const Comparison& comparison) {
  FUZZ_CHECK(!comparison.metric.empty() && comparison.reference != comparison.candidate);
  FUZZ_CHECK((comparison.role == ComparisonRole::kGate) == comparison.verdict.has_value());
  CheckEffect(comparison.change);
  CheckEffect(comparison.difference);
  for (const auto& value :
       {comparison.mean_reference, comparison.mean_candidate, comparison.sd_reference,
        comparison.sd_candidate, comparison.pairing_gain, comparison.expected_blocks,
        comparison.margin, comparison.p_value, std::optional(comparison.confidence)}) {
    CheckFinite(value);
  }
  if (const auto& decided = comparison.decided) {
    FUZZ_CHECK(!decided->lo || std::abs(*decided->lo) < std::numeric_limits<double>::max());
    FUZZ_CHECK(!decided->hi || std::abs(*decided->hi) < std::numeric_limits<double>::max());
  }
  if (comparison.p_value) FUZZ_CHECK(*comparison.p_value >= 0 && *comparison.p_value <= 1);
}

void CheckTableReport(const TableReport& report) {
  for (const Comparison& comparison : report.report.comparisons) CheckComparison(comparison);
  for (const Warning& warning : report.report.warnings) CheckMessage(warning.message);
  for (const ArmSummary& summary : report.summaries) {
    for (const auto& value : {summary.mean, summary.standard_deviation, summary.variation}) {
      CheckFinite(value);
    }
  }
}

/// The report as it is sent; empty with an error.
std::string Sent(std::string_view table, std::size_t piece_bytes, const TableOptions& options) {
  TextSource source(table, piece_bytes);
  const auto report = AnalyzeTable(source, options, [] { return false; });
  if (!report) {
    CheckMessage(report.error().message);
    return {};
  }
  CheckTableReport(*report);
  v1::AnalyzeResponse response;
  rpc::ToProto(*report, &response);
  return response.SerializeAsString();
}

}  // namespace

void FuzzAnalyze(std::string_view input) {
  [[maybe_unused]] static const auto told = google::protobuf::SetLogHandler(nullptr);
  v1::AnalyzeOptions request;
  std::string_view table;
  for (const auto& [name, text] : SectionsOf(input)) {
    if (name == "table") {
      table = text;
    } else if (name == "options" && !ReadRequest(text, &request)) {
      return;
    }
  }
  const auto options = rpc::FromProto(request);
  if (!options) {
    CheckMessage(options.error().message);
    return;
  }
  // How the table is cut into pieces does not matter.
  FUZZ_CHECK(Sent(table, 65536, *options) == Sent(table, 1 + input.size() % 60, *options));
}

}  // namespace benchd::fuzz
