#include "tests/fuzz/fuzzers.h"

#include <algorithm>
#include <array>

namespace benchd::fuzz {

std::span<const NamedFuzzer> Fuzzers() {
  static constexpr auto kFuzzers = std::to_array<NamedFuzzer>({
      {"adapter", FuzzAdapter},
      {"analyze", FuzzAnalyze},
      {"benchmark_dotnet", FuzzBenchmarkDotNet},
      {"benchmark_list", FuzzBenchmarkList},
      {"bmf", FuzzBmf},
      {"catch2", FuzzCatch2},
      {"client_words", FuzzClientWords},
      {"command_line", FuzzCommandLine},
      {"cpu_list", FuzzCpuList},
      {"criterion", FuzzCriterion},
      {"csv", FuzzCsv},
      {"daemon_config", FuzzDaemonConfig},
      {"github_action_benchmark", FuzzGithubActionBenchmark},
      {"go_benchmark", FuzzGoBenchmark},
      {"google_benchmark", FuzzGoogleBenchmark},
      {"hyperfine", FuzzHyperfine},
      {"jmh", FuzzJmh},
      {"journal", FuzzJournal},
      {"kernel_files", FuzzKernelFiles},
      {"libtest", FuzzLibtest},
      {"lines", FuzzLines},
      {"measurement_table", FuzzMeasurementTable},
      {"mitata", FuzzMitata},
      {"mmtests", FuzzMmtests},
      {"nanobench", FuzzNanobench},
      {"number", FuzzNumber},
      {"pictures", FuzzPictures},
      {"profile_stream", FuzzProfileStream},
      {"pyperf", FuzzPyperf},
      {"pytest_benchmark", FuzzPytestBenchmark},
      {"quantity", FuzzQuantity},
      {"ratings", FuzzRatings},
      {"remote", FuzzRemote},
      {"rpc_call", FuzzRpcCall},
      {"rpc_request", FuzzRpcRequest},
      {"runner_config", FuzzRunnerConfig},
      {"runs", FuzzRuns},
      {"session_export", FuzzSessionExport},
      {"spec_file", FuzzSpecFile},
      {"stacks", FuzzStacks},
      {"stored_arm", FuzzStoredArm},
      {"stored_json", FuzzStoredJson},
      {"text", FuzzText},
      {"timestamp", FuzzTimestamp},
      {"tinybench", FuzzTinybench},
      {"vitest", FuzzVitest},
      {"wire_record", FuzzWireRecord},
  });
  return kFuzzers;
}

const NamedFuzzer* FindFuzzer(std::string_view name) {
  const std::span<const NamedFuzzer> all = Fuzzers();
  const auto found = std::ranges::find(all, name, &NamedFuzzer::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace benchd::fuzz
