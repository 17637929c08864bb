#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "core/parse/harness_builder.h"
#include "core/parse/harness_output.h"
#include "core/parse/harness_table.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

/// Properties of a table from two such files; files that cannot form one yield an ordinary error.
void CheckHarnessTable(std::string_view format, std::string_view text) {
  const HarnessFile files[] = {{"old.txt", "old", std::string(text)},
                               {"new.txt", "new", std::string(text)}};
  const auto table = ReadHarnessTable(format, files);
  if (!table) {
    CheckMessage(table.error().message);
    return;
  }
  FUZZ_CHECK(table->values.size() == table->metrics.size());
  FUZZ_CHECK(table->benchmark.size() == table->rows() && table->line.size() == table->rows());
  for (const std::vector<double>& column : table->values) {
    FUZZ_CHECK(column.size() == table->rows());
  }
  for (std::size_t row = 0; row < table->rows(); ++row) {
    FUZZ_CHECK(table->arm[row] < table->arms.size());
    FUZZ_CHECK(table->benchmark[row] < table->benchmarks.size());
  }
}

/// Properties of every format of --parse for any output.
void CheckHarness(std::string_view format, std::string_view text) {
  const auto output = ParseHarnessOutput(format, text);
  if (!output) {
    CheckMessage(output.error().message);
    FUZZ_CHECK(!output.error().hint.empty());
    return;
  }
  FUZZ_CHECK(!output->samples.empty() && output->samples.size() <= kMaxSamples);
  std::set<std::string> keys;
  for (const MetricInfo& metric : output->metrics) {
    FUZZ_CHECK(!metric.name.empty() && keys.insert(metric.name).second);
    FUZZ_CHECK(metric.unit.size() <= kMaxMetricNameBytes);
    FUZZ_CHECK(std::isfinite(metric.resolution) && metric.resolution >= 0);
  }
  for (const Sample& sample : output->samples) {
    FUZZ_CHECK(std::isfinite(sample.value));
    FUZZ_CHECK(sample.metric.size() <= kMaxMetricNameBytes);
    FUZZ_CHECK(sample.inner_benchmark.size() <= kMaxInnerNameBytes);
    const std::string& inner = sample.inner_benchmark;
    FUZZ_CHECK(keys.contains(inner.empty() ? sample.metric : inner + "/" + sample.metric));
  }
  CheckHarnessTable(format, text);
}

}  // namespace

void FuzzBenchmarkDotNet(std::string_view input) { CheckHarness("benchmarkdotnet", input); }
void FuzzBmf(std::string_view input) { CheckHarness("bmf", input); }
void FuzzCatch2(std::string_view input) { CheckHarness("catch2", input); }
void FuzzCriterion(std::string_view input) { CheckHarness("criterion", input); }
void FuzzGithubActionBenchmark(std::string_view input) {
  CheckHarness("github-smaller", input);
  CheckHarness("github-bigger", input);
}
void FuzzGoBenchmark(std::string_view input) { CheckHarness("go", input); }
void FuzzGoogleBenchmark(std::string_view input) { CheckHarness("google-benchmark", input); }
void FuzzHyperfine(std::string_view input) { CheckHarness("hyperfine", input); }
void FuzzJmh(std::string_view input) { CheckHarness("jmh", input); }
void FuzzLibtest(std::string_view input) { CheckHarness("libtest", input); }
void FuzzMitata(std::string_view input) { CheckHarness("mitata", input); }
void FuzzMmtests(std::string_view input) { CheckHarness("mmtests", input); }
void FuzzNanobench(std::string_view input) { CheckHarness("nanobench", input); }
void FuzzPyperf(std::string_view input) { CheckHarness("pyperf", input); }
void FuzzPytestBenchmark(std::string_view input) { CheckHarness("pytest-benchmark", input); }
void FuzzTinybench(std::string_view input) { CheckHarness("tinybench", input); }
void FuzzVitest(std::string_view input) { CheckHarness("vitest", input); }

}  // namespace benchd::fuzz
