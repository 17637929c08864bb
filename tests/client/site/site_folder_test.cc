#include "client/site/site_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/client/refusals.h"
#include "tests/support/temp_folder.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

class SiteFolderTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  SiteChanges WriteSite(const std::vector<SiteFile>& files) {
    const auto folder = SiteFolder::Prepare(site_);
    EXPECT_TRUE(folder) << folder.error().message;
    const auto changes = folder->Write(files);
    EXPECT_TRUE(changes) << changes.error().message;
    return *changes;
  }

  TempFolder folder_;
  const std::string site_ = folder_.path() + "/site";
  const std::vector<SiteFile> files_ = {{"benchmark/parse.html", "page"},
                                        {"badge/parse.svg", "badge"},
                                        {"feed.json", "{}"},
                                        {"index.html", "index"}};
};

TEST_F(SiteFolderTest, OnlyWhatChangedIsWritten) {
  SiteChanges changes = WriteSite(files_);
  EXPECT_EQ(changes.files, 4U);
  EXPECT_EQ(changes.written, 4U);
  EXPECT_EQ(changes.bytes, 16U);
  EXPECT_EQ(Read(site_ + "/benchmark/parse.html"), "page");
  struct stat before {};
  ASSERT_EQ(stat((site_ + "/.benchctl-site").c_str(), &before), 0);

  changes = WriteSite(files_);
  EXPECT_EQ(changes.written, 0U);
  struct stat after {};
  ASSERT_EQ(stat((site_ + "/.benchctl-site").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "not replaced either";

  std::vector<SiteFile> changed = files_;
  changed[0].text = "egap";
  EXPECT_EQ(WriteSite(changed).written, 1U);
  EXPECT_EQ(Read(site_ + "/benchmark/parse.html"), "egap");
  for (const auto& entry : fs::recursive_directory_iterator(site_)) {
    EXPECT_NE(entry.path().extension(), ".tmp");
  }
}

TEST_F(SiteFolderTest, AFileThatTheSiteNoLongerHasIsRemovedIfTheSiteWroteIt) {
  WriteSite(files_);
  Write(site_ + "/benchmark/notes.html", "somebody's");
  Write(site_ + "/CNAME", "bench.example");
  const SiteChanges changes = WriteSite({files_[2], files_[3]});
  EXPECT_EQ(changes.removed, 2U);
  EXPECT_FALSE(fs::exists(site_ + "/benchmark/parse.html"));
  EXPECT_TRUE(fs::exists(site_ + "/benchmark/notes.html"));
  EXPECT_TRUE(fs::exists(site_ + "/CNAME"));
  EXPECT_EQ(WriteSite({files_[2], files_[3]}).removed, 0U);
}

TEST_F(SiteFolderTest, AFileOfSomebodyElseIsNotReplacedByANewPage) {
  WriteSite({files_[2], files_[3]});
  fs::create_directory(site_ + "/badge");
  Write(site_ + "/badge/parse.svg", "mine");
  const auto folder = SiteFolder::Prepare(site_);
  ASSERT_TRUE(folder);
  ExpectRefused(folder->Write(files_), {{folder_.path(), "DIR"}});
  EXPECT_EQ(Read(site_ + "/badge/parse.svg"), "mine");
  EXPECT_FALSE(fs::exists(site_ + "/benchmark/parse.html")) << "nothing was written";
  fs::remove(site_ + "/badge/parse.svg");
  EXPECT_EQ(WriteSite(files_).written, 2U);
}

TEST_F(SiteFolderTest, AMarkerCannotNameAFileElsewhere) {
  WriteSite(files_);
  Write(Path("precious.html"), "mine");
  std::ofstream(site_ + "/.benchctl-site", std::ios::app)
      << "../precious.html\nbenchmark/../../precious.html\n"
      << Path("precious.html") << "\n";
  EXPECT_EQ(WriteSite({files_[3]}).removed, 3U);
  EXPECT_EQ(Read(Path("precious.html")), "mine");
}

TEST_F(SiteFolderTest, LinksAreReplacedAndNotFollowed) {
  WriteSite(files_);
  Write(Path("precious.html"), "mine");
  fs::remove(site_ + "/index.html");
  fs::create_symlink(Path("precious.html"), site_ + "/index.html");
  EXPECT_EQ(WriteSite(files_).written, 1U);
  EXPECT_EQ(Read(Path("precious.html")), "mine");
  EXPECT_FALSE(fs::is_symlink(site_ + "/index.html"));

  fs::rename(site_ + "/badge", Path("elsewhere"));
  fs::create_directory_symlink(Path("elsewhere"), site_ + "/badge");
  const auto folder = SiteFolder::Prepare(site_);
  ASSERT_TRUE(folder);
  ExpectRefused(folder->Write(files_), {{folder_.path(), "DIR"}});
}

TEST_F(SiteFolderTest, AnEmptyFolderIsTakenAndAForeignOneIsNot) {
  fs::create_directory(site_);
  EXPECT_EQ(WriteSite(files_).written, 4U);
  fs::create_directory(Path("foreign"));
  Write(Path("foreign/letter.txt"), "dear");
  Write(Path("file"), "");
  fs::create_directory(Path("marked"));
  Write(Path("marked/.benchctl-site"), "something else");
  for (const char* const name : {"foreign", "file", "file/below", "marked", "missing/parent"}) {
    ExpectRefused(SiteFolder::Prepare(Path(name)), {{folder_.path(), "DIR"}});
  }
  ExpectRefused(SiteFolder::Prepare(""));
  EXPECT_FALSE(fs::exists(Path("missing")));
}

TEST_F(SiteFolderTest, NothingIsCreatedBeforeSomethingIsWritten) {
  EXPECT_TRUE(SiteFolder::Prepare(site_ + "/"));
  EXPECT_FALSE(fs::exists(site_));
}

TEST_F(SiteFolderTest, AnInterruptedCallLeavesNothingThatTheNextOneDoesNotKnow) {
  WriteSite({files_[2], files_[3]});
  fs::remove(site_ + "/index.html");
  fs::create_directories(site_ + "/index.html/in the way");
  const auto folder = SiteFolder::Prepare(site_);
  ASSERT_TRUE(folder);
  ASSERT_FALSE(folder->Write(files_)) << "the page is written, the index is not";
  EXPECT_TRUE(fs::exists(site_ + "/benchmark/parse.html"));
  fs::remove_all(site_ + "/index.html");
  EXPECT_EQ(WriteSite({files_[2], files_[3]}).removed, 2U);
  EXPECT_FALSE(fs::exists(site_ + "/benchmark/parse.html"));
}

}  // namespace
}  // namespace benchd::client
