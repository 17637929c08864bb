#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/table_analysis.h"

namespace benchd {

/// A table in memory, given out in pieces.
class TextSource : public TableSource {
 public:
  explicit TextSource(std::string text, std::size_t piece = 50)
      : text_(std::move(text)), piece_(piece) {}

  Result<void> Rewind() override {
    at_ = 0;
    return {};
  }
  Result<std::string_view> Read() override {
    const std::string_view piece = std::string_view(text_).substr(at_, piece_);
    at_ += piece.size();
    return piece;
  }

 private:
  std::string text_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

/// Of the tables whose arms are a and b.
inline TableOptions AgainstA() {
  TableOptions options;
  options.references = {"a"};
  return options;
}

inline Result<TableReport> Analyze(const std::string& text,
                                   const TableOptions& options = AgainstA()) {
  TextSource source(text);
  return AnalyzeTable(source, options);
}

inline TableShape ShapeOf(const std::string& text) {
  TextSource source(text);
  Result<TableShape> shape = ReadShape(source, {});
  EXPECT_TRUE(shape) << shape.error().message;
  return shape ? *shape : TableShape{};
}

/// "arm,t" with a value for each arm name.
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
