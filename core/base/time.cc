#include "core/base/time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "core/base/text.h"

namespace benchd {
namespace {

/// Reads a time from left to right. If a part is missing, AtEnd() returns false.
class TimestampReader {
 public:
  explicit TimestampReader(std::string_view text) : rest_(text) {}

  int Digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) value = 10 * value + Digit();
    return value;
  }

  int Between(int low, int high) {
    const int value = Digits(2);
    valid_ = valid_ && value >= low && value <= high;
    return value;
  }

  char OneOf(std::string_view letters) {
    const char c = rest_.empty() ? '\0' : rest_.front();
    valid_ = valid_ && !rest_.empty() && letters.find(c) != std::string_view::npos;
    if (!rest_.empty()) rest_.remove_prefix(1);
    return c;
  }

  /// Reads the fraction of a second after the decimal point, if there is one.
  Nanoseconds Fraction() {
    if (rest_.empty() || rest_.front() != '.') return {};
    rest_.remove_prefix(1);
    std::int64_t nanoseconds = Digit();
    for (int digits = 1; digits < 9 || StandsDigit(); ++digits) {
      const int digit = StandsDigit() ? Digit() : 0;
      if (digits < 9) nanoseconds = 10 * nanoseconds + digit;
    }
    return Nanoseconds(nanoseconds);
  }

  /// Reads the offset of local time from UTC.
  std::chrono::minutes Offset() {
    const char sign = OneOf("Zz+-");
    if (sign != '+' && sign != '-') return {};
    const std::chrono::hours hours(Between(0, 23));
    OneOf(":");
    const std::chrono::minutes ahead = hours + std::chrono::minutes(Between(0, 59));
    return sign == '-' ? -ahead : ahead;
  }

  bool AtEnd() const { return valid_ && rest_.empty(); }

 private:
  bool StandsDigit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  int Digit() { return OneOf("0123456789") - '0'; }

  std::string_view rest_;
  bool valid_ = true;
};

/// Returns whether a Timestamp can hold the whole year.
bool Fits(std::chrono::year year) {
  return year > std::chrono::year(1677) && year < std::chrono::year(2262);
}

}  // namespace

std::string FormatRfc3339(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto nanos = std::chrono::duration_cast<Nanoseconds>(time - seconds).count();
  const std::time_t t = seconds.time_since_epoch().count();
  std::tm utc{};
  gmtime_r(&t, &utc);
  std::array<char, 64> buffer{};
  const int length =
      std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%09lldZ",
                    utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                    utc.tm_sec, static_cast<long long>(nanos));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

Result<Timestamp> ParseRfc3339(std::string_view text) {
  TimestampReader reader(text);
  const std::chrono::year year(reader.Digits(4));
  reader.OneOf("-");
  const std::chrono::month month(static_cast<unsigned>(reader.Between(1, 12)));
  reader.OneOf("-");
  const std::chrono::day day(static_cast<unsigned>(reader.Between(1, 31)));
  reader.OneOf("Tt ");
  const std::chrono::hours hours(reader.Between(0, 23));
  reader.OneOf(":");
  const std::chrono::minutes minutes(reader.Between(0, 59));
  reader.OneOf(":");
  const std::chrono::seconds seconds(reader.Between(0, 60));
  const Nanoseconds fraction = reader.Fraction();
  const std::chrono::minutes ahead = reader.Offset();
  const std::chrono::year_month_day date(year, month, day);
  const Error no_time{ErrorCode::kInvalidArgument, Quoted(text) + " is not a time", {}};
  if (!reader.AtEnd() || !date.ok() || !Fits(year)) return no_time;
  const Timestamp time(std::chrono::sys_days(date).time_since_epoch() + hours + minutes + seconds -
                       ahead + fraction);
  // An offset or a leap second may move the time out of the first or last year.
  const std::chrono::year_month_day in_utc(std::chrono::floor<std::chrono::days>(time));
  if (!Fits(in_utc.year())) return no_time;
  return time;
}

}  // namespace benchd
