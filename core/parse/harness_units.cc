#include "core/parse/harness_units.h"

#include <array>
#include <cmath>
#include <utility>

namespace benchd {
namespace {

constexpr std::array<std::pair<std::string_view, UnitScale>, 10> kTimes{{
    {"ns", {1, 1e9}},
    {"us", {1, 1e6}},
    {"\u00B5s", {1, 1e6}},  // micro sign
    {"\u03BCs", {1, 1e6}},  // the Greek letter
    {"ms", {1, 1e3}},
    {"s", {1, 1}},
    {"sec", {1, 1}},
    {"min", {60, 1}},
    {"hr", {3600, 1}},
    {"day", {86400, 1}},
}};

// Where Go has no unit line: golang.org/x/perf/benchfmt, UnitMetadataMap.GetBetter.
std::optional<Better> GoDirection(std::string_view name) {
  if (name == "sec/op" || name == "B/op" || name == "allocs/op") return Better::kLower;
  if (name == "B/s") return Better::kHigher;
  return std::nullopt;
}

std::string GoSiUnit(std::string_view name) {
  if (name == "allocs/op") return "1";
  if (name == "B/op") return "B";
  if (name == "sec" || name == "sec/op") return "s";
  if (name.starts_with("sec/")) return "s" + std::string(name.substr(3));
  return std::string(name);
}

}  // namespace

PrintedNumber Scaled(const PrintedNumber& number, const UnitScale& scale) {
  const auto by = [&scale](double value) { return value * scale.times / scale.over; };
  return {by(number.value), by(number.resolution)};
}

std::optional<UnitScale> SecondsIn(std::string_view unit) {
  for (const auto& [name, scale] : kTimes) {
    if (name == unit) return scale;
  }
  return std::nullopt;
}

HarnessUnit JmhUnit(std::string_view unit) {
  const auto slash = unit.find('/');
  const std::string_view top = unit.substr(0, slash);
  const std::string_view bottom =
      slash == std::string_view::npos ? std::string_view() : unit.substr(slash + 1);
  if (bottom == "op") {
    if (const auto scale = SecondsIn(top)) return {"s", *scale, Better::kLower};
    if (top == "B") return {"B", {}, Better::kLower};
    if (top == "#") return {"1", {}, Better::kLower};
  }
  if (const auto scale = SecondsIn(bottom)) {
    if (top == "ops") return {"1/s", {scale->over, scale->times}, Better::kHigher};
    if (top == "B" && bottom == "sec") return {"B/s", {}, {}};
    if (top == "MB" && bottom == "sec") return {"B/s", {1024.0 * 1024.0, 1}, {}};
  }
  if (const auto scale = SecondsIn(unit)) return {"s", *scale, {}};
  if (unit == "counts" || unit == "#") return {"1", {}, {}};
  return {std::string(unit), {}, {}};
}

GoUnit TidyGoUnit(std::string_view unit) {
  GoUnit tidy;
  UnitScale scale;
  // Words of the numerator; behind the first slash nothing is changed.
  const std::string_view numerator = unit.substr(0, unit.find('/'));
  std::size_t at = 0;
  while (at <= numerator.size()) {
    const std::size_t end = std::min(numerator.find_first_of("-*", at), numerator.size());
    const std::string_view word = numerator.substr(at, end - at);
    if (word == "ns") {
      tidy.name += "sec";
      scale.over *= 1e9;
    } else if (word == "MB") {
      tidy.name += "B";
      scale.times *= 1e6;
    } else {
      tidy.name += word;
    }
    if (end < numerator.size()) tidy.name += numerator[end];
    at = end + 1;
  }
  tidy.name += unit.substr(numerator.size());
  tidy.unit = {GoSiUnit(tidy.name), scale, GoDirection(tidy.name)};
  return tidy;
}

}  // namespace benchd
