#include "core/parse/csv.h"

#include <algorithm>
#include <array>
#include <utility>

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

// Bytes that mean themselves and are one column wide: nearly all of a table, taken in one go.
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
      "line " + std::to_string(at.line) + ", column " + std::to_string(at.column));
}

Result<const CsvRecord*> CsvParser::Next() {
  if (complete_) StartRecord();
  while (!error_ && !complete_ && !rest_.empty()) TakeStretch();
  if (!error_ && !complete_ && finished_) TakeEnd();
  if (error_) return *error_;
  return complete_ ? &record_ : nullptr;
}

void CsvParser::TakeStretch() {
  if (mark_bytes_ < kPastMark) return TakeByteOrderMark();
  const std::size_t ordinary = OrdinaryBytes(rest_);
  const std::size_t taken = std::max<std::size_t>(ordinary, 1);
  if (ordinary > 0) {
    TakeText(rest_.substr(0, ordinary));
  } else {
    TakeSpecial(rest_.front());
  }
  rest_.remove_prefix(taken);
}

void CsvParser::TakeText(std::string_view text) {
  if (state_ == State::kQuote || state_ == State::kAfterQuoted) {
    return Fail(position(), "expected a comma after the closing quote", kQuoteHint);
  }
  if (state_ == State::kBeforeField) OpenField(State::kPlain);
  Keep(text);
}

void CsvParser::TakeSpecial(char c) {
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

void CsvParser::TakeQuote() {
  if (state_ == State::kQuote) {
    state_ = State::kQuoted;
    return Keep("\"");
  }
  if (state_ != State::kBeforeField) {
    return Fail(position(), "a quote that neither opens nor closes the field", kQuoteHint);
  }
  OpenField(State::kQuoted);
  Skip('"');
}

void CsvParser::TakeByteOrderMark() {
  if (mark_bytes_ < kByteOrderMark.size() && rest_.front() == kByteOrderMark[mark_bytes_]) {
    ++mark_bytes_;
    rest_.remove_prefix(1);
    if (mark_bytes_ == kByteOrderMark.size()) mark_bytes_ = kPastMark;
    return;
  }
  TakeBrokenMark();
}

// It only began like a mark: then those bytes are text.
void CsvParser::TakeBrokenMark() {
  const std::size_t bytes = std::exchange(mark_bytes_, kPastMark);
  if (bytes == kPastMark) return;
  for (const char c : kByteOrderMark.substr(0, bytes)) TakeText({&c, 1});
}

void CsvParser::TakeEnd() {
  TakeBrokenMark();
  if (state_ == State::kQuoted) {
    return Fail(field_at_, "a quote that is never closed", kQuoteHint);
  }
  EndRecord();
}

void CsvParser::Advance(std::string_view text) {
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

void CsvParser::Skip(char c) {
  if (error_) return;
  if (record_bytes_ == limits_.record_bytes) return FailAtRecordLimit(position());
  Advance({&c, 1});
}

void CsvParser::Keep(std::string_view text) {
  const std::size_t field_room = limits_.field_bytes - (record_.text_.size() - field_begin_);
  const std::size_t record_room = limits_.record_bytes - record_bytes_;
  if (text.size() > std::min(field_room, record_room)) {
    if (record_room < field_room) return FailAtRecordLimit(field_at_);
    return Fail(field_at_, "a field of over " + std::to_string(limits_.field_bytes) + " bytes",
                kLimitHint);
  }
  record_.text_.append(text);
  Advance(text);
}

void CsvParser::OpenField(State state) {
  state_ = state;
  field_at_ = position();
  field_begin_ = record_.text_.size();
}

void CsvParser::EndField() {
  if (state_ == State::kBeforeField) OpenField(State::kPlain);
  if (record_.fields_.size() == limits_.columns) {
    return Fail(field_at_, "more than " + std::to_string(limits_.columns) + " columns", kLimitHint);
  }
  std::size_t end = record_.text_.size();
  if (state_ == State::kPlain) {
    while (end > field_begin_ && IsBlank(record_.text_[end - 1])) --end;
  }
  record_.fields_.push_back({field_begin_, end, field_at_});
}

void CsvParser::EndRecord() {
  const bool only_blanks = state_ == State::kBeforeField && record_.fields_.empty();
  if (only_blanks) return;
  EndField();
  state_ = State::kBeforeField;
  complete_ = !error_;
}

void CsvParser::StartRecord() {
  record_.text_.clear();
  record_.fields_.clear();
  complete_ = false;
}

void CsvParser::FailAtRecordLimit(TextPosition at) {
  Fail(at, "a record of over " + std::to_string(limits_.record_bytes) + " bytes", kLimitHint);
}

void CsvParser::Fail(TextPosition at, std::string_view why, std::string_view hint) {
  error_ = ErrorAt(at, why, hint);
}

ReadPiece WholeText(std::string_view text) {
  return [text]() mutable -> Result<std::string_view> { return std::exchange(text, {}); };
}

Result<TextPosition> ReadCsv(const ReadPiece& read, const TakeCsvRecord& take,
                             const CsvLimits& limits) {
  CsvParser csv(limits);
  for (bool ended = false;;) {
    const Result<const CsvRecord*> record = csv.Next();
    if (!record) return record.error();
    if (*record != nullptr) {
      if (Result<void> taken = take(**record); !taken) return std::move(taken).error();
      continue;
    }
    if (ended) return csv.position();
    const Result<std::string_view> piece = read();
    if (!piece) return piece.error();
    ended = piece->empty();
    csv.Feed(*piece);
    if (ended) csv.Finish();
  }
}

}  // namespace benchd
