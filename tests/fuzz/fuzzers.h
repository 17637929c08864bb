#pragma once

#include <span>
#include <string_view>

namespace benchd::fuzz {

/// Takes any bytes and ends the program (FUZZ_CHECK) if a promise about them is broken.
using Fuzzer = void (*)(std::string_view input);

struct NamedFuzzer {
  std::string_view name;  ///< also the name of its seeds below corpus/
  Fuzzer run;
};

/// All fuzzers, by name.
std::span<const NamedFuzzer> Fuzzers();

/// Null if there is no fuzzer with that name.
const NamedFuzzer* FindFuzzer(std::string_view name);

// Each is in NAME_fuzz.cc, except --parse's formats in harness_fuzz.cc and reports in
// report_fuzz.cc.
void FuzzAdapter(std::string_view input);
void FuzzAnalyze(std::string_view input);
void FuzzBenchmarkDotNet(std::string_view input);
void FuzzBenchmarkList(std::string_view input);
void FuzzBmf(std::string_view input);
void FuzzCatch2(std::string_view input);
void FuzzClientWords(std::string_view input);
void FuzzCommandLine(std::string_view input);
void FuzzCpuList(std::string_view input);
void FuzzCriterion(std::string_view input);
void FuzzCsv(std::string_view input);
void FuzzDaemonConfig(std::string_view input);
void FuzzGithubActionBenchmark(std::string_view input);
void FuzzGoBenchmark(std::string_view input);
void FuzzGoogleBenchmark(std::string_view input);
void FuzzHyperfine(std::string_view input);
void FuzzJmh(std::string_view input);
void FuzzJournal(std::string_view input);
void FuzzKernelFiles(std::string_view input);
void FuzzLibtest(std::string_view input);
void FuzzLines(std::string_view input);
void FuzzMeasurementTable(std::string_view input);
void FuzzMitata(std::string_view input);
void FuzzMmtests(std::string_view input);
void FuzzNanobench(std::string_view input);
void FuzzNumber(std::string_view input);
void FuzzPictures(std::string_view input);
void FuzzProfileStream(std::string_view input);
void FuzzPyperf(std::string_view input);
void FuzzPytestBenchmark(std::string_view input);
void FuzzQuantity(std::string_view input);
void FuzzRatings(std::string_view input);
void FuzzRemote(std::string_view input);
void FuzzRpcCall(std::string_view input);
void FuzzRpcRequest(std::string_view input);
void FuzzRunnerConfig(std::string_view input);
void FuzzRuns(std::string_view input);
void FuzzSessionExport(std::string_view input);
void FuzzSpecFile(std::string_view input);
void FuzzStacks(std::string_view input);
void FuzzStoredArm(std::string_view input);
void FuzzStoredJson(std::string_view input);
void FuzzText(std::string_view input);
void FuzzTimestamp(std::string_view input);
void FuzzTinybench(std::string_view input);
void FuzzVitest(std::string_view input);
void FuzzWireRecord(std::string_view input);

}  // namespace benchd::fuzz
