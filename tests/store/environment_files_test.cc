#include "daemon/store/environment_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "daemon/store/state_files.h"
#include "tests/store/file_mode.h"
#include "tests/store/rich_values.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;

class EnvironmentFilesTest : public testing::Test {
 protected:
  EnvironmentFiles Open() {
    Result<EnvironmentFiles> files = EnvironmentFiles::Open(folder_.path());
    EXPECT_TRUE(files) << files.error().message;
    return std::move(*files);
  }
  std::filesystem::path FileOf(const std::string& name) const {
    return folder_ / ("environments/" + name);
  }
  /// For EXPECT_WORDING: the folder's name differs in each run.
  test::Replacements Places() const { return {{folder_.path(), "DIR"}}; }

  TempFolder folder_;
};

TEST_F(EnvironmentFilesTest, TakesTheValuesAndLeavesTheNames) {
  SessionSpec spec = RichSpec();
  const EnvironmentValues values = TakeEnvironment(spec);
  EXPECT_EQ(values.session.at("PATH"), "/bin:/usr/bin");
  EXPECT_EQ(values.arms.at(0).at(0).at("TOKEN"), "secret");
  EXPECT_EQ(spec.environment, (std::map<std::string, std::string>{{"BYTES", ""}, {"PATH", ""}}));
  EXPECT_EQ(spec.benchmarks[0].arms[0].env,
            (std::map<std::string, std::string>{{"EMPTY", ""}, {"TOKEN", ""}}));
}

TEST_F(EnvironmentFilesTest, GivesTheValuesBackWithEveryByte) {
  const EnvironmentFiles files = Open();
  SessionSpec spec = RichSpec();
  Result<UnsyncedFile> written = files.Write(SessionId{"a"}, TakeEnvironment(spec));
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->path, FileOf("a.json"));
  ASSERT_NE(spec, RichSpec());
  Result<void> merged = files.Merge(SessionId{"a"}, spec);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(spec, RichSpec());
}

TEST_F(EnvironmentFilesTest, LetsNobodyElseRead) {
  const mode_t before = ::umask(0);
  const EnvironmentFiles files = Open();
  SessionSpec spec = RichSpec();
  Result<UnsyncedFile> written = files.Write(SessionId{"a"}, TakeEnvironment(spec));
  ::umask(before);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(ModeOf(FileOf("")), 0700);
  EXPECT_EQ(ModeOf(FileOf("a.json")), 0600);
  EXPECT_EQ(ModeOf(FileOf("a.json.tmp")), -1);
}

TEST_F(EnvironmentFilesTest, AFullDiskIsReportedWithoutTheNameOfAFile) {
  for (const int error : {ENOSPC, EDQUOT}) {
    const Error full = FileNotKept(FileOf("a.json.tmp"), error);
    EXPECT_EQ(full.code, ErrorCode::kResourceExhausted);
    EXPECT_THAT(full.message, testing::Not(HasSubstr("a.json")));
    EXPECT_WORDING(full);
  }
  // Other errors must be reported to the administrator.
  const Error other = FileNotKept(FileOf("a.json"), EIO);
  EXPECT_THAT(other.message, HasSubstr(FileOf("a.json").string()));
  EXPECT_WORDING(other, Places());
}

TEST_F(EnvironmentFilesTest, ClosesAFolderThatWasOpenToOthers) {
  ASSERT_EQ(::mkdir(FileOf("").parent_path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(FileOf("").c_str(), 0755), 0);
  Open();
  EXPECT_EQ(ModeOf(FileOf("")), 0700);
}

TEST_F(EnvironmentFilesTest, RefusesALinkInPlaceOfTheFolder) {
  const TempFolder elsewhere;
  std::filesystem::create_directory_symlink(elsewhere.path(), folder_ / "environments");
  Result<EnvironmentFiles> refused = EnvironmentFiles::Open(folder_.path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(refused.error(), Places());
}

TEST_F(EnvironmentFilesTest, WithoutAFileASessionWithVariablesCannotRun) {
  const EnvironmentFiles files = Open();
  SessionSpec spec = RichSpec();
  TakeEnvironment(spec);
  const Result<void> merged = files.Merge(SessionId{"none"}, spec);
  ASSERT_FALSE(merged);
  EXPECT_WORDING(merged.error());
  SessionSpec without;
  EXPECT_TRUE(files.Merge(SessionId{"none"}, without));
  EXPECT_TRUE(files.Remove(SessionId{"none"}));
}

TEST_F(EnvironmentFilesTest, NamesAFileThatIsDamaged) {
  const EnvironmentFiles files = Open();
  std::ofstream(FileOf("a.json")) << R"({"session": [["PATH"]], "arms": []})";
  SessionSpec spec;
  Result<void> merged = files.Merge(SessionId{"a"}, spec);
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, HasSubstr(FileOf("a.json").string() + ": session[0]: "));
  EXPECT_WORDING(merged.error(), Places());
}

TEST_F(EnvironmentFilesTest, SweepsWhatBelongsToNoSession) {
  const EnvironmentFiles files = Open();
  for (const char* name : {"a.json", "b.json", "a.json.tmp", "note.txt"}) {
    std::ofstream(FileOf(name)) << "{}";
  }
  Result<void> swept = files.Sweep({SessionId{"a"}});
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(ModeOf(FileOf("b.json")), -1);
  EXPECT_EQ(ModeOf(FileOf("a.json.tmp")), -1);
  EXPECT_NE(ModeOf(FileOf("a.json")), -1);
  EXPECT_NE(ModeOf(FileOf("note.txt")), -1);
}

}  // namespace
}  // namespace benchd::store
