#include "client/session/exported_summaries.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "client/present/json.h"
#include "client/session/session_export.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/temp_folder.h"

namespace benchd::client {
namespace {

constexpr char kExportingMachine[] = "0123456789abcdef0123456789abcdef";

TEST(ExportedSummariesTest, AnExportHasTheSummariesOfItsSession) {
  const auto read = ReadSessionExport(SampleExport(kExportingMachine), ExportedRuns::kSkip);
  ASSERT_TRUE(read) << read.error().message;
  const auto summaries = SummariesOfExport(read->session);
  ASSERT_TRUE(summaries) << summaries.error().message;
  ASSERT_EQ(summaries->size(), 1U);
  const GateSummary& one = summaries->front();
  const v1::Session session = SampleSession();
  const v1::Comparison gate = RegressionUpdate().comparisons(0);
  EXPECT_EQ(one.session.value, session.session());
  EXPECT_EQ(one.benchmark, "main");
  EXPECT_EQ(one.series.size(), 16U) << "that of its command";
  EXPECT_EQ(one.metric, gate.metric());
  EXPECT_EQ(one.mean_candidate, gate.mean_candidate());
  EXPECT_EQ(one.verdict, Verdict::kRegression);
  EXPECT_EQ(one.command, session.spec().benchmarks(0).arms(1).command());
  EXPECT_FALSE(one.kernel.empty());
}

TEST(ExportedSummariesTest, OfAFolderEachSessionCountsOnceAndOtherFilesAreNamed) {
  const TempFolder folder;
  folder.Put("b.json", SampleExport(kExportingMachine));
  folder.Put("a.json", SampleExport(kExportingMachine));
  folder.Put("broken.json", SampleExport(kExportingMachine).substr(0, 300));
  folder.Put("other.json", "[1, 2]");
  folder.Put("report.html", "<p>");
  auto running = nlohmann::json::parse(SampleExport(kExportingMachine));
  running["result"]["state"] = "running";
  folder.Put("running.json", running.dump());
  const auto read = ReadExportedSummaries(folder.path(), "");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->summaries.size(), 1U);
  EXPECT_EQ(read->left_out,
            (std::vector<std::string>{"broken.json: truncated: the JSON is incomplete",
                                      "other.json: not a JSON export of a session",
                                      "running.json: the session has no verdict"}));
  EXPECT_EQ(ReadExportedSummaries(folder.path(), "main").value().summaries.size(), 1U);
  EXPECT_TRUE(ReadExportedSummaries(folder.path(), "another").value().summaries.empty());
}

TEST(ExportedSummariesTest, AFolderWithoutAnExportIsRefused) {
  const TempFolder folder;
  folder.Put("other.json", "{}");
  ExpectRefused(ReadExportedSummaries(folder.path(), ""), {{folder.path(), "DIR"}});
  ExpectRefused(ReadExportedSummaries(folder.path() + "/missing", ""), {{folder.path(), "DIR"}});
}

}  // namespace
}  // namespace benchd::client
