#pragma once

#include <string>
#include <vector>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// A title, a header and rows of cells, aligned for a terminal or as markdown.
class Table {
 public:
  Table(std::string title, std::vector<std::string> header)
      : title_(std::move(title)), rows_{std::move(header)} {}

  /// The number of cells must equal that of the header.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Print(Format format) const;

 private:
  std::string title_;
  std::vector<std::vector<std::string>> rows_;
};

/// `value` with that many decimals.
std::string Number(double value, int decimals);
/// A level in per cent: "5 %", "0.5 %".
std::string Percent(double share);

}  // namespace benchd::validity
