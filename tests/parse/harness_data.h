#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parse/harness_output.h"
#include "tests/support/places.h"

namespace benchd {

/// The output of a harness: a file of tests/parse/data, whose README names the tool and the
/// command.
inline std::string HarnessData(const std::string& name) {
  std::ifstream file(test::TestFile("parse/data/" + name));
  EXPECT_TRUE(file) << "cannot read " << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `text` with the first `from` replaced, which must exist.
inline std::string With(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The values of one metric, NAME or INNER/NAME, in order; their iterations must count from 0.
inline std::vector<double> ValuesOf(const HarnessOutput& output, const std::string& key) {
  std::vector<double> values;
  for (const Sample& sample : output.samples) {
    const std::string its = sample.inner_benchmark.empty()
                                ? sample.metric
                                : sample.inner_benchmark + "/" + sample.metric;
    if (its != key) continue;
    EXPECT_EQ(sample.iteration, values.size()) << key;
    values.push_back(sample.value);
  }
  return values;
}

inline std::optional<MetricInfo> InfoOf(const HarnessOutput& output, const std::string& key) {
  for (const MetricInfo& metric : output.metrics) {
    if (metric.name == key) return metric;
  }
  return std::nullopt;
}

inline std::vector<std::string> KeysOf(const HarnessOutput& output) {
  std::vector<std::string> keys;
  for (const MetricInfo& metric : output.metrics) keys.push_back(metric.name);
  return keys;
}

/// The error for a text. Every such error must have a hint, and a message on one line.
inline Error HarnessError(std::string_view format, std::string_view text) {
  const auto output = ParseHarnessOutput(format, text);
  EXPECT_FALSE(output) << format << ": " << text.substr(0, 200);
  if (output) return {};
  EXPECT_EQ(output.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(output.error().hint.empty()) << output.error().message;
  EXPECT_EQ(output.error().message.find('\n'), std::string::npos) << output.error().message;
  return output.error();
}

}  // namespace benchd
