#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/arguments.h"
#include "client/commands/command_options.h"
#include "client/present/text.h"
#include "client/request/table_options.h"
#include "core/analysis/table_analysis.h"
#include "proto/convert/convert.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sections.h"
#include "tests/support/pieces.h"

namespace benchd::fuzz {
namespace {

/// Every value that is present is a finite number; unavailable values are absent.
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
        comparison.margin, comparison.p_value, std::optional(comparison.confidence),
        comparison.pass_confidence}) {
    CheckFinite(value);
  }
  if (const auto& decided = comparison.decided) {
    FUZZ_CHECK(!decided->lo || std::abs(*decided->lo) < std::numeric_limits<double>::max());
    FUZZ_CHECK(!decided->hi || std::abs(*decided->hi) < std::numeric_limits<double>::max());
  }
  FUZZ_CHECK(!comparison.basis || comparison.decided);
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

/// The complete text of a report, with every digit; empty for an error.
std::string Told(std::string_view table, std::size_t piece_bytes, const TableOptions& options) {
  const auto report = AnalyzeTable(test::InPieces(table, piece_bytes), options);
  if (!report) {
    CheckMessage(report.error().message);
    return {};
  }
  CheckTableReport(*report);
  v1::Update verdict;
  convert::ToProto(report->report, SessionState::kDone, &verdict);
  std::ostringstream told;
  told << std::hexfloat << verdict.SerializeAsString() << report->decided_at.value_or(0);
  for (const ArmSummary& one : report->summaries) {
    told << one.benchmark << one.metric << one.arm << one.n << one.min << one.median << one.max
         << one.mean.value_or(0) << one.standard_deviation.value_or(0) << one.starred.size();
  }
  for (const ArmHistogram& one : report->histograms) {
    told << one.benchmark << one.metric << one.arm;
    for (const double edge : one.edges) told << edge;
    for (const std::uint64_t count : one.counts) told << count << ' ';
  }
  return std::move(told).str();
}

}  // namespace

/// "=== options" with words of the command line, one per line, and "=== table".
void FuzzAnalyze(std::string_view input) {
  std::vector<std::string> words;
  std::string_view table;
  for (const auto& [name, text] : SectionsOf(input)) {
    if (name == "table") table = text;
    if (name == "options") words = WordsOf(text);
  }
  const auto arguments = client::ParseArguments(words, client::AnalyzeOptions());
  if (!arguments) return CheckMessage(client::OneLine(arguments.error().message));
  const auto options = client::ReadTableOptions(*arguments);
  if (!options) return CheckMessage(client::OneLine(options.error().message));
  // The result must not depend on how the table is cut into pieces.
  FUZZ_CHECK(Told(table, 65536, *options) == Told(table, 1 + input.size() % 60, *options));
}

}  // namespace benchd::fuzz
