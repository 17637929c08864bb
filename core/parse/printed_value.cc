#include "core/parse/printed_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/unit.h"

namespace benchd {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns whether a unit may begin with this byte: a letter, of which some are not ASCII, or a
/// sign.
constexpr bool BeginsUnit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80 || c == '%' || c == '#' || c == '/';
}

/// Returns the length of the number at the start of `text`, including thousands commas; 0 if there
/// is no digit.
std::size_t NumberLength(std::string_view text) {
  std::size_t at = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  bool digit = false;
  bool point = false;
  for (; at < text.size(); ++at) {
    const bool separates = text[at] == '.' || (text[at] == ',' && !point);
    if (IsDigit(text[at])) {
      digit = true;
    } else if (!separates || (text[at] == '.' && std::exchange(point, true))) {
      break;
    }
  }
  if (!digit) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    const std::size_t first = exponent;
    while (exponent < text.size() && IsDigit(text[exponent])) ++exponent;
    if (exponent > first) at = exponent;
  }
  return at;
}

/// Returns the number without its commas, or std::nullopt if they do not separate thousands.
std::optional<std::string> WithoutThousands(std::string_view number) {
  constexpr std::size_t kGroup = 3;
  std::string plain;
  const std::size_t end = std::min(number.find_first_of(".eE"), number.size());
  std::size_t digits = 0;
  bool grouped = false;
  for (const char c : number.substr(0, end)) {
    if (c != ',') {
      plain += c;
      if (IsDigit(c)) ++digits;
      continue;
    }
    if (digits == 0 || digits > kGroup || (grouped && digits != kGroup)) return std::nullopt;
    grouped = true;
    digits = 0;
  }
  if (grouped && digits != kGroup) return std::nullopt;
  return plain.append(number.substr(end));
}

/// Parses h:mm:ss, m:ss and m:ss.ss.
std::optional<PrintedNumber> ParseClock(std::string_view text) {
  constexpr double kSixty = 60;
  PrintedNumber sum;
  std::size_t parts = 0;
  for (bool more = true; more; ++parts) {
    const std::size_t colon = text.find(':');
    more = colon != std::string_view::npos;
    const std::string_view part = text.substr(0, colon);
    const bool whole = IsWholeNumber(part);
    if (part.empty() || part.size() > 9 || !IsDigit(part[0]) || (more && !whole)) return {};
    const auto number = ParseNumber(part);
    if (!number) return {};
    sum = {sum.value * kSixty + number->value, number->resolution};
    if (more) text.remove_prefix(colon + 1);
  }
  return parts == 2 || parts == 3 ? std::optional(sum) : std::nullopt;
}

/// Parses a duration of several parts, each of a smaller unit: "1m2.033s", "1h2m3s", "1m 02s".
std::optional<PrintedNumber> ParseDuration(std::string_view text) {
  PrintedNumber sum;
  std::size_t count = 0;
  double before = 0;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, digits);
    text.remove_prefix(digits);
    const std::size_t letters = std::min(text.find_first_of("0123456789. "), text.size());
    const UnitInfo* const part = FindTypedUnit(text.substr(0, letters));
    text.remove_prefix(letters);
    if (part == nullptr || part->dimension != Dimension::kTime) return {};
    if (number.empty() || !IsDigit(number[0])) return {};
    const double seconds = part->scale.Of(1);
    if (count > 0 && seconds >= before) return {};
    before = seconds;
    if (!text.empty() && !IsWholeNumber(number)) return {};
    const auto parsed = ParseNumber(number);
    if (!parsed) return {};
    const PrintedNumber scaled = Scaled(*parsed, part->scale);
    sum = {sum.value + scaled.value, scaled.resolution};
    ++count;
    if (text.starts_with(" ")) {
      text.remove_prefix(1);
      if (text.empty()) return {};
    }
  }
  return count > 1 ? std::optional(sum) : std::nullopt;
}

struct UnitWord {
  std::string_view word;
  UnitScale scale;
};

constexpr auto kTimeWords = std::to_array<UnitWord>(
    {{"ps", {1, 1e12}},          {"nsec", {1, 1e9}},        {"nsecs", {1, 1e9}},
     {"nanosecond", {1, 1e9}},   {"nanoseconds", {1, 1e9}}, {"usec", {1, 1e6}},
     {"usecs", {1, 1e6}},        {"microsecond", {1, 1e6}}, {"microseconds", {1, 1e6}},
     {"msec", {1, 1e3}},         {"msecs", {1, 1e3}},       {"millisecond", {1, 1e3}},
     {"milliseconds", {1, 1e3}}, {"secs", {1, 1}},          {"second", {1, 1}},
     {"seconds", {1, 1}},        {"minute", {60, 1}},       {"minutes", {60, 1}},
     {"hour", {3600, 1}},        {"hours", {3600, 1}}});

std::optional<UnitScale> TimeOf(std::string_view unit) {
  if (const auto scale = SecondsIn(unit)) return scale;
  const auto* const found = std::ranges::find(kTimeWords, unit, &UnitWord::word);
  return found == kTimeWords.end() ? std::nullopt : std::optional(found->scale);
}

std::optional<UnitScale> BytesOf(std::string_view unit) {
  if (unit == "byte" || unit == "bytes" || unit == "Bytes") return UnitScale{};
  if (unit == "KB") unit = "kB";
  const UnitInfo* const found = FindMetricUnit(unit);
  if (found == nullptr || found->dimension != Dimension::kBytes) return std::nullopt;
  return found->scale;
}

std::optional<UnitScale> BitsOf(std::string_view unit) {
  constexpr std::array<std::string_view, 4> kBits{"bit", "bits", "Bit", "Bits"};
  double factor = 1;
  if (!unit.empty() && !std::ranges::count(kBits, unit)) {
    const double prefix = SuffixFactor(unit.substr(0, 1));
    if (prefix == 0) return std::nullopt;
    factor = prefix;
    unit.remove_prefix(1);
    if (unit.starts_with("i")) {
      factor = std::exp2(std::round(std::log10(prefix)) / 3 * 10);
      unit.remove_prefix(1);
    }
  }
  if (!std::ranges::count(kBits, unit)) return std::nullopt;
  return UnitScale{factor, 1};
}

/// Words for things that are counted, so that their number has no unit.
constexpr auto kCounted = std::to_array<std::string_view>(
    {"1",       "#",        "op",       "ops",         "operation",    "operations", "req",
     "reqs",    "request",  "requests", "transaction", "transactions", "tx",         "txn",
     "event",   "events",   "query",    "queries",     "call",         "calls",      "io",
     "ios",     "iter",     "iters",    "iteration",   "iterations",   "elem",       "elems",
     "element", "elements", "item",     "items",       "count",        "counts"});

std::optional<UnitScale> CountOf(std::string_view unit) {
  if (std::ranges::count(kCounted, unit) > 0) return UnitScale{};
  if (unit.size() < 2) return std::nullopt;
  const double factor = SuffixFactor(unit.substr(0, 1));
  if (factor == 0 || std::ranges::count(kCounted, unit.substr(1)) == 0) return std::nullopt;
  return UnitScale{factor, 1};
}

/// Returns the unit of an amount, such as "ms" or "MiB"; std::nullopt if it is unknown.
std::optional<HarnessUnit> AmountOf(std::string_view unit) {
  if (const auto scale = TimeOf(unit)) return HarnessUnit{"s", *scale, {}};
  if (const auto scale = BytesOf(unit)) return HarnessUnit{"B", *scale, {}};
  if (const auto scale = BitsOf(unit)) return HarnessUnit{"bit", *scale, {}};
  if (const auto scale = CountOf(unit)) return HarnessUnit{"1", *scale, {}};
  return std::nullopt;
}

HarnessUnit RateOf(std::string_view unit, std::string_view top, const UnitScale& each) {
  const auto amount = AmountOf(top);
  if (amount && amount->unit != "s") {
    return {amount->unit + "/s", amount->scale.To(each), {}};
  }
  if (each == UnitScale{}) return {std::string(top) + "/s", {}, {}};
  return {std::string(unit), {}, {}};
}

/// Units of rates without a slash.
constexpr auto kRates =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"tps", "tx/s"},
                                                                  {"rps", "req/s"},
                                                                  {"qps", "queries/s"},
                                                                  {"TPS", "tx/s"},
                                                                  {"RPS", "req/s"},
                                                                  {"QPS", "queries/s"},
                                                                  {"iops", "io/s"},
                                                                  {"IOPS", "io/s"},
                                                                  {"bps", "bit/s"},
                                                                  {"Kbps", "Kbit/s"},
                                                                  {"kbps", "kbit/s"},
                                                                  {"Mbps", "Mbit/s"},
                                                                  {"Gbps", "Gbit/s"},
                                                                  {"Bps", "B/s"},
                                                                  {"KBps", "KB/s"},
                                                                  {"MBps", "MB/s"},
                                                                  {"GBps", "GB/s"}});

}  // namespace

std::string_view WithoutBlanks(std::string_view text) {
  constexpr std::string_view kAround = " \t\r";
  const auto begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kAround) - begin + 1);
}

double SuffixFactor(std::string_view unit) {
  if (unit == "k" || unit == "K") return 1e3;
  if (unit == "M") return 1e6;
  if (unit == "G") return 1e9;
  return unit == "T" ? 1e12 : 0;
}

HarnessUnit SiUnitOf(std::string_view unit) {
  unit = WithoutBlanks(unit);
  for (const auto& [word, rate] : kRates) {
    if (word == unit) unit = rate;
  }
  if (auto amount = AmountOf(unit)) return *std::move(amount);
  const std::size_t slash = unit.find('/');
  if (slash == std::string_view::npos) return {std::string(unit), {}, {}};
  const std::string_view top = unit.substr(0, slash);
  const std::string_view bottom = unit.substr(slash + 1);
  if (const auto each = TimeOf(bottom)) return RateOf(unit, top, *each);
  const auto amount = AmountOf(top);
  // What one operation takes.
  if (amount && CountOf(bottom) == UnitScale{}) return *amount;
  return {std::string(unit), {}, {}};
}

Result<PrintedValue> ParsePrintedValue(std::string_view text) {
  text = WithoutBlanks(text);
  if (const auto clock = ParseClock(text)) return PrintedValue{*clock, "s"};
  if (const auto duration = ParseDuration(text)) return PrintedValue{*duration, "s"};
  const std::size_t length = NumberLength(text);
  const auto refuse = [text](const char* why) {
    return Error{ErrorCode::kInvalidArgument, Quoted(text) + why, {}};
  };
  if (length == 0) {
    TRY(const PrintedNumber number, ParseNumber(text));
    return PrintedValue{number, {}};
  }
  const auto plain = WithoutThousands(text.substr(0, length));
  if (!plain) return refuse(" is not a number: its commas do not separate thousands");
  const std::string_view unit = WithoutBlanks(text.substr(length));
  const bool fraction = unit.size() > 1 && unit[0] == '/' && IsDigit(unit[1]);
  if (!unit.empty() && (!BeginsUnit(unit[0]) || fraction)) return refuse(" is not a number");
  TRY(const PrintedNumber number, ParseNumber(*plain));
  return PrintedValue{number, std::string(unit)};
}

}  // namespace benchd
