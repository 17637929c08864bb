#include "client/render/text.h"

#include <algorithm>

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
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    // C1 controls are U+0080..U+009F: C2 80..9F in UTF-8.
    const bool c1 =
        c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c == '\t') {
      safe += ' ';
    } else if (c == '\n' && keep_newlines) {
      safe += '\n';
    } else if (c < 0x20 || c == 0x7F || c1) {
      safe += '?';
      if (c1) ++i;
    } else {
      safe += text[i];
    }
  }
  return safe;
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

int Width(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80) ++width;
  }
  return width;
}

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
  int used = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80 && ++used >= width) break;
    cut += c;
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

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows, int gap, int indent) {
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

int RoomForLastColumn(const std::vector<std::vector<std::string>>& rows, int width, int gap,
                      int indent) {
  // Narrower than this a column of sentences is no help.
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

std::string AlignAndWrap(const std::vector<std::vector<std::string>>& rows, int width, int gap,
                         int indent) {
  const int room = RoomForLastColumn(rows, width, gap, indent);
  std::vector<std::vector<std::string>> lines;
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
