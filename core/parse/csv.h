#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// A place in a text as an editor shows it, both from 1. Columns count characters, not bytes; a
/// byte-order mark is none.
struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
  bool operator==(const TextPosition&) const = default;
};

/// kInvalidArgument "line 3, column 5: WHY".
Error ErrorAt(TextPosition at, std::string_view why, std::string_view hint);

/// What a CSV text may have at most: together with what is being read, all the memory that a parser
/// ever takes.
struct CsvLimits {
  std::size_t field_bytes = 4096;      ///< of one field, without its quotes
  std::size_t columns = 128 * 1024;    ///< above kMaxSamples: a run may have that many
  std::size_t record_bytes = 4 << 20;  ///< of one record with its separators, over all its lines
};

/// The fields of one record, without blanks around them and without their quotes.
class CsvRecord {
 public:
  std::size_t size() const { return fields_.size(); }
  std::string_view text(std::size_t field) const {
    const Field& found = fields_[field];
    return std::string_view(text_).substr(found.begin, found.end - found.begin);
  }
  /// Of the first character (the quote of a quoted field), or where an empty field ends.
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

/// Where a text comes from: its next bytes, which stay until the next call; empty at its end.
using ReadPiece = std::function<Result<std::string_view>()>;

/// All of a text that is in memory already; `text` outlives it.
ReadPiece WholeText(std::string_view text);

/// Takes one record; an error ends the reading.
using TakeCsvRecord = std::function<Result<void>(const CsvRecord& record)>;

/// Reads comma-separated values (RFC 4180) piece by piece and hands over one record after the
/// other, in constant memory. Where the pieces are cut makes no difference.
///
/// Beyond the RFC: blanks and tabs around a field say nothing (cbdr's documentation pads its
/// columns), a line of blanks is no record, a line ends with LF, CRLF or CR, a byte-order mark in
/// front and a missing last newline are fine. A quote may only open a field, be doubled inside one
/// or close it. Bytes are not looked at otherwise: UTF-8 is the reader's concern.
///
/// @return where the text ends.
/// @errors kInvalidArgument "line 3, column 5: ...", the first one: a quote where none may stand,
///         one that is never closed, a limit. Those of `read` and `take`, as they are.
Result<TextPosition> ReadCsv(const ReadPiece& read, const TakeCsvRecord& take,
                             const CsvLimits& limits = {});

}  // namespace benchd
