#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/parse/adapter.h"
#include "core/parse/harness_builder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sections.h"

namespace benchd::fuzz {
namespace {

void CheckReading(const AdapterReading& reading) {
  const HarnessOutput& output = reading.output;
  FUZZ_CHECK(output.samples.size() <= kMaxSamples);
  FUZZ_CHECK(reading.failures.size() <= kMaxAdapterFailures);
  std::set<std::string> keys;
  for (const MetricInfo& metric : output.metrics) {
    FUZZ_CHECK(!FirstInvalidUtf8(metric.name) && !FirstInvalidUtf8(metric.unit));
    FUZZ_CHECK(!metric.name.empty() && keys.insert(metric.name).second);
    FUZZ_CHECK(metric.unit.size() <= kMaxMetricNameBytes);
    FUZZ_CHECK(std::isfinite(metric.resolution) && metric.resolution >= 0);
  }
  for (const Sample& sample : output.samples) {
    FUZZ_CHECK(std::isfinite(sample.value));
    const std::string& inner = sample.inner_benchmark;
    FUZZ_CHECK(keys.contains(inner.empty() ? sample.metric : inner + "/" + sample.metric));
  }
}

/// Returns whether an adapter reads XML and has brackets within the brackets of an expression. The
/// time to evaluate an expression is that of the document to the power of their depth.
/// benchd-helper has a limit for it, and a fuzzer does not.
bool MayTakeForever(std::string_view adapter) {
  if (adapter.find("xml") == std::string_view::npos) return false;
  int depth = 0;
  for (const char c : adapter) {
    if (c == '[' && ++depth > 2) return true;
    if (c == ']' && depth > 0) --depth;
  }
  return false;
}

}  // namespace

/// An adapter, and after a line "=== output" what it reads. Any adapter yields values or an
/// ordinary error, and the shipped ones read any output.
void FuzzAdapter(std::string_view input) {
  const auto sections = SectionsOf(input);
  const std::string_view output = sections.size() > 1 ? sections[1].second : input;
  const auto adapter = Adapter::Parse(sections[0].second);
  if (!adapter) {
    CheckMessage(adapter.error().message);
    FUZZ_CHECK(!adapter.error().hint.empty());
  } else if (MayTakeForever(sections[0].second)) {
    return;
  } else if (const auto reading = adapter->Read(output)) {
    CheckReading(*reading);
  } else {
    CheckMessage(reading.error().message);
    FUZZ_CHECK(!reading.error().hint.empty());
  }
  static const auto kShipped = [] {
    std::vector<Adapter> shipped;
    for (const ShippedAdapter& one : ShippedAdapters()) {
      shipped.push_back(*Adapter::Parse(one.text));
    }
    return shipped;
  }();
  // One of them for each input, chosen by it.
  const Adapter& one = kShipped[output.size() % kShipped.size()];
  if (const auto reading = one.Read(output)) CheckReading(*reading);
  static_cast<void>(ToolThatPrinted(output));
}

}  // namespace benchd::fuzz
