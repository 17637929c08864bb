#include "client/app/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/client/refusals.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

class ExportFilesTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_ / name; }

  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name), std::ios::binary).rdbuf();
    return text.str();
  }

  void Put(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }

  std::size_t FilesThere() const {
    const std::filesystem::directory_iterator files(dir_.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  static Result<ExportFiles> Prepare(std::vector<GivenOption> options) {
    return ExportFiles::Prepare({.options = std::move(options), .positionals = {}});
  }

  TempFolder dir_;
};

std::string NameOfFormat(const ExportFormat& format) { return std::string(format.name); }

TEST_F(ExportFilesTest, WritesEachFormatWhereItIsWanted) {
  Put("b.xml", "old");
  const auto files =
      Prepare({{"export-json", Path("a.json")}, {"json", ""}, {"export-junit", Path("b.xml")}});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_TRUE(files->WantsRuns());
  EXPECT_EQ(Read("b.xml"), "old") << "nothing is lost before there is something better";
  EXPECT_EQ(FilesThere(), 1U) << "nothing to clean up should benchctl be killed";
  ASSERT_TRUE(files->Write(NameOfFormat));
  EXPECT_EQ(Read("a.json"), "json");
  EXPECT_EQ(Read("b.xml"), "junit");
  EXPECT_EQ(FilesThere(), 2U);
}

TEST_F(ExportFilesTest, WithoutAnOptionThereIsNothingToDo) {
  const auto files = Prepare({{"json", ""}});
  ASSERT_TRUE(files);
  EXPECT_TRUE(files->empty());
  EXPECT_FALSE(files->WantsRuns());
}

TEST_F(ExportFilesTest, ALinkStaysOne) {
  Put("real.json", "old");
  std::filesystem::create_symlink(Path("real.json"), Path("link.json"));
  const auto files = Prepare({{"export-json", Path("link.json")}});
  ASSERT_TRUE(files);
  ASSERT_TRUE(files->Write(NameOfFormat));
  EXPECT_EQ(Read("real.json"), "json");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link.json")));
}

TEST_F(ExportFilesTest, ALinkStaysOneAlsoIfItsFileIsStillToBeMade) {
  std::filesystem::create_directory(Path("place"));
  std::filesystem::create_symlink("place/real.json", Path("link.json"));
  const auto files = Prepare({{"export-json", Path("link.json")}});
  ASSERT_TRUE(files);
  ASSERT_TRUE(files->Write(NameOfFormat));
  EXPECT_EQ(Read("place/real.json"), "json");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link.json")));
}

TEST_F(ExportFilesTest, WhatIsReadOnlyIsRefused) {
  Put("a.csv", "old");
  ASSERT_EQ(chmod(Path("a.csv").c_str(), 0444), 0);
  const auto files = Prepare({{"export-csv", Path("a.csv")}});
  ExpectRefused(files, {{dir_.path(), "DIR"}});
  EXPECT_EQ(Read("a.csv"), "old");
}

TEST_F(ExportFilesTest, MarkdownIsAppendedWhereThatIsAskedForOrTheFileIsAStepsSummary) {
  Put("summary", "# Of the step before\n");
  ASSERT_EQ(chmod(Path("summary").c_str(), 0640), 0);
  std::filesystem::create_symlink(Path("summary"), Path("link"));
  const auto write = [](std::vector<GivenOption> options) {
    const auto files = Prepare(std::move(options));
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_TRUE(files->Write(NameOfFormat));
  };
  write({{"export-markdown", "+" + Path("summary")}});
  EXPECT_EQ(Read("summary"), "# Of the step before\n\nmarkdown");
  ASSERT_EQ(setenv("GITHUB_STEP_SUMMARY", Path("summary").c_str(), 1), 0);
  write({{"export-markdown", Path("link")}});
  EXPECT_EQ(Read("summary"), "# Of the step before\n\nmarkdown\nmarkdown");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  write({{"export-markdown", Path("other")}});
  write({{"export-markdown", Path("other")}});
  EXPECT_EQ(Read("other"), "markdown") << "any other file is replaced";
  write({{"export-markdown", "+" + Path("new")}});
  EXPECT_EQ(Read("new"), "markdown");
  unsetenv("GITHUB_STEP_SUMMARY");
  struct stat now {};
  ASSERT_EQ(stat(Path("summary").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777, 0640U);
  const auto two = Prepare({{"export-junit", "+x.xml"}});
  ExpectRefused(two);
}

TEST_F(ExportFilesTest, MarkdownIsShortenedToWhatItsPlaceTakes) {
  const auto large = [](const ExportFormat&) {
    std::string text = "**FAIL**\n\n| a | verdict |\n| --- | --- |\n";
    for (int i = 0; i < 60'000; ++i) {
      text +=
          "| row " + std::to_string(i) + (i % 100 == 0 ? " | ❌ regression |\n" : " | ✅ pass |\n");
    }
    return text + "\nend\n";
  };
  Put("summary", std::string(1000, 'x') + "\n");
  ASSERT_EQ(setenv("GITHUB_STEP_SUMMARY", Path("summary").c_str(), 1), 0);
  for (const std::string name : {"comment", "summary"}) {
    const auto files = Prepare({{"export-markdown", Path(name)}});
    ASSERT_TRUE(files);
    ASSERT_TRUE(files->Write(large));
    const std::size_t most = name == "comment" ? 60'000 : 1024 * 1024;
    EXPECT_LE(Read(name).size(), most);
    EXPECT_GT(Read(name).size(), most - 100) << "and no more than that is left out";
    EXPECT_NE(Read(name).find("| row 59900 | ❌ regression |\n"), std::string::npos)
        << "what failed is left out last";
    const std::string text = Read(name);
    const std::size_t kept = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) -
                             (name == "comment" ? 7U : 9U);  // lines that are not rows
    EXPECT_NE(text.find("\n| … " + std::to_string(60'000 - kept) + " more that passed |\n\nend\n"),
              std::string::npos)
        << text.substr(text.size() - 200);
  }
  unsetenv("GITHUB_STEP_SUMMARY");
}

TEST_F(ExportFilesTest, KeepsTheModeOfWhatItReplaces) {
  Put("a.csv", "old");
  ASSERT_EQ(chmod(Path("a.csv").c_str(), 0640), 0);
  const auto files = Prepare({{"export-csv", Path("a.csv")}});
  ASSERT_TRUE(files);
  ASSERT_TRUE(files->Write(NameOfFormat));
  struct stat now {};
  ASSERT_EQ(stat(Path("a.csv").c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 0777, 0640U);
}

TEST_F(ExportFilesTest, APipeIsWrittenTo) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  const int reader = open(Path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  {
    const auto files = Prepare({{"export-bmf", Path("pipe")}});
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_TRUE(files->Write(NameOfFormat));
  }
  char text[8] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 3);
  EXPECT_STREQ(text, "bmf");
  close(reader);
}

TEST_F(ExportFilesTest, AnOpenFileKeepsWhatOthersWroteToIt) {
  Put("log", "before\n");
  const int log = open(Path("log").c_str(), O_WRONLY | O_APPEND);
  {
    const auto files = Prepare({{"export-bmf", "/dev/fd/" + std::to_string(log)}});
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_TRUE(files->Write(NameOfFormat));
  }
  EXPECT_EQ(Read("log"), "before\nbmf");
  close(log);
}

TEST_F(ExportFilesTest, SaysWhatIsWrongBeforeAnythingIsMeasured) {
  for (const std::vector<GivenOption>& options :
       {std::vector<GivenOption>{{"export-json", "-"}},
        {{"export-csv", Path("a")}, {"export-csv", Path("b")}},
        {{"export-csv", Path("a")}, {"export-bmf", Path("a")}},
        {{"export-csv", Path("none/a")}},
        {{"export-csv", dir_.path()}},
        {{"export-csv", ""}}}) {
    ExpectRefused(Prepare(options), {{dir_.path(), "DIR"}});
  }
}

TEST_F(ExportFilesTest, WhatCannotBeWrittenTakesNothingAway) {
  Put("a.csv", "old");
  std::filesystem::create_directory(Path("gone"));
  const auto files = Prepare({{"export-csv", Path("a.csv")}, {"export-bmf", Path("gone/b")}});
  ASSERT_TRUE(files) << files.error().message;
  std::filesystem::remove(Path("gone"));
  const auto written = files->Write(NameOfFormat);
  ASSERT_FALSE(written);
  EXPECT_TRUE(written.error().message.starts_with(Path("gone/b") + ": "))
      << written.error().message;
  EXPECT_WORDING(written.error(), {{dir_.path(), "DIR"}});
  EXPECT_EQ(Read("a.csv"), "csv") << "the others are written";
}

}  // namespace
}  // namespace benchd::client
