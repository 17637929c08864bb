#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

void FuzzLines(std::string_view input) {
  const auto output = ParseLines(input);
  if (!output) {
    CheckMessage(output.error().message);
    FUZZ_CHECK(!output.error().hint.empty());
    return;
  }
  FUZZ_CHECK(!output->samples.empty() && !output->metrics.empty());
  for (const MetricInfo& metric : output->metrics) {
    FUZZ_CHECK(!metric.name.empty() && metric.name.size() <= kMaxMetricNameBytes);
    FUZZ_CHECK(std::isfinite(metric.resolution) && metric.resolution >= 0);
  }
  // Its values, printed in the format, are parsed as the same values.
  std::string printed;
  for (const Sample& sample : output->samples) {
    FUZZ_CHECK(std::isfinite(sample.value));
    std::array<char, 40> value{};
    const auto end = std::to_chars(value.data(), value.data() + value.size(), sample.value).ptr;
    // In quotes, a name may contain blanks or look like a number.
    const char* quote = sample.metric.find('"') == std::string::npos ? "\"" : "";
    printed.append(std::to_string(sample.iteration)).append(" ").append(quote);
    printed.append(sample.metric).append(quote).append(" ");
    printed.append(value.data(), end).append("\n");
  }
  const auto again = ParseLines(printed);
  FUZZ_CHECK(again && again->samples == output->samples);
}

}  // namespace benchd::fuzz
