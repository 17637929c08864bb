#include "client/request/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/metric.h"
#include "core/model/unit.h"

namespace benchd::client {
namespace {

// Returns the dimension of a built-in metric; none for a count.
std::optional<Dimension> DimensionOf(const MetricInfo& metric) {
  if (metric.unit == "s") return Dimension::kTime;
  return metric.unit == "B" ? std::optional(Dimension::kBytes) : std::nullopt;
}

// Returns the dimension of a metric, if it is known: metrics of a harness may have any name and
// dimension.
std::optional<Dimension> DimensionOf(std::string_view metric) {
  if (const MetricInfo* known = FindBuiltinMetric(metric)) return DimensionOf(*known);
  if (metric.ends_with("_time")) return Dimension::kTime;
  return std::nullopt;
}

// Returns the length of the number at the start: digits, a point and an exponent.
std::size_t NumberLength(std::string_view text) {
  double ignored = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return error == std::errc{} ? static_cast<std::size_t>(end - text.data()) : 0;
}

// A NUMBER[UNIT]; `unit` is nullptr if there is no unit.
struct Measured {
  double number = 0;
  const UnitInfo* unit = nullptr;
};

std::optional<Measured> TakeMeasured(std::string_view& text) {
  const std::size_t length = NumberLength(text);
  if (length == 0) return std::nullopt;
  Measured measured;
  std::from_chars(text.data(), text.data() + length, measured.number);
  text.remove_prefix(length);
  const std::size_t next = text.find_first_of("0123456789.+-");
  const std::string_view unit = text.substr(0, next);
  if (!unit.empty()) {
    measured.unit = FindTypedUnit(unit);
    if (measured.unit == nullptr) return std::nullopt;
  }
  text.remove_prefix(unit.size());
  return measured;
}

/// A margin in the SI unit for the given unit. Without a unit, it is in the unit of the metric.
struct AbsoluteMargin {
  double margin = 0;
  std::string_view unit;
};

// Returns whether the segment is a negative number with a unit of time or of bytes, such as "-5ms".
bool IsNegativeDifference(std::string_view segment) {
  if (!segment.starts_with('-')) return false;
  const auto measured = TakeMeasured(segment);
  return measured && measured->unit != nullptr && segment.empty();
}

// Parses "+ABS" or "-ABS". A plus sign may precede a negative number.
Result<AbsoluteMargin> ParseAbsoluteMargin(std::string_view segment, std::string_view metric) {
  const auto wrong = [segment](std::string_view why) {
    return UsageError("the margin " + std::string(segment) + " " + std::string(why),
                      "write :+5, :+2ms, :+1MiB or :-2ms");
  };
  std::string_view text = segment;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto measured = TakeMeasured(text);
  if (!measured || !text.empty()) return wrong("is not a number with a unit");
  if (!std::isfinite(measured->number)) return wrong("is not a finite number");
  if (measured->number == 0) return wrong("is zero");
  if (measured->unit == nullptr) return AbsoluteMargin{measured->number, {}};
  const auto dimension = DimensionOf(metric);
  if (dimension && *dimension != measured->unit->dimension) {
    return wrong(*dimension == Dimension::kTime ? "is not a time" : "is not a number of bytes");
  }
  const double margin = measured->unit->scale.Of(measured->number);
  if (!std::isfinite(margin) || margin == 0) return wrong("is too small or too large");
  return AbsoluteMargin{margin, SiUnit(measured->unit->dimension)};
}

// Parses a segment that is `P%`, or a bare fraction after the name of a built-in metric. Returns
// nothing for any other segment, because it is part of the name: BM_X/threads:2.
Result<std::optional<double>> ParseRatioSuffix(std::string_view name, std::string_view segment) {
  const bool percent = segment.ends_with('%');
  if (!percent && FindBuiltinMetric(name) == nullptr) return std::optional<double>{};
  const std::string_view number = segment.substr(0, segment.size() - (percent ? 1 : 0));
  if (number.empty() || NumberLength(number) != number.size()) return std::optional<double>{};
  auto margin = ParseMargin(segment);
  if (!margin) return std::move(margin).error().Within("the margin " + std::string(segment));
  return std::optional<double>(*margin);
}

std::string GateExample(const MetricInfo& metric) {
  const std::string& name = metric.name;
  const char* const absolute = metric.unit == "s" ? "2ms" : metric.unit == "B" ? "1MiB" : "5";
  const std::string exact = metric.unit == "s" ? "" : ", " + name + ":exact";
  return name + ":2%, " + name + ":+" + absolute + exact + " or " + name + ":lower";
}

}  // namespace

Result<double> ParseNumber(std::string_view text) {
  if (text.empty() || NumberLength(text) != text.size()) return UsageError("not a number");
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (!std::isfinite(value)) return UsageError("not a finite number");
  return value;
}

Result<double> ParseFraction(std::string_view text) {
  static constexpr char kHint[] = "write 2% or 0.02";
  const bool percent = text.ends_with('%');
  std::string number(percent ? text.substr(0, text.size() - 1) : text);
  while (percent && number.ends_with(' ')) number.pop_back();
  auto value = ParseNumber(number);
  if (!value) {
    value.error().hint = kHint;
    return value;
  }
  if (!percent) return value;
  // Dividing by 100 would round twice, but 0.1% must be the double nearest to 0.001.
  if (number.find_first_of("eE") == std::string::npos) return ParseNumber(number + "e-2");
  return *value / 100;
}

Result<double> ParseMargin(std::string_view text) {
  auto margin = ParseFraction(text);
  if (!margin) return margin;
  if (*margin == 0) return UsageError("a margin cannot be zero", "write 2% or -5%");
  // A bare 5 probably means 5 %. As a fraction, it would let a program pass that takes five times
  // as long.
  if (std::abs(*margin) >= 1 && !text.ends_with('%')) {
    return UsageError(*margin > 0 ? "a margin of 1 or more needs a percent sign"
                                  : "a margin of -1 or less needs a percent sign",
                      "write " + std::string(text) + "%");
  }
  return margin;
}

Result<double> ParsePrecision(std::string_view text, std::string_view before) {
  auto width = ParseFraction(text);
  const auto hint = [before](std::string_view precision) {
    return "write " + std::string(before) + std::string(precision);
  };
  if (!width) {
    width.error().hint = hint("1%");
    return width;
  }
  if (!(*width > 0)) return UsageError("the width must be above zero", hint("1%"));
  if (*width >= 1 && !text.ends_with('%')) {
    return UsageError("a width of 1 or more needs a percent sign", hint(std::string(text) + "%"));
  }
  return width;
}

Result<double> ParseProbability(std::string_view text, std::string_view example) {
  const std::string hint = "write " + std::string(example);
  auto value = ParseFraction(text);
  if (!value) {
    value.error().hint = hint;
    return value;
  }
  if (!(*value > 0 && *value < 1))
    return UsageError("must be between 0 and 100 %, exclusive", hint);
  return value;
}

double AlphaFromConfidence(double confidence) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", 1 - confidence);
  return std::strtod(text.data(), nullptr);
}

Result<double> ParseDuration(std::string_view text) {
  static constexpr char kHint[] = "write 500ms, 30s, 10m or 1h30m";
  double seconds = 0;
  std::string_view rest = text;
  do {
    const auto part = TakeMeasured(rest);
    const bool bare = part && part->unit == nullptr;
    if (!part || (bare && NumberLength(text) != text.size()) ||
        (!bare && part->unit->dimension != Dimension::kTime)) {
      return UsageError("not a duration", kHint);
    }
    if (part->number < 0) return UsageError("must be above zero", kHint);
    seconds += bare ? part->number : part->unit->scale.Of(part->number);
  } while (!rest.empty());
  if (!std::isfinite(seconds)) return UsageError("not a finite duration", kHint);
  if (!(seconds > 0)) return UsageError("must be above zero", kHint);
  return seconds;
}

Result<std::uint64_t> ParseCount(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return UsageError("too large");
  if (error != std::errc{} || end != text.data() + text.size()) {
    return UsageError("not a non-negative integer");
  }
  return value;
}

Result<std::int32_t> ParseInteger(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return UsageError("too large");
  if (error != std::errc{} || end != text.data() + text.size()) return UsageError("not an integer");
  return value;
}

Result<std::pair<std::string, std::string>> ParseAssignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return UsageError("expected NAME=VALUE", "write NAME=VALUE");
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

Result<MetricGate> ParseMetricGate(std::string_view text) {
  MetricGate gate;
  if (text.ends_with(":lower") || text.ends_with(":higher")) {
    gate.better = text.ends_with(":lower") ? Direction::kLower : Direction::kHigher;
    text.remove_suffix(text.size() - text.rfind(':'));
  }
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view segment = text.substr(colon + 1);
    const std::string_view name = text.substr(0, colon);
    if (segment == "exact") {
      gate.exact = true;
    } else if (segment.starts_with('+') || IsNegativeDifference(segment)) {
      TRY(auto absolute, ParseAbsoluteMargin(segment, name));
      gate.absolute = absolute.margin;
      gate.unit = absolute.unit;
    } else {
      TRY(auto ratio, ParseRatioSuffix(name, segment));
      gate.ratio = ratio;
    }
    if (gate.absolute || gate.ratio || gate.exact) text = name;
  }
  if (text.empty()) {
    return UsageError("missing metric name",
                      "write NAME, NAME:2%, NAME:+1MiB, NAME:exact or NAME:lower");
  }
  gate.name = text;
  return gate;
}

Result<void> CheckBuiltinMetric(std::string_view name) {
  if (NamesBuiltinMetric(std::string(name))) return {};
  const std::size_t colon = std::min(name.find(':'), name.size());
  const MetricInfo* const known = FindBuiltinMetric(name.substr(0, colon));
  if (known != nullptr) {
    return UsageError(
        "'" + std::string(name.substr(colon + 1)) + "' is neither a margin nor a direction",
        "write " + GateExample(*known));
  }
  std::vector<std::string_view> names;
  for (const auto metrics : {BuiltinMetrics(), OptionalMetrics()}) {
    for (const MetricInfo& metric : metrics) names.emplace_back(metric.name);
  }
  return UsageError("unknown metric", HintForUnknown(name.substr(0, colon), names,
                                                     "available: " + Join(names, ", ") +
                                                         "; --parse adds metrics of a program"));
}

bool IsSendableText(std::string_view text) {
  return !FirstInvalidUtf8(text) && text.find('\0') == std::string_view::npos;
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    const std::size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace benchd::client
