#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/table_analysis.h"
#include "tests/support/pieces.h"

namespace benchd {

/// Options for tables whose arms are a and b.
inline TableOptions AgainstA() {
  TableOptions options;
  options.references = {"a"};
  return options;
}

inline Result<TableReport> Analyze(const std::string& text,
                                   const TableOptions& options = AgainstA()) {
  return AnalyzeTable(test::InPieces(text, 50), options);
}

inline MeasurementTable TableOf(const std::string& text) {
  Result<MeasurementTable> table = ReadMeasurementTable(WholeText(text));
  EXPECT_TRUE(table) << table.error().message;
  return table ? *table : MeasurementTable{};
}

/// "arm,t" with one value per arm name.
inline std::string Rows(const std::vector<std::pair<std::string, double>>& rows) {
  std::string text = "arm,t\n";
  for (const auto& [arm, value] : rows) text += arm + "," + std::to_string(value) + "\n";
  return text;
}

inline TableOptions Gated(const std::string& metric, std::optional<Better> better = Better::kLower,
                          double margin = 0.02) {
  TableOptions options = AgainstA();
  options.spec.benchmarks.emplace_back().gates.push_back(
      {.metric = metric, .margin = margin, .better = better});
  return options;
}

inline std::vector<std::string> CodesOf(const std::vector<Warning>& warnings) {
  std::vector<std::string> codes;
  for (const Warning& warning : warnings) codes.push_back(warning.code);
  return codes;
}

inline std::string MessageOf(const std::vector<Warning>& warnings, const std::string& code) {
  for (const Warning& warning : warnings) {
    if (warning.code == code) return warning.message;
  }
  return "";
}

}  // namespace benchd
