#include "client/session/exported_summaries.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "client/app/exit_code.h"
#include "client/link/host.h"
#include "client/present/text.h"
#include "client/request/table_file.h"
#include "client/session/session_export.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/session.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

/// An export with the runs of a long session. Each thread has one file in memory.
constexpr std::size_t kMostExportBytes = std::size_t{512} << 20U;

SessionSpec CommandsOf(const v1::SessionSpec& from) {
  SessionSpec spec;
  spec.labels = {from.labels().begin(), from.labels().end()};
  for (const v1::Benchmark& benchmark : from.benchmarks()) {
    Benchmark& added = spec.benchmarks.emplace_back();
    added.name = benchmark.name();
    for (const v1::Arm& arm : benchmark.arms()) {
      Arm& one = added.arms.emplace_back();
      one.name = arm.name();
      one.command = arm.command();
      one.interpreter = arm.interpreter();
      if (arm.has_commit()) one.commit = Commit{arm.commit().id(), arm.commit().description()};
    }
  }
  return spec;
}

MachineReport MachineReportOf(const v1::Started& started) {
  MachineReport machine;
  for (const v1::EnvironmentFact& fact : started.environment()) {
    machine.environment.facts.emplace_back(fact.name(), fact.value());
  }
  for (const v1::Setting& setting : started.isolation()) {
    SettingState& added = machine.isolation.emplace_back();
    added.setting = setting.setting();
    added.actual = setting.actual();
    added.held = setting.held();
  }
  return machine;
}

Result<Report> ReportOf(const v1::Update& from) {
  Report report;
  for (const v1::Comparison& comparison : from.comparisons()) {
    TRY(auto one, convert::FromProto(comparison));
    report.comparisons.push_back(std::move(one));
  }
  for (const v1::Estimate& estimate : from.estimates()) {
    TRY(auto one, convert::FromProto(estimate));
    report.estimates.push_back(std::move(one));
  }
  report.control_changed = from.control_changed();
  return report;
}

/// Returns the files *.json of a folder, in the order of their names.
Result<std::vector<fs::path>> ExportsIn(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  fs::directory_iterator next(folder, error);
  for (; !error && next != fs::directory_iterator(); next.increment(error)) {
    std::error_code of_file;
    if (next->path().extension() == ".json" && next->is_regular_file(of_file)) {
      files.push_back(next->path());
    }
  }
  if (error) return UsageError("--exports " + folder + ": " + error.message());
  std::ranges::sort(files);
  return files;
}

Result<std::vector<GateSummary>> SummariesInText(std::string_view text) {
  TRY(const auto read, ReadSessionExport(text, ExportedRuns::kSkip));
  TRY(auto summaries, SummariesOfExport(read.session));
  if (summaries.empty()) return UsageError("the session has no verdict");
  return summaries;
}

/// @errors begin with the name of the file
Result<std::vector<GateSummary>> SummariesIn(const fs::path& path) {
  TRY(auto file, TableFile::Open(path.string()));
  TRY(const auto text, file.ReadAll(kMostExportBytes));
  auto summaries = SummariesInText(text);
  if (!summaries) return std::move(summaries).error().Within(path.filename().string());
  return summaries;
}

using ReadFiles = std::vector<std::optional<Result<std::vector<GateSummary>>>>;

/// Reads the files on several threads, because parsing takes most of the time.
ReadFiles ReadAllOf(const std::vector<fs::path>& files) {
  constexpr std::size_t kMostThreads = 8;
  ReadFiles all(files.size());  // each element is written by one thread
  std::atomic<std::size_t> next = 0;
  const auto work = [&files, &all, &next] {
    for (std::size_t i = next++; i < files.size(); i = next++) all[i] = SummariesIn(files[i]);
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < std::min({CpusOfThisThread(), kMostThreads, files.size()}); ++i) {
    helpers.emplace_back(work);
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  return all;
}

}  // namespace

Result<std::vector<GateSummary>> SummariesOfExport(const v1::Session& session) {
  if (session.state() != v1::SESSION_STATE_DONE) return std::vector<GateSummary>();
  SessionRecord record;
  record.spec = CommandsOf(session.spec());
  SessionSnapshot& snapshot = record.snapshot;
  snapshot.id.value = session.session();
  snapshot.state = SessionState::kDone;
  snapshot.submitted_at = convert::FromProto(session.submitted_at());
  if (session.has_ended_at()) snapshot.ended_at = convert::FromProto(session.ended_at());
  if (session.has_started()) snapshot.machine = MachineReportOf(session.started());
  TRY(snapshot.report, ReportOf(session.report()));
  return SummariesOf(record);
}

Result<ExportedSummaries> ReadExportedSummaries(const std::string& folder,
                                                const std::string& benchmark) {
  TRY(const auto files, ExportsIn(folder));
  ExportedSummaries read;
  std::set<std::tuple<std::string, Timestamp, std::uint32_t>> known;
  bool any = false;
  for (auto& of_file : ReadAllOf(files)) {
    Result<std::vector<GateSummary>>& summaries = *of_file;
    if (!summaries) {
      read.left_out.push_back(Printable(OneLine(summaries.error().message)));
      continue;
    }
    any = true;
    // Sessions of several machines may have the same ID.
    std::erase_if(*summaries, [&](const GateSummary& one) {
      const bool again = !known.emplace(one.session.value, one.ended_at, one.position).second;
      return again || (!benchmark.empty() && one.benchmark != benchmark);
    });
    std::ranges::move(*summaries, std::back_inserter(read.summaries));
  }
  if (any) return read;
  return UsageError("--exports " + folder + ": no export of a session with a verdict",
                    "write one: benchctl export ID --format json > DIR/ID.json");
}

}  // namespace benchd::client
