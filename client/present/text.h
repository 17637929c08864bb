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
  /// The unit of all times (--time-unit): "ns", "us", "ms" or "s"; empty: chosen for each value.
  std::string_view time_unit = {};
};

enum class Tint { kNone, kGreen, kRed, kYellow, kDim, kBold };

/// Returns `text` in a colour, or unchanged without Style::color.
std::string Paint(std::string_view text, Tint tint, const Style& style);

/// Makes untrusted text (names, commands, a child's stderr) safe for a terminal: control characters
/// become '?', except newlines with `keep_newlines`.
std::string Printable(std::string_view text, bool keep_newlines = false);

/// Puts `text` on one line: consecutive newlines become "; ".
std::string OneLine(std::string_view text);

/// Returns the number of terminal columns of `text` (UTF-8): two for wide characters (CJK, emoji),
/// none for combining characters and for the escape sequences of Paint().
int Width(std::string_view text);
/// Returns the greatest width of the texts.
int Widest(std::span<const std::string> texts);

std::string PadRight(std::string text, int width);
std::string PadLeft(std::string text, int width);

/// Shortens unpainted text to `width` columns, with an ellipsis in place of the omitted part.
std::string Shorten(std::string_view text, int width, const Style& style);

/// Wraps the words of `text` into lines of at most `width` columns. A longer word gets a separate
/// line. With `width` <= 0 there is one line. The result is never empty.
std::vector<std::string> WrapWords(std::string_view text, int width);

/// Splits `text` after each `end`, which is removed; the last part may lack it.
std::vector<std::string> Pieces(std::string_view text, char end);
/// Returns the lines of `text`; the last one may lack a newline.
std::vector<std::string> Lines(std::string_view text);

/// Returns the separator between the two ends of a range: " … ".
std::string_view To(const Style& style);

/// The rows of a table, as lists of cells.
using Rows = std::vector<std::vector<std::string>>;

/// Renders rows as aligned lines without trailing blanks. All columns are left-aligned.
///
/// @param gap  number of blanks between columns
std::string AlignColumns(const Rows& rows, int gap = 2, int indent = 0);

/// Renders columns of equal length side by side.
std::string SideBySide(const std::vector<std::vector<std::string>>& columns, int gap);

/// Renders rows as aligned lines, with the last column wrapped to the remaining part of `width`.
/// The column is not wrapped if that part is too narrow to read, or if `width` is 0.
///
/// @param rows  rows of equal length
std::string AlignAndWrap(const Rows& rows, int width, int gap = 2, int indent = 0);

/// Wraps `sentence` to the width of `style`, with further lines indented by two columns. Ends with
/// a newline.
std::string WrapSentence(std::string_view sentence, const Style& style);

/// Returns the number of columns that AlignAndWrap() leaves for the last column; 0 if it does not
/// wrap.
int RoomForLastColumn(const Rows& rows, int width, int gap, int indent);

}  // namespace benchd::client
