#include "core/parse/bmf.h"

#include <string>
#include <utility>

#include "core/parse/harness_builder.h"
#include "core/parse/harness_units.h"
#include "core/parse/json_records.h"
#include "core/parse/text.h"

namespace benchd {
namespace {

constexpr std::string_view kBmfHint =
    "print Bencher Metric Format: {\"BENCHMARK\": {\"MEASURE\": {\"value\": 88.0}}}";

// https://bencher.dev/docs/how-to/track-custom-benchmarks: what every project has by default.
HarnessUnit UnitOf(std::string_view measure) {
  if (measure == "latency") return {"s", {1, 1e9}, Better::kLower};
  if (measure == "throughput") return {"1/s", {}, Better::kHigher};
  return {};
}

Result<void> TakeMeasure(const std::string& inner, const std::string& name,
                         const JsonValue& measure, HarnessBuilder& builder) {
  auto value = RequiredNumber(measure, "value", kBmfHint);
  if (!value) return std::move(value).error();
  const HarnessUnit unit = UnitOf(name);
  auto added =
      builder.Add({inner, name, unit.unit, unit.better}, Scaled(*value, unit.scale), measure.line);
  if (!added) return JsonError(measure.line, added.error().message, added.error().hint);
  return {};
}

}  // namespace

Result<HarnessOutput> ParseBmf(std::string_view text) {
  HarnessBuilder builder(kBmfHint);
  const JsonLayout layout{.records = JsonRecords::kTopMembers, .hint = kBmfHint};
  const auto take = [&builder](const std::string& name, const JsonValue& measures) -> Result<void> {
    if (measures.kind != JsonValue::Kind::kObject) {
      return JsonError(measures.line, "expected an object of measures for " + Quoted(name),
                       kBmfHint);
    }
    for (std::size_t i = 0; i < measures.keys.size(); ++i) {
      auto taken = TakeMeasure(name, measures.keys[i], measures.items[i], builder);
      if (!taken) return taken;
    }
    return {};
  };
  if (auto read = ReadJsonRecords(text, layout, take); !read) return std::move(read).error();
  return std::move(builder).Finish("at least one benchmark with a measure");
}

}  // namespace benchd
