#include "client/site/site_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "client/site/site_paths.h"
#include "tests/client/golden.h"
#include "tests/client/site/site_samples.h"

namespace benchd::client {
namespace {

std::string FileText(const std::vector<SiteFile>& files, std::string_view path) {
  for (const SiteFile& file : files) {
    if (file.path == path) return file.text;
  }
  ADD_FAILURE() << path << " is missing";
  return "";
}

bool Holds(const std::string& page, std::string_view text) {
  return page.find(text) != std::string::npos;
}

TEST(SiteFilesTest, EachBenchmarkHasAPageAndABadge) {
  const std::vector<SiteFile> files = RenderSite(SampleSite());
  ASSERT_EQ(files.size(), 6U);
  EXPECT_EQ(files.back().path, "index.html") << "when all that it links to is there";
  ExpectGolden("site/index.html", FileText(files, "index.html"));
  ExpectGolden("site/parse.html", FileText(files, "benchmark/parse.html"));
  ExpectGolden("site/parse.svg", FileText(files, "badge/parse.svg"));
  ExpectGolden("site/feed.json", FileText(files, "feed.json"));
  EXPECT_TRUE(Holds(FileText(files, "badge/main-85944171f73967e8.svg"), ">undecided</text>"));
}

TEST(SiteFilesTest, CommitsAreLinked) {
  const std::string page = FileText(RenderSite(SampleSite()), "benchmark/parse.html");
  const std::string address = "https://host.example/repo/commit/" + std::string(40, 'a');
  EXPECT_TRUE(Holds(page, "<a href=\"" + address + "\">aaaaaaaaaa</a>"));
}

TEST(SiteFilesTest, WithoutHistoryThereIsAnIndexThatSaysSo) {
  const std::vector<SiteFile> files = RenderSite(Site());
  ASSERT_EQ(files.size(), 2U);
  EXPECT_TRUE(Holds(FileText(files, "index.html"), "No history yet"));
  EXPECT_EQ(nlohmann::json::parse(FileText(files, "feed.json"))["items"].size(), 0U);
}

TEST(SiteFilesTest, NamesAreNeverMarkup) {
  std::vector<GateSummary> entries = EntriesOfBenchmark("<script>alert(1)</script>");
  const std::string hostile = "<script>alert(1)</script>\"'\x1b[31m" + std::string(4096, 'x');
  for (GateSummary& entry : entries) {
    entry.metric = entry.machine = entry.candidate = hostile;
    entry.candidate_commit->description = hostile;
    entry.session.value = hostile;
    entry.settings = hostile;
  }
  entries.front().kernel = hostile;
  const SiteOptions options{"https://host.example/{commit}", "", {}};
  for (const SiteFile& file : RenderSite(MakeSite(entries, options, 1).value())) {
    EXPECT_TRUE(IsSitePath(file.path)) << file.path;
    EXPECT_LT(file.text.size(), 100'000U) << file.path << " shortens each of them";
    EXPECT_FALSE(Holds(file.text, "\x1b"));
    if (file.path == kFeedPath) continue;  // JSON, not markup
    EXPECT_FALSE(Holds(file.text, "<script")) << file.path;
    EXPECT_TRUE(Holds(file.text, "&lt;script&gt;alert(1)")) << file.path;
  }
}

TEST(SiteFilesTest, NothingIsFetchedAndNothingIsRun) {
  for (const SiteFile& file : RenderSite(SampleSite())) {
    if (!file.path.ends_with(".html")) continue;
    EXPECT_TRUE(Holds(file.text, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    for (const char* const loading : {"<script", "<img", "<iframe", "src=", "@import", "url(h"}) {
      EXPECT_FALSE(Holds(file.text, loading)) << file.path << ": " << loading;
    }
  }
}

TEST(SiteFilesTest, PagesSayWhatTheyLeaveOut) {
  std::vector<GateSummary> entries = EntriesOfBenchmark("parse", 2000);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].kernel = std::to_string(i / 50);
  const Site site = MakeSite(entries, {}, 1).value();
  const std::string page = FileText(RenderSite(site), "benchmark/parse.html");
  EXPECT_TRUE(Holds(page, "The table has the newest 100 of 2000 entries."));
  EXPECT_TRUE(Holds(page, "consecutive entries"));
  EXPECT_TRUE(Holds(page, "older changes are left out."));
  EXPECT_LT(page.size(), 120'000U);

  std::vector<GateSummary> machines;
  for (int i = 0; i < 50; ++i) {
    GateSummary& one = machines.emplace_back(EntriesOfBenchmark("parse", 1).front());
    one.machine = "machine " + std::to_string(i);
  }
  EXPECT_TRUE(Holds(FileText(RenderSite(MakeSite(machines, {}, 1).value()), "benchmark/parse.html"),
                    "This page shows 40 of 50 series."));
}

}  // namespace
}  // namespace benchd::client
