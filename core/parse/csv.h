#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// A line and a column of a text as an editor shows them, counted from 1. Columns count characters,
/// not bytes; a byte order mark does not count.
struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
  bool operator==(const TextPosition&) const = default;
};

/// Returns kInvalidArgument "line 3, column 5: WHY".
Error ErrorAt(TextPosition at, std::string_view why, std::string_view hint);

/// Limits for a CSV text. Apart from the piece being read, they bound the memory of a parser.
struct CsvLimits {
  std::size_t field_bytes = 4096;      ///< per field, without its quotes
  std::size_t columns = 128 * 1024;    ///< above kMaxSamples: a run may have that many metrics
  std::size_t record_bytes = 4 << 20;  ///< per record, including separators, over all its lines
};

/// The fields of one record, without quotes and surrounding blanks.
class CsvRecord {
 public:
  std::size_t size() const { return fields_.size(); }
  std::string_view text(std::size_t field) const {
    const Field& found = fields_[field];
    return std::string_view(text_).substr(found.begin, found.end - found.begin);
  }
  /// Returns the position of the first character (in a quoted field, the quote), or the end of an
  /// empty field.
  TextPosition position(std::size_t field) const { return fields_[field].at; }

 private:
  friend class CsvParser;
  struct Field {
    std::size_t begin;
    std::size_t end;
    TextPosition at;
  };
  std::string text_;
  std::vector<Field> fields_;
};

/// A source of text. Returns the next bytes, valid until the next call; empty at the end.
using ReadPiece = std::function<Result<std::string_view>()>;

/// Returns a source for a text in memory. `text` must outlive it.
ReadPiece WholeText(std::string_view text);

/// A function that processes one record. An error ends the reading.
using TakeCsvRecord = std::function<Result<void>(const CsvRecord& record)>;

/// Reads comma-separated values (RFC 4180) piece by piece and passes on each record, in constant
/// memory. The boundaries of the pieces do not matter.
///
/// Extensions to the RFC: blanks and tabs around a field are ignored (cbdr's documentation pads its
/// columns), blank lines are skipped, a line ends with LF, CRLF or CR, and a leading byte order
/// mark and a missing final newline are accepted. A quote may open a field, be doubled inside it,
/// or close it; anywhere else it is an error. Bytes are not otherwise checked; the caller must
/// validate UTF-8.
///
/// @return the position of the end of the text.
/// @errors kInvalidArgument "line 3, column 5: ..." for a misplaced quote, an unclosed quote or an
///         exceeded limit. Errors of `read` and `take` are passed on unchanged.
Result<TextPosition> ReadCsv(const ReadPiece& read, const TakeCsvRecord& take,
                             const CsvLimits& limits = {});

}  // namespace benchd
