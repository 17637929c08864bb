#include "tests/bench/validity/table.h"

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace benchd::validity {
namespace {

// Columns, not bytes: the only non-ASCII characters here take two bytes each.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string Table::Print(Format format) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  const bool markdown = format == Format::kMarkdown;
  std::ostringstream out;
  out << (markdown ? "**" : "") << title_ << (markdown ? "**\n\n" : "\n");
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      const std::string blanks(widths[i] - Width(rows_[r][i]), ' ');
      out << (markdown ? "| " : "  ");
      // Names are left-aligned, numbers right-aligned.
      out << (i == 0 ? rows_[r][i] + blanks : blanks + rows_[r][i]) << (markdown ? " " : "");
    }
    out << (markdown ? "|\n" : "\n");
    if (!markdown || r > 0) continue;
    for (std::size_t i = 0; i < widths.size(); ++i) out << (i == 0 ? "|---" : "|---:");
    out << "|\n";
  }
  out << '\n';
  return out.str();
}

std::string Number(double value, int decimals) {
  std::ostringstream out;
  out.setf(std::ios::fixed);
  out.precision(decimals);
  out << value;
  return out.str();
}

std::string Percent(double share) {
  std::ostringstream out;
  out << share * 100 << " %";
  return out.str();
}

}  // namespace benchd::validity
