// The validity bench: does a stated error rate hold under continuous watching?
//
// Exit code 0; 1 if --check found a figure outside its band; 2 for a wrong command line.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench/validity/bands.h"
#include "tests/bench/validity/checks.h"
#include "tests/bench/validity/confirmation.h"
#include "tests/bench/validity/coverage.h"
#include "tests/bench/validity/early.h"
#include "tests/bench/validity/intersection.h"
#include "tests/bench/validity/measure.h"
#include "tests/bench/validity/options.h"
#include "tests/bench/validity/replication.h"
#include "tests/bench/validity/steps.h"

namespace benchd::validity {
namespace {

int Fail(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "hint: %s\n", error.hint.c_str());
  return 2;
}

int Check(const Results& results, const Options& options) {
  const Result<std::vector<CoverageOfFamily>> coverage =
      SimulateCoverage(options, CoveragePart::kWatched);
  if (!coverage) return Fail(coverage.error());
  std::vector<std::string> offences = Offences(results, options);
  for (std::string& offence : CoverageOffences(*coverage, options)) {
    offences.push_back(std::move(offence));
  }
  for (std::string& offence : RankCountOffences(options.seed)) {
    offences.push_back(std::move(offence));
  }
  for (const std::string& offence : offences) std::printf("out of its band: %s\n", offence.c_str());
  std::printf("validity: %zu figures out of their bands; %llu repetitions, seed %llu\n",
              offences.size(), static_cast<unsigned long long>(options.repetitions),
              static_cast<unsigned long long>(options.seed));
  return offences.empty() ? 0 : 1;
}

int Coverage(const CommandLine& line) {
  const Result<std::vector<CoverageOfFamily>> results =
      SimulateCoverage(line.options, CoveragePart::kAll);
  if (!results) return Fail(results.error());
  std::fputs(CoverageReport(*results, line.options, line.format).c_str(), stdout);
  return 0;
}

int Main(std::span<const char* const> words) {
  const Result<CommandLine> line = ParseCommandLine(words);
  if (!line) return Fail(line.error());
  if (line->help) {
    std::fputs(HelpText(), stdout);
    return 0;
  }
  if (line->change_points) {
    std::fputs(StepReport(line->options, line->format).c_str(), stdout);
    return 0;
  }
  if (line->coverage) return Coverage(*line);
  if (line->intersection) {
    const Result<std::string> report = IntersectionReport(line->options, line->format);
    if (!report) return Fail(report.error());
    std::fputs(report->c_str(), stdout);
    return 0;
  }
  if (line->early) {
    const Result<std::string> report = EarlyReport(line->options, line->format);
    if (!report) return Fail(report.error());
    std::fputs(report->c_str(), stdout);
    return 0;
  }
  if (line->confirmation) {
    const Result<std::string> report = ConfirmationReport(line->options, line->format);
    if (!report) return Fail(report.error());
    std::fputs(report->c_str(), stdout);
    return 0;
  }
  if (line->measure) {
    const Result<std::string> report = MeasureReport(line->options, line->format);
    if (!report) return Fail(report.error());
    std::fputs(report->c_str(), stdout);
    return 0;
  }
  if (line->checks) {
    const Result<std::string> report = CheckReport(line->options, line->format);
    if (!report) return Fail(report.error());
    std::fputs(report->c_str(), stdout);
    return 0;
  }
  if (line->replication) {
    std::fputs(ReplicationReport(line->options, line->format).c_str(), stdout);
    return 0;
  }
  const Result<Results> results = Simulate(line->options);
  if (!results) return Fail(results.error());
  if (line->check) return Check(*results, line->options);
  std::fputs(Report(*results, line->options, line->format).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace benchd::validity

int main(int argc, char** argv) {
  return benchd::validity::Main({argv + 1, static_cast<std::size_t>(argc - 1)});
}
