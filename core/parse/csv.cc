#include "core/parse/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/try.h"

namespace benchd {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kPastMark = 4;
constexpr std::string_view kQuoteHint =
    "quote the whole field and double every quote inside it: \"a \"\"b\"\"\"";
constexpr std::string_view kLimitHint = "check that this is a table of comma-separated values";

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }
constexpr bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
constexpr bool ContinuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Bytes without special meaning that are one column wide. Most of a table consists of these, so
// they are processed in bulk.
constexpr std::array<bool, 256> kOrdinary = [] {
  std::array<bool, 256> ordinary{};
  for (std::size_t byte = 0; byte < ordinary.size(); ++byte) {
    const char c = static_cast<char>(byte);
    ordinary[byte] = IsAscii(c) && !IsBlank(c) && c != ',' && c != '"' && c != '\r' && c != '\n';
  }
  return ordinary;
}();

std::size_t OrdinaryBytes(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && kOrdinary[static_cast<unsigned char>(text[n])]) ++n;
  return n;
}

}  // namespace

Error ErrorAt(TextPosition at, std::string_view why, std::string_view hint) {
  return Error{ErrorCode::kInvalidArgument, std::string(why), std::string(hint)}.Within(
      fmt::format("line {}, column {}", at.line, at.column));
}

/// Parses one text in a single pass.
class CsvParser {
 public:
  CsvParser(const TakeCsvRecord& take, const CsvLimits& limits) : take_(take), limits_(limits) {}

  Result<void> Take(std::string_view text) {
    while (!text.empty()) {
      text.remove_prefix(TakeStretch(text));
      if (error_) return *error_;
    }
    return {};
  }

  Result<TextPosition> Finish() {
    TakeBrokenMark();
    if (state_ == State::kQuoted) {
      Fail(field_at_, "a quote is never closed", kQuoteHint);
    } else if (!error_) {
      EndRecord();
    }
    if (error_) return *error_;
    return position();
  }

 private:
  enum class State : std::uint8_t {
    kBeforeField,  // only blanks since the last separator
    kPlain,        // in a field without quotes
    kQuoted,       // between the quotes of a field
    kQuote,        // after a quote in a quoted field, which closes it or is the first of two
    kAfterQuoted,  // only blanks since the closing quote
  };

  /// Returns the position of the next byte. After the last record, this is the end of the text.
  TextPosition position() const { return {line_, column_}; }

  /// Processes a part of the text, and returns the number of bytes processed.
  std::size_t TakeStretch(std::string_view text) {
    if (mark_bytes_ < kPastMark) return TakeByteOrderMark(text.front());
    const std::size_t ordinary = OrdinaryBytes(text);
    if (ordinary > 0) {
      TakeText(text.substr(0, ordinary));
      return ordinary;
    }
    TakeSpecial(text.front());
    return 1;
  }

  void TakeText(std::string_view text) {
    if (state_ == State::kQuote || state_ == State::kAfterQuoted) {
      return Fail(position(), "expected a comma after the closing quote", kQuoteHint);
    }
    if (state_ == State::kBeforeField) OpenField(State::kPlain);
    Keep(text);
  }

  void TakeSpecial(char c) {
    if (state_ == State::kQuoted) {
      if (c != '"') return Keep({&c, 1});
      state_ = State::kQuote;
      return Skip(c);
    }
    switch (c) {
      case ',':
        EndField();
        state_ = State::kBeforeField;
        return Skip(c);
      case '\r':
      case '\n':
        EndRecord();
        Advance({&c, 1});
        record_bytes_ = 0;
        return;
      case '"':
        return TakeQuote();
      case ' ':
      case '\t':
        if (state_ == State::kPlain) return Keep({&c, 1});
        if (state_ == State::kQuote) state_ = State::kAfterQuoted;
        return Skip(c);
      default:
        return TakeText({&c, 1});
    }
  }

  void TakeQuote() {
    if (state_ == State::kQuote) {
      state_ = State::kQuoted;
      return Keep("\"");
    }
    if (state_ != State::kBeforeField) {
      return Fail(position(), "a quote neither opens nor closes the field", kQuoteHint);
    }
    OpenField(State::kQuoted);
    Skip('"');
  }

  // Checks whether the next byte belongs to a byte order mark, and returns 1 if so, else 0.
  std::size_t TakeByteOrderMark(char c) {
    if (mark_bytes_ < kByteOrderMark.size() && c == kByteOrderMark[mark_bytes_]) {
      ++mark_bytes_;
      if (mark_bytes_ == kByteOrderMark.size()) mark_bytes_ = kPastMark;
      return 1;
    }
    TakeBrokenMark();
    return 0;
  }

  // Treats the bytes so far as text, because they only began like a byte order mark.
  void TakeBrokenMark() {
    const std::size_t bytes = std::exchange(mark_bytes_, kPastMark);
    if (bytes == kPastMark) return;
    for (const char c : kByteOrderMark.substr(0, bytes)) TakeText({&c, 1});
  }

  void Advance(std::string_view text) {
    const char c = text.front();
    if (c == '\r' || (c == '\n' && !after_carriage_return_)) {
      ++line_;
      column_ = 1;
    } else if (c != '\n' && !ContinuesCharacter(c)) {
      column_ += text.size();
    }
    after_carriage_return_ = c == '\r';
    record_bytes_ += text.size();
  }

  void Skip(char c) {
    if (error_) return;
    if (record_bytes_ == limits_.record_bytes) return FailAtRecordLimit(position());
    Advance({&c, 1});
  }

  void Keep(std::string_view text) {
    const std::size_t field_room = limits_.field_bytes - (record_.text_.size() - field_begin_);
    const std::size_t record_room = limits_.record_bytes - record_bytes_;
    if (text.size() > std::min(field_room, record_room)) {
      if (record_room < field_room) return FailAtRecordLimit(field_at_);
      return Fail(field_at_, fmt::format("a field exceeds {} bytes", limits_.field_bytes),
                  kLimitHint);
    }
    record_.text_.append(text);
    Advance(text);
  }

  void OpenField(State state) {
    state_ = state;
    field_at_ = position();
    field_begin_ = record_.text_.size();
  }

  void EndField() {
    if (state_ == State::kBeforeField) OpenField(State::kPlain);
    if (record_.fields_.size() == limits_.columns) {
      return Fail(field_at_, fmt::format("more than {} columns", limits_.columns), kLimitHint);
    }
    std::size_t end = record_.text_.size();
    if (state_ == State::kPlain) {
      while (end > field_begin_ && IsBlank(record_.text_[end - 1])) --end;
    }
    record_.fields_.push_back({field_begin_, end, field_at_});
  }

  void EndRecord() {
    const bool only_blanks = state_ == State::kBeforeField && record_.fields_.empty();
    if (only_blanks) return;
    EndField();
    state_ = State::kBeforeField;
    if (error_) return;
    if (Result<void> taken = take_(record_); !taken) error_ = std::move(taken).error();
    record_.text_.clear();
    record_.fields_.clear();
  }

  void FailAtRecordLimit(TextPosition at) {
    Fail(at, fmt::format("a record exceeds {} bytes", limits_.record_bytes), kLimitHint);
  }

  void Fail(TextPosition at, std::string_view why, std::string_view hint) {
    error_ = ErrorAt(at, why, hint);
  }

  const TakeCsvRecord& take_;
  CsvLimits limits_;
  std::size_t mark_bytes_ = 0;  // bytes of the byte order mark seen so far; 4 = past it
  State state_ = State::kBeforeField;
  bool after_carriage_return_ = false;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  std::size_t record_bytes_ = 0;
  std::size_t field_begin_ = 0;
  TextPosition field_at_;
  CsvRecord record_;
  std::optional<Error> error_;
};

ReadPiece WholeText(std::string_view text) {
  return [text]() mutable -> Result<std::string_view> { return std::exchange(text, {}); };
}

Result<TextPosition> ReadCsv(const ReadPiece& read, const TakeCsvRecord& take,
                             const CsvLimits& limits) {
  CsvParser csv(take, limits);
  for (;;) {
    TRY(const std::string_view piece, read());
    if (piece.empty()) return csv.Finish();
    TRY_VOID(csv.Take(piece));
  }
}

}  // namespace benchd
