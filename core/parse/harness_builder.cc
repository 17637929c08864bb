#include "core/parse/harness_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace benchd {

Error RefuseText(std::string why, std::string_view hint) {
  return Error{ErrorCode::kInvalidArgument, std::move(why), std::string(hint)};
}

std::optional<UnitScale> TimeScale(std::string_view from, std::string_view to) {
  const auto in = SecondsIn(from);
  const auto out = SecondsIn(to);
  if (!in || !out) return std::nullopt;
  return in->To(*out);
}

PrintedNumber Scaled(const PrintedNumber& number, const UnitScale& scale) {
  return {scale.Of(number.value), scale.Of(number.resolution)};
}

std::optional<UnitScale> SecondsIn(std::string_view unit) {
  const UnitInfo* const found = FindMetricUnit(unit);
  if (found == nullptr || found->dimension != Dimension::kTime) return std::nullopt;
  return found->scale;
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

namespace {

PrintedNumber InUnit(const PrintedNumber& number, std::string_view from, std::string_view to) {
  const auto scale = from == to ? std::nullopt : TimeScale(from, to);
  return scale ? Scaled(number, *scale) : number;
}

}  // namespace

Error HarnessBuilder::Refuse(std::string why) const {
  return Error{ErrorCode::kInvalidArgument, std::move(why), hint_};
}

Result<void> HarnessBuilder::CheckName(std::string_view name, const char* what,
                                       std::size_t most) const {
  if (name.size() > most) {
    return Refuse(fmt::format("the {} {} has {} bytes; the limit is {}", what, Quoted(name),
                              name.size(), most));
  }
  if (HasControlCharacter(name)) {
    return Refuse(fmt::format("the {} {} contains a control character", what, Quoted(name)));
  }
  return {};
}

Result<void> HarnessBuilder::CheckNames(const HarnessMetric& metric) const {
  if (metric.name.empty()) return Refuse("a value without a name");
  for (auto checked : {CheckName(metric.inner, "benchmark", kMaxInnerNameBytes),
                       CheckName(metric.name, "name", kMaxMetricNameBytes),
                       CheckName(metric.unit, "unit", kMaxMetricNameBytes)}) {
    if (!checked) return checked;
  }
  if (!metric.inner.empty() || FindBuiltinMetric(metric.name) == nullptr) return {};
  return Error{ErrorCode::kInvalidArgument,
               Quoted(metric.name) + " is a metric that benchd measures itself",
               "make the program print another name"};
}

Result<void> HarnessBuilder::CheckAgainst(const Known& known, const HarnessMetric& metric) const {
  const MetricInfo& info = output_.metrics[known.metric];
  if (metric.inner.size() != known.inner_bytes) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} is also the name of another benchmark's metric (line {})",
                             Quoted(info.name), known.first_line),
                 "print names whose parts between slashes differ"};
  }
  if (metric.unit != info.unit && !TimeScale(metric.unit, info.unit)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} has the unit {}, but had {} (line {})", Quoted(info.name),
                             Quoted(metric.unit), Quoted(info.unit), known.first_line),
                 "print all values of a metric in the same unit"};
  }
  if (metric.better != info.better) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{} has conflicting directions (line {})", Quoted(info.name), known.first_line),
        "state the direction once, before the metric's first value"};
  }
  return {};
}

Result<void> HarnessBuilder::Add(const HarnessMetric& metric, const PrintedNumber& printed,
                                 std::size_t line) {
  std::string_view key = metric.name;
  if (!metric.inner.empty()) {
    scratch_.assign(metric.inner).append("/").append(metric.name);
    key = scratch_;
  }
  auto found = known_.find(key);
  if (found == known_.end()) {
    TRY_VOID(CheckNames(metric));
  }
  if (IsFull()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("more than {} values in one run", kMaxSamples),
                 "make the program print a summary of its values"};
  }
  if (found == known_.end()) {
    found = known_.emplace(key, Known{output_.metrics.size(), line, 0, metric.inner.size()}).first;
    output_.metrics.push_back(
        MetricInfo{found->first, std::string(metric.unit), metric.better, 0, metric.by_name_only});
  } else if (auto checked = CheckAgainst(found->second, metric); !checked) {
    return checked;
  }
  Known& known = found->second;
  MetricInfo& info = output_.metrics[known.metric];
  info.by_name_only = info.by_name_only && metric.by_name_only;
  const PrintedNumber number = InUnit(printed, metric.unit, info.unit);
  if (!std::isfinite(number.value)) {
    return Refuse("a value of " + Quoted(info.name) + " does not fit a double in the unit " +
                  Quoted(info.unit));
  }
  double& resolution = info.resolution;
  // A resolution of 0 means "unknown", not "finest". A step may overflow even if the value is 0.
  if (number.resolution > 0 && std::isfinite(number.resolution)) {
    resolution = resolution > 0 ? std::min(resolution, number.resolution) : number.resolution;
  }
  output_.samples.push_back(
      Sample{std::string(metric.name), std::string(metric.inner), known.values++, number.value});
  return {};
}

Result<void> HarnessBuilder::AddAt(std::size_t line, const HarnessMetric& metric,
                                   const PrintedNumber& number) {
  Result<void> added = Add(metric, number, line);
  if (added) return added;
  return std::move(added).error().Within(fmt::format("line {}", line));
}

const HarnessBuilder::Known* HarnessBuilder::Find(std::string_view key) const {
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

Result<HarnessOutput> HarnessBuilder::Finish(std::string_view expected) && {
  if (output_.samples.empty()) return Refuse("no value: expected " + std::string(expected));
  return std::move(output_);
}

}  // namespace benchd
