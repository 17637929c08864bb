#include "client/present/markdown_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "client/present/text.h"

namespace benchd::client {
namespace {

// The kinds of lines, in the order in which they are omitted.
enum class LineKind { kFoldedRow, kPassedRow, kCode, kOtherRow, kPoint, kStays };

struct MarkdownLine {
  std::string text;  // with its newline
  LineKind kind = LineKind::kStays;
  bool dropped = false;
};

// Returns the number of backticks that open or close a code block; 0 if the line does neither.
std::size_t FenceOf(std::string_view line) {
  const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
  return ticks >= 3 ? ticks : 0;
}

bool IsRule(std::string_view line) { return line.starts_with("| ---"); }

bool NamesTrouble(std::string_view row) {
  return row.find("❌") != std::string_view::npos || row.find("❔") != std::string_view::npos;
}

std::vector<MarkdownLine> ClassifyLines(const std::string& text) {
  std::vector<MarkdownLine> lines;
  std::size_t fence = 0;
  bool folded = false;
  bool in_body = false;  // in a table, below its rule
  for (const std::string& line : Lines(text)) {
    MarkdownLine& one = lines.emplace_back(MarkdownLine{line + "\n"});
    const std::size_t ticks = FenceOf(line);
    in_body = fence == 0 && line.starts_with("| ") && (in_body || IsRule(line));
    if (fence > 0) {
      if (ticks >= fence) {
        fence = 0;
      } else {
        one.kind = LineKind::kCode;
      }
    } else if (ticks > 0) {
      fence = ticks;
    } else if (line.starts_with("<details>")) {
      folded = true;
    } else if (line.starts_with("</details>")) {
      folded = false;
    } else if (in_body && !IsRule(line)) {
      one.kind = folded               ? LineKind::kFoldedRow
                 : NamesTrouble(line) ? LineKind::kOtherRow
                                      : LineKind::kPassedRow;
    } else if (line.starts_with("- ")) {
      one.kind = LineKind::kPoint;
    }
  }
  return lines;
}

// The lines omitted from one table, list or block.
struct Omitted {
  std::size_t count = 0;
  bool all_passed = true;

  void Add(std::string_view line) {
    ++count;
    all_passed = all_passed && line.find("✅") != std::string_view::npos;
  }
};

// Names what was omitted, as in "… 37 more that passed". `kind` is that of the last line.
std::string MoreOf(LineKind kind, const Omitted& omitted) {
  const std::string more = fmt::format("… {} more", omitted.count);
  if (kind == LineKind::kPoint) return "- " + more + "\n";
  if (kind == LineKind::kCode) return more + "\n";
  return "| " + more + (omitted.all_passed ? " that passed |\n" : " |\n");
}

// Joins the remaining lines. The end of each table, list or block counts its omitted lines.
std::string Compose(const std::vector<MarkdownLine>& lines) {
  std::string text;
  Omitted omitted;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].dropped) {
      omitted.Add(lines[i].text);
    } else {
      text += lines[i].text;
    }
    const bool ends = i + 1 == lines.size() || lines[i + 1].kind == LineKind::kStays;
    if (omitted.count == 0 || !ends) continue;
    text += MoreOf(lines[i].kind, omitted);
    omitted = {};
  }
  return text;
}

}  // namespace

std::string ShortenMarkdown(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::vector<MarkdownLine> lines = ClassifyLines(text);
  std::size_t size = text.size();
  for (const LineKind kind : {LineKind::kFoldedRow, LineKind::kPassedRow, LineKind::kCode,
                              LineKind::kOtherRow, LineKind::kPoint}) {
    for (auto line = lines.rbegin(); line != lines.rend() && size > most; ++line) {
      if (line->kind != kind) continue;
      line->dropped = true;
      size -= line->text.size();
      if (size > most) continue;
      // The lines that count omissions also take space.
      size = Compose(lines).size();
    }
  }
  return Compose(lines);
}

}  // namespace benchd::client
