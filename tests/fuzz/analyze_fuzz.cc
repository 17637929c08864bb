#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "benchd/v1/analysis.pb.h"
#include "daemon/analysis/table_analysis.h"
#include "daemon/rpc/analyze_options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/proto_text.h"
#include "tests/fuzz/sections.h"

namespace {

using namespace benchd;

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

/// A number that is there is one: what cannot be had is absent.
void CheckEffect(const std::optional<Effect>& effect) {
  if (!effect) return;
  FUZZ_CHECK(std::isfinite(effect->estimate));
  FUZZ_CHECK(!effect->lo || !effect->hi || *effect->lo <= *effect->hi);
}

void CheckReport(const Report& report) {
  for (const Comparison& comparison : report.comparisons) {
    FUZZ_CHECK(!comparison.metric.empty() && comparison.reference != comparison.candidate);
    CheckEffect(comparison.change);
    CheckEffect(comparison.difference);
    if (comparison.p_value) FUZZ_CHECK(*comparison.p_value >= 0 && *comparison.p_value <= 1);
    for (const auto& sd : {comparison.sd_reference, comparison.sd_candidate}) {
      if (sd) FUZZ_CHECK(std::isfinite(*sd) && *sd >= 0);
    }
    for (const auto& mean : {comparison.mean_reference, comparison.mean_candidate}) {
      if (mean) FUZZ_CHECK(std::isfinite(*mean));
    }
    FUZZ_CHECK((comparison.role == ComparisonRole::kGate) == comparison.verdict.has_value());
  }
  for (const Warning& warning : report.warnings) fuzz::CheckMessage(warning.message);
}

/// The report as it is sent; empty with an error.
std::string Sent(std::string_view table, std::size_t piece_bytes, const TableOptions& options) {
  TextSource source(table, piece_bytes);
  const auto report = AnalyzeTable(source, options, [] { return false; });
  if (!report) {
    fuzz::CheckMessage(report.error().message);
    return {};
  }
  CheckReport(report->report);
  v1::AnalyzeResponse response;
  rpc::ToProto(*report, &response);
  return response.SerializeAsString();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  [[maybe_unused]] static const auto told = google::protobuf::SetLogHandler(nullptr);
  v1::AnalyzeOptions request;
  std::string_view table;
  for (const auto& [name, text] : fuzz::SectionsOf(fuzz::AsText(data, size))) {
    if (name == "table") {
      table = text;
    } else if (name == "options" && !fuzz::ReadRequest(text, &request)) {
      return 0;
    }
  }
  const auto options = rpc::FromProto(request);
  if (!options) {
    fuzz::CheckMessage(options.error().message);
    return 0;
  }
  // How the table is cut into pieces does not matter.
  FUZZ_CHECK(Sent(table, 65536, *options) == Sent(table, 1 + size % 60, *options));
  return 0;
}
