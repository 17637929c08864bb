#include <algorithm>

#include "client/present/text.h"
#include "client/request/spec_input.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

void CheckFileError(const Error& error) {
  // Checks the message that benchctl prints.
  CheckMessage(client::OneLine(error.message));
  FUZZ_CHECK(client::ExitFor(error) == client::ExitCode::kUsage);
}

bool AreComplete(const std::vector<client::ArmInput>& arms) {
  return std::all_of(arms.begin(), arms.end(), [](const client::ArmInput& arm) {
    return !arm.name.empty() && arm.dir.starts_with('/');
  });
}

void CheckInput(const client::SpecInput& input) {
  FUZZ_CHECK(!input.benchmarks.empty() && AreComplete(input.arms));
  FUZZ_CHECK(std::all_of(
      input.benchmarks.begin(), input.benchmarks.end(),
      [](const client::BenchmarkInput& benchmark) { return AreComplete(benchmark.arms); }));
}

// Parameters multiply benchmarks up to a limit, and none of them remains.
void CheckExpansion(const client::SpecInput& input) {
  const auto expanded = client::ExpandSuite(input);
  if (!expanded) return CheckFileError(expanded.error());
  FUZZ_CHECK(!expanded->benchmarks.empty());
  FUZZ_CHECK(expanded->benchmarks.size() <=
             std::max(client::kMostBenchmarks, input.benchmarks.size()));
  for (const client::BenchmarkInput& benchmark : expanded->benchmarks) {
    FUZZ_CHECK(!benchmark.options.contains("parameter-list"));
    FUZZ_CHECK(!benchmark.options.contains("parameter-scan"));
  }
  CheckInput(*expanded);
}

}  // namespace

void FuzzSpecFile(std::string_view input) {
  const auto spec_file = client::ParseSpecFile(input, "suite.toml", "/src/feature");
  if (!spec_file) {
    CheckFileError(spec_file.error());
    FUZZ_CHECK(spec_file.error().message.starts_with("suite.toml:"));
    return;
  }
  CheckInput(*spec_file);
  CheckExpansion(*spec_file);
  const auto spec = client::BuildSpec(*spec_file, {"/cwd", {}});
  if (!spec) CheckFileError(spec.error());
  // The wire carries only UTF-8; other text must be rejected here, not by the daemon.
  std::string sent;
  if (spec) FUZZ_CHECK(spec->SerializeToString(&sent));
  v1::SessionSpec received;
  FUZZ_CHECK(received.ParseFromString(sent));
}

}  // namespace benchd::fuzz
