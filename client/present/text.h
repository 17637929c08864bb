#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benchd::client {

/// The capabilities of the output. Detected once in terminal.h; tests create their own.
struct Style {
  bool color = false;
  bool unicode = true;
  int width = 0;  ///< columns, 0 = no limit
  /// "ns", "us", "ms" or "s" for every time (--time-unit); empty: chosen for each value.
  std::string_view time_unit = {};
};

enum class Tint { kNone, kGreen, kRed, kYellow, kDim, kBold };

/// `text` in a colour; unchanged without Style::color.
std::string Paint(std::string_view text, Tint tint, const Style& style);

/// Untrusted text (names, commands, a child's stderr) made safe for a terminal: control characters
/// become '?', except newlines with `keep_newlines`.
std::string Printable(std::string_view text, bool keep_newlines = false);

/// `text` on one line: runs of newlines become "; ".
std::string OneLine(std::string_view text);

/// Terminal columns of `text` (UTF-8): two for wide characters (CJK, emoji), none for combining
/// characters and for the escape sequences of Paint.
int Width(std::string_view text);
/// The greatest width.
int Widest(std::span<const std::string> texts);

std::string PadRight(std::string text, int width);
std::string PadLeft(std::string text, int width);

/// Unpainted text cut to `width` columns, with an ellipsis if something is omitted.
std::string Shorten(std::string_view text, int width, const Style& style);

/// The words of `text` on lines of at most `width` columns. A longer word gets a line of its own.
/// With `width` <= 0 there is one line. Never empty.
std::vector<std::string> WrapWords(std::string_view text, int width);

/// The parts of `text` before each `end`; the last part may lack one.
std::vector<std::string> Pieces(std::string_view text, char end);
/// The lines of `text`; the last one may lack a newline.
std::vector<std::string> Lines(std::string_view text);

/// The separator between the two ends of a range: " … ".
std::string_view To(const Style& style);

/// Rows of cells.
using Rows = std::vector<std::vector<std::string>>;

/// Rows of cells as aligned lines without trailing blanks; the first column is left-aligned.
///
/// @param gap  blanks between columns
std::string AlignColumns(const Rows& rows, int gap = 2, int indent = 0);

/// The same for columns of equal length.
std::string SideBySide(const std::vector<std::vector<std::string>>& columns, int gap);

/// The same with the last column wrapped to the remaining part of `width`. It is not wrapped if
/// that part is too narrow to read, or if `width` is 0.
///
/// @param rows  all of the same length
std::string AlignAndWrap(const Rows& rows, int width, int gap = 2, int indent = 0);

/// `sentence` wrapped between its words to the width of `style`, further lines indented by two.
/// Ends with a newline.
std::string WrapSentence(std::string_view sentence, const Style& style);

/// Columns that AlignAndWrap leaves for the last column; 0 or less if it does not wrap.
int RoomForLastColumn(const Rows& rows, int width, int gap, int indent);

}  // namespace benchd::client
