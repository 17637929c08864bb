#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

/// Comma-separated values (RFC 4180) read piece by piece, one record at a time, in constant memory.
///
/// Beyond the RFC: blanks and tabs around a field say nothing (cbdr's documentation pads its
/// columns), a line of blanks is no record, a line ends with LF, CRLF or CR, a byte-order mark in
/// front and a missing last newline are fine. A quote may only open a field, be doubled inside one
/// or close it. Bytes are not looked at otherwise: UTF-8 is the reader's concern.
///
/// Feed() a chunk, call Next() until it gives nullptr, feed the next chunk; Finish(), and Next()
/// until nullptr again. Where the chunks are cut makes no difference. One owner, one thread.
class CsvParser {
 public:
  explicit CsvParser(CsvLimits limits = {}) : limits_(limits) {}

  /// The next bytes; Next() has given nullptr for those before. They have to stay where they are
  /// until it does so again.
  void Feed(std::string_view chunk) { rest_ = chunk; }
  /// No more bytes will come.
  void Finish() { finished_ = true; }

  /// The next record, valid until the next call; nullptr when more bytes are needed, or after
  /// Finish() when there is none left.
  ///
  /// @errors kInvalidArgument "line 3, column 5: ...": a quote where none may stand, one that is
  ///         never closed, a limit; the first error is given again by every later call.
  Result<const CsvRecord*> Next();

  /// Where the next byte stands; after the last record, the end of the text.
  TextPosition position() const { return {line_, column_}; }

 private:
  enum class State : std::uint8_t {
    kBeforeField,  // only blanks since the last separator
    kPlain,        // in a field without quotes
    kQuoted,       // between its quotes
    kQuote,        // after a quote inside a quoted field: closed, or the first of two
    kAfterQuoted,  // only blanks since the closing quote
  };

  void TakeStretch();
  void TakeText(std::string_view text);
  void TakeSpecial(char c);
  void TakeQuote();
  void TakeByteOrderMark();
  void TakeBrokenMark();
  void TakeEnd();
  void Skip(char c);
  void Keep(std::string_view text);
  void Advance(std::string_view text);
  void OpenField(State state);
  void EndField();
  void EndRecord();
  void StartRecord();
  void FailAtRecordLimit(TextPosition at);
  void Fail(TextPosition at, std::string_view why, std::string_view hint);

  CsvLimits limits_;
  std::string_view rest_;
  bool finished_ = false;
  std::size_t mark_bytes_ = 0;  // of the byte-order mark that have been seen; 4 = past it
  State state_ = State::kBeforeField;
  bool after_carriage_return_ = false;
  bool complete_ = false;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  std::size_t record_bytes_ = 0;
  std::size_t field_begin_ = 0;
  TextPosition field_at_;
  CsvRecord record_;
  std::optional<Error> error_;
};

/// Where a text comes from: its next bytes, which stay until the next call; empty at its end.
using ReadPiece = std::function<Result<std::string_view>()>;

/// All of a text that is in memory already; `text` outlives it.
ReadPiece WholeText(std::string_view text);

/// Takes one record; an error ends the reading.
using TakeCsvRecord = std::function<Result<void>(const CsvRecord& record)>;

/// Hands over every record of a text, in order.
///
/// @return where the text ends.
/// @errors those of `read`, CsvParser and `take`, as they are.
Result<TextPosition> ReadCsv(const ReadPiece& read, const TakeCsvRecord& take,
                             const CsvLimits& limits = {});

}  // namespace benchd
