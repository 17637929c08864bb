#include <sys/stat.h>
#include <unistd.h>

#include "tests/store/store_fixture.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;
using testing::Not;

class FilesTest : public StoreTest {
 protected:
  /// Runs the rest of a block as an ordinary user, because permissions do not restrict root.
  class OrdinaryUser {
   public:
    explicit OrdinaryUser(std::filesystem::path folder) : folder_(std::move(folder)) {
      if (::geteuid() != 0) return;
      was_root_ = true;
      constexpr uid_t kNobody = 65534;
      Give(kNobody);
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;
    ~OrdinaryUser() {
      if (!was_root_) return;
      EXPECT_EQ(::seteuid(0), 0);
      Give(0);
    }

   private:
    void Give(uid_t user) {
      EXPECT_EQ(::chown(folder_.c_str(), user, user), 0);
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
        EXPECT_EQ(::chown(entry.path().c_str(), user, user), 0);
      }
    }

    std::filesystem::path folder_;
    bool was_root_ = false;
  };

  /// EXPECT_WORDING needs a file that an ordinary user may be unable to read.
  Error RefusalOfOrdinaryUser() {
    const OrdinaryUser user(folder_.path());
    return Refusal();
  }
};

TEST_F(FilesTest, MakesFoldersAndFilesForThisUserAlone) {
  const mode_t before = ::umask(0);
  Open();
  Insert(RichRecord());
  ::umask(before);
  EXPECT_EQ(ModeOf(state_.parent_path()), 0700);
  EXPECT_EQ(ModeOf(state_), 0700);
  EXPECT_EQ(ModeOf(database_), 0600);
  EXPECT_EQ(ModeOf(state_ / "benchd.db-wal"), 0600);
  EXPECT_EQ(ModeOf(state_ / "benchd.db-shm"), 0600);
  EXPECT_EQ(ModeOf(state_ / "environments"), 0700);
  EXPECT_EQ(ModeOf(environment_), 0600);
}

TEST_F(FilesTest, ClosesADatabaseThatWasOpenToOthers) {
  Open();
  records_.reset();
  ASSERT_EQ(::chmod(database_.c_str(), 0644), 0);
  Open();
  EXPECT_EQ(ModeOf(database_), 0600);
}

TEST_F(FilesTest, KeepsEnvironmentValuesOutOfTheDatabase) {
  Open();
  Insert(RichRecord());
  EXPECT_THAT(Contents(log_), HasSubstr("TOKEN"));
  EXPECT_THAT(Contents(log_), Not(HasSubstr("secret")));
  records_.reset();
  EXPECT_THAT(Contents(database_), HasSubstr("TOKEN"));
  EXPECT_THAT(Contents(database_), Not(HasSubstr("secret")));
  EXPECT_THAT(Contents(environment_), HasSubstr("secret"));
}

TEST_F(FilesTest, DeletesEnvironmentValuesWhenTheSessionEnds) {
  Open();
  Insert(RichRecord());
  SessionSnapshot snapshot = RichSnapshot();
  for (const SessionState state : {SessionState::kPreparing, SessionState::kPaused}) {
    snapshot.state = state;
    ASSERT_TRUE(records_->Update(snapshot, Happened("x")));
    EXPECT_EQ(ModeOf(environment_), 0600);
    EXPECT_EQ(records_->Load(snapshot.id)->spec, RichSpec());
  }
  snapshot.state = SessionState::kCancelled;
  ASSERT_TRUE(records_->Update(snapshot, Happened("x")));
  EXPECT_EQ(ModeOf(environment_), -1);
  const SessionSpec left = records_->Load(snapshot.id)->spec;
  EXPECT_EQ(left.environment.at("PATH"), "");
  EXPECT_EQ(left.benchmarks[0].arms[0].env.at("TOKEN"), "");
  EXPECT_EQ(AtStart().unfinished.size(), 0U);
}

TEST_F(FilesTest, WritesNoFileForASessionWithoutEnvironment) {
  Open();
  Insert("0123abcd");
  EXPECT_EQ(ModeOf(environment_), -1);
}

TEST_F(FilesTest, LeavesNoSessionWhoseEnvironmentCannotBeKept) {
  Open();
  std::filesystem::remove(state_ / "environments");
  const auto refused = records_->Insert(RichRecord(), Happened("submitted"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(environment_.string()));
  EXPECT_WORDING(refused.error(), Places());
  EXPECT_FALSE(records_->Load(RichSnapshot().id));
  EXPECT_TRUE(AtStart().unfinished.empty());
}

TEST_F(FilesTest, SweepsAtTheStartWhatACrashLeft) {
  Open();
  Insert(RichRecord());
  SessionRecord ended = RichRecord();
  ended.snapshot.id.value = "ended";
  Insert(ended);
  End(ended.snapshot.id, 1);
  records_.reset();
  // As if the daemon had died between the commit and the deletion.
  std::filesystem::copy(environment_, state_ / "environments" / "ended.json");
  std::filesystem::copy(environment_, state_ / "environments" / "never-inserted.json");
  Open();
  EXPECT_EQ(ModeOf(environment_), 0600);
  EXPECT_EQ(ModeOf(state_ / "environments" / "ended.json"), -1);
  EXPECT_EQ(ModeOf(state_ / "environments" / "never-inserted.json"), -1);
}

TEST_F(FilesTest, LeavesTheValuesToLoadAloneWhichAQueueHasNoUseFor) {
  Open();
  Insert(RichRecord());
  EXPECT_EQ(AtStart().unfinished.at(0).record.spec.environment.at("PATH"), "");
  EXPECT_EQ(records_->Load(RichRecord().snapshot.id)->spec, RichSpec());
}

TEST_F(FilesTest, RefusesTheDatabaseOfAnotherVersionAndLeavesItUnchanged) {
  for (const char* version : {"3", "7"}) {
    Open();
    records_.reset();
    Execute(std::string("PRAGMA user_version = ") + version);
    const std::string before = Contents(database_);
    const Error error = Refusal();
    EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
    EXPECT_WORDING(error, Places());
    EXPECT_TRUE(Contents(database_) == before);
    Execute("PRAGMA user_version = 6");
  }
}

TEST_F(FilesTest, RefusesTheDatabaseOfAnotherProgramAndLeavesItUnchanged) {
  for (const char* mark : {"", "PRAGMA user_version = 1", "PRAGMA application_id = 7"}) {
    std::filesystem::create_directories(state_);
    std::filesystem::remove(database_);
    Execute(std::string("CREATE TABLE bookmarks (url TEXT);") + mark);
    const std::string before = Contents(database_);
    const Error error = Refusal();
    EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
    EXPECT_WORDING(error, Places());
    EXPECT_TRUE(Contents(database_) == before);
  }
}

TEST_F(FilesTest, RefusesADatabaseThatAnotherProcessHasLocked) {
  Open();
  Insert("a");
  records_.reset();
  {
    const auto other = Connect();
    Result<Transaction> held = Transaction::Begin(*other);
    ASSERT_TRUE(held) << held.error().message;
    const Error error = Refusal();
    EXPECT_EQ(error.code, ErrorCode::kUnavailable);
    EXPECT_WORDING(error, Places());
  }
  Open();
  EXPECT_EQ(Ids(), "a");
}

TEST_F(FilesTest, NamesAFolderInPlaceOfTheDatabaseAndAFileInPlaceOfTheFolder) {
  std::filesystem::create_directories(database_);
  EXPECT_WORDING(Refusal(), Places());
  std::filesystem::remove_all(state_);
  std::ofstream(state_) << "x";
  EXPECT_WORDING(Refusal(), Places());
}

TEST_F(FilesTest, NamesAFolderThatIsNotWritableWithOrWithoutADatabase) {
  std::filesystem::create_directories(state_);
  for (int opening = 0; opening < 2; ++opening) {
    const std::string before = Contents(database_);
    ASSERT_EQ(::chmod(state_.c_str(), 0500), 0);
    const Error error = RefusalOfOrdinaryUser();
    EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
    EXPECT_WORDING(error, Places());
    EXPECT_TRUE(Contents(database_) == before);
    ASSERT_EQ(::chmod(state_.c_str(), 0700), 0);
    Open();
    records_.reset();
  }
}

TEST_F(FilesTest, NamesADatabaseThatIsNotWritable) {
  Open();
  records_.reset();
  const std::string before = Contents(database_);
  for (const mode_t mode : {0400u, 0000u}) {
    ASSERT_EQ(::chmod(database_.c_str(), mode), 0);
    const Error error = RefusalOfOrdinaryUser();
    EXPECT_EQ(error.code, ErrorCode::kPermissionDenied);
    EXPECT_WORDING(error, Places());
  }
  ASSERT_EQ(::chmod(database_.c_str(), 0600), 0);
  EXPECT_TRUE(Contents(database_) == before);
}

}  // namespace
}  // namespace benchd::store
