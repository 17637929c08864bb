#include "client/present/text.h"

#include <algorithm>

#include "core/base/printable.h"
#include "core/base/text.h"

namespace benchd::client {

std::string Paint(std::string_view text, Tint tint, const Style& style) {
  if (!style.color || tint == Tint::kNone) return std::string(text);
  const char* code = tint == Tint::kGreen    ? "32"
                     : tint == Tint::kRed    ? "31"
                     : tint == Tint::kYellow ? "33"
                     : tint == Tint::kDim    ? "2"
                                             : "1";
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Printable(std::string_view text, bool keep_newlines) {
  return WithoutControls(
      text, [](std::string_view control) { return control == "\t" ? " " : "?"; },
      keep_newlines ? "\n" : "");
}

std::string OneLine(std::string_view text) {
  std::string line;
  bool gap = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      gap = !line.empty();
      continue;
    }
    if (gap) line += "; ";
    gap = false;
    line += c;
  }
  return Printable(line);
}

namespace {

struct CodePoints {
  char32_t first, last;
};

// Combining marks, joiners and direction marks: the characters of the categories Mn, Me and Cf of
// Unicode 15 that occur in names.
constexpr CodePoints kNoColumn[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},  {0x064B, 0x065F},
    {0x0900, 0x0902}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x0E47, 0x0E4E},  {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x2060, 0x2064}, {0x20D0, 0x20F0},  {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}};
// Emoji and characters of East Asian Width W and F (Unicode 15, annex 11). wcwidth(3) would need a
// suitable locale.
constexpr CodePoints kTwoColumns[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

int ColumnsOf(char32_t c) {
  const auto has = [c](const CodePoints& range) { return range.first <= c && c <= range.last; };
  if (std::ranges::any_of(kNoColumn, has)) return 0;
  return std::ranges::any_of(kTwoColumns, has) ? 2 : 1;
}

// Returns the first character. A byte that cannot begin one counts as a character.
std::string_view FirstCharacter(std::string_view text) {
  return text.substr(0, CharacterLength(text));
}

int ColumnsOf(std::string_view character) { return ColumnsOf(CodePointOf(character)); }

}  // namespace

int Width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    std::string_view piece = FirstCharacter(text);
    if (piece == "\x1b") {
      piece = text.substr(0, std::min(text.find('m'), text.size() - 1) + 1);
    } else {
      width += ColumnsOf(piece);
    }
    text.remove_prefix(piece.size());
  }
  return width;
}

int Widest(std::span<const std::string> texts) {
  int width = 0;
  for (const std::string& text : texts) width = std::max(width, Width(text));
  return width;
}

std::vector<std::string> Pieces(std::string_view text, char end) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find(end), text.size());
    pieces.emplace_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return pieces;
}

std::vector<std::string> Lines(std::string_view text) { return Pieces(text, '\n'); }

std::string_view To(const Style& style) { return style.unicode ? " … " : " .. "; }

std::string PadRight(std::string text, int width) {
  text.append(static_cast<std::size_t>(std::max(0, width - Width(text))), ' ');
  return text;
}

std::string PadLeft(std::string text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - Width(text))), ' ') + text;
}

std::string Shorten(std::string_view text, int width, const Style& style) {
  if (Width(text) <= width) return std::string(text);
  const std::string mark = style.unicode ? "…" : "~";
  std::string cut;
  int used = 1;  // for the ellipsis
  while (!text.empty()) {
    const std::string_view character = FirstCharacter(text);
    used += ColumnsOf(character);
    if (used > width) break;
    cut += character;
    text.remove_prefix(character.size());
  }
  return width > 0 ? cut + mark : "";
}

std::vector<std::string> WrapWords(std::string_view text, int width) {
  std::vector<std::string> lines(1);
  for (std::size_t start = text.find_first_not_of(' '); start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    if (!lines.back().empty() && width > 0 && Width(lines.back()) + 1 + Width(word) > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    start = text.find_first_not_of(' ', end);
  }
  return lines;
}

std::string WrapSentence(std::string_view sentence, const Style& style) {
  constexpr int kHanging = 2;
  constexpr int kNarrowest = 16;
  const std::string indent(std::min(sentence.find_first_not_of(' '), sentence.size()), ' ');
  const int room = style.width - Width(indent) - kHanging;
  std::string start = indent;
  std::string text;
  for (const std::string& line : WrapWords(sentence, room >= kNarrowest ? room : 0)) {
    text += start + line + "\n";
    start = indent + std::string(kHanging, ' ');
  }
  return text;
}

std::string AlignColumns(const Rows& rows, int gap, int indent) {
  std::vector<int> widths;
  for (const auto& row : rows) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(static_cast<std::size_t>(indent), ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += PadRight(row[i], widths[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string SideBySide(const std::vector<std::vector<std::string>>& columns, int gap) {
  Rows rows(columns.front().size());
  for (const auto& column : columns) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(column[i]);
  }
  return AlignColumns(rows, gap);
}

int RoomForLastColumn(const Rows& rows, int width, int gap, int indent) {
  // Sentences in a narrower column would be hard to read.
  constexpr int kNarrowest = 24;
  if (rows.empty()) return 0;
  int room = width - indent;
  for (std::size_t i = 0; i + 1 < rows.front().size(); ++i) {
    int widest = 0;
    for (const auto& row : rows) widest = std::max(widest, Width(row[i]));
    room -= widest + gap;
  }
  return room >= kNarrowest ? room : 0;
}

std::string AlignAndWrap(const Rows& rows, int width, int gap, int indent) {
  const int room = RoomForLastColumn(rows, width, gap, indent);
  Rows lines;
  for (const auto& row : rows) {
    const std::vector<std::string> pieces = WrapWords(row.back(), room);
    lines.push_back(row);
    lines.back().back() = pieces.front();
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      lines.emplace_back(row.size());
      lines.back().back() = pieces[i];
    }
  }
  return AlignColumns(lines, gap, indent);
}

}  // namespace benchd::client
