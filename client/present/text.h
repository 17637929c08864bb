#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benchd::client {

/// What the place where text goes can show. Detected once in terminal.h; tests make their own.
struct Style {
  bool color = false;
  bool unicode = true;
  int width = 0;  ///< columns, 0 = no limit
  /// "ns", "us", "ms" or "s" for every time (--time-unit); empty = whatever fits each.
  std::string_view time_unit = {};
};

enum class Tint { kNone, kGreen, kRed, kYellow, kDim, kBold };

/// `text` in a colour, or as it is without Style::color.
std::string Paint(std::string_view text, Tint tint, const Style& style);

/// Foreign text (names, commands, a child's stderr) made harmless for a terminal: control
/// characters become '?', except newlines with `keep_newlines`.
std::string Printable(std::string_view text, bool keep_newlines = false);

/// `text` on one line: runs of newlines become "; ".
std::string OneLine(std::string_view text);

/// Columns that `text`, UTF-8, takes on a terminal: two for wide characters (CJK, emoji), none for
/// those that join the one before (accents and the like) and for the escape sequences of Paint.
int Width(std::string_view text);
/// The widest of them.
int Widest(std::span<const std::string> texts);

std::string PadRight(std::string text, int width);
std::string PadLeft(std::string text, int width);

/// Unpainted text cut to `width` columns, with an ellipsis where something is left out.
std::string Shorten(std::string_view text, int width, const Style& style);

/// The words of `text` on lines of at most `width` columns, a longer word on its own; all on one
/// line with `width` <= 0. Never empty.
std::vector<std::string> WrapWords(std::string_view text, int width);

/// What stands before each `end` in `text`; the last piece may have none.
std::vector<std::string> Pieces(std::string_view text, char end);
/// The lines of `text`, whose last one may have no newline.
std::vector<std::string> Lines(std::string_view text);

/// What stands between the two ends of a range: " … ".
std::string_view To(const Style& style);

/// Rows of cells.
using Rows = std::vector<std::vector<std::string>>;

/// Rows of cells as aligned lines without trailing blanks; the first column to the left.
///
/// @param gap  blanks between columns
std::string AlignColumns(const Rows& rows, int gap = 2, int indent = 0);

/// The same for columns, which are equally long.
std::string SideBySide(const std::vector<std::vector<std::string>>& columns, int gap);

/// The same with the last column wrapped to what `width` leaves it; where that is too little to
/// read, or `width` is 0, it is not wrapped.
///
/// @param rows  all of the same length
std::string AlignAndWrap(const Rows& rows, int width, int gap = 2, int indent = 0);

/// `sentence` wrapped between its words to the width of `style`, further lines indented by two.
/// Ends with a newline.
std::string WrapSentence(std::string_view sentence, const Style& style);

/// Columns that AlignAndWrap has for the last one; 0 or less: it does not wrap.
int RoomForLastColumn(const Rows& rows, int width, int gap, int indent);

}  // namespace benchd::client
