#include <random>

#include "daemon/store/open_database.h"
#include "tests/store/store_fixture.h"
#include "tests/support/seed.h"

namespace benchd::store {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class DamageTest : public StoreTest {
 protected:
  /// Stores two sessions with runs, one of them ended, and closes the store, so that the file
  /// contains everything.
  void Fill() {
    Open();
    Insert(RichRecord());
    Insert("b");
    for (std::uint64_t block = 0; block < 200; ++block) {
      Append({"b"}, {PlainRun(block, 0), PlainRun(block, 1)});
    }
    End({"b"}, 1);
    records_.reset();
    ASSERT_FALSE(std::filesystem::exists(log_));
  }
  void Overwrite(std::uintmax_t offset, const std::string& bytes) {
    std::fstream file(database_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file << bytes;
  }
  std::filesystem::path Aside() {
    for (const std::string& name : FilesNamed("benchd.db.damaged-")) {
      if (!name.ends_with("-wal") && !name.ends_with("-shm")) return state_ / name;
    }
    ADD_FAILURE() << "nothing was set aside";
    return {};
  }
  /// For EXPECT_WORDING: a file that was set aside is named after the time.
  test::Replacements PlacesWithAside() {
    test::Replacements places = Places();
    places.insert(places.begin(), {Aside().string(), "ASIDE"});
    return places;
  }
  /// Opens a damaged store: a new one replaces it, and the warning names the place of the old one.
  void ExpectSetAside() {
    const std::string before = Contents(database_);
    Open();
    EXPECT_EQ(Ids(), "");
    Insert("fresh");
    EXPECT_EQ(Ids(), "fresh");
    const std::filesystem::path aside = Aside();
    EXPECT_THAT(aside.filename().string(),
                testing::MatchesRegex("benchd.db.damaged-[0-9]+T[0-9]+Z"));
    EXPECT_TRUE(Contents(aside) == before);
    ASSERT_THAT(AtStart().warnings, SizeIs(1));
    EXPECT_THAT(AtStart().warnings[0], HasSubstr(aside.string()));
    EXPECT_WORDING(AtStart().warnings[0], PlacesWithAside());
    // Only once: the next start has no warning.
    Open();
    EXPECT_EQ(Ids(), "fresh");
    EXPECT_THAT(AtStart().warnings, IsEmpty());
  }
};

TEST_F(DamageTest, SetsATruncatedFileAside) {
  Fill();
  std::filesystem::resize_file(database_, std::filesystem::file_size(database_) / 2 / 4096 * 4096);
  Open();
  EXPECT_EQ(Ids(), "");
  ASSERT_THAT(AtStart().warnings, SizeIs(1));
  // SQLite's message depends on the page that it reads first.
  std::string warning = AtStart().warnings[0];
  EXPECT_THAT(warning, HasSubstr(Aside().string()));
  const std::size_t begin = warning.find('(');
  const std::size_t end = warning.find(");");
  ASSERT_LT(begin, end) << warning;
  ASSERT_NE(end, std::string::npos) << warning;
  EXPECT_WORDING(warning.replace(begin + 1, end - begin - 1, "SQLITE'S WORDS"), PlacesWithAside());
}

TEST_F(DamageTest, SetsAFileWithOnlyItsFirstPageAside) {
  Fill();
  std::filesystem::resize_file(database_, 4096);
  ExpectSetAside();
}

TEST_F(DamageTest, SetsAFileThatIsNotADatabaseAside) {
  std::filesystem::create_directories(state_);
  std::ofstream(database_) << std::string(5000, 'x');
  ExpectSetAside();
}

TEST_F(DamageTest, SetsGarbageInTheMiddleAside) {
  Fill();
  const std::uintmax_t pages = std::filesystem::file_size(database_) / 4096;
  Overwrite(pages / 2 * 4096, std::string(4096, '\xa5'));
  Open();
  EXPECT_EQ(Ids(), "");
  ASSERT_THAT(AtStart().warnings, SizeIs(1));
  // The message depends on the content of that page.
  EXPECT_THAT(AtStart().warnings[0], HasSubstr(database_.string() + ": "));
  EXPECT_THAT(AtStart().warnings[0], HasSubstr(Aside().string()));
}

TEST_F(DamageTest, SetsGarbageBehindASoundFirstPageAside) {
  Fill();
  Overwrite(4096, std::string(std::filesystem::file_size(database_) - 4096, '\xa5'));
  const std::string damaged = Contents(database_);
  Open();
  EXPECT_EQ(Ids(), "");
  EXPECT_THAT(AtStart().warnings, SizeIs(1));
  EXPECT_TRUE(Contents(Aside()) == damaged);
}

TEST_F(DamageTest, ReadsEverythingOrSetsTheFileAsideForGarbageOnAnyPage) {
  Fill();
  const std::string sound = Contents(database_);
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::size_t pages = sound.size() / 4096;
  int aside = 0;
  for (std::size_t page = 0; page < pages; ++page) {
    SCOPED_TRACE("page " + std::to_string(page + 1));
    records_.reset();
    std::filesystem::remove_all(state_);
    std::filesystem::create_directories(state_);
    std::string damaged = sound;
    for (int i = 0; i < 64; ++i) {
      // The header stays, because it identifies the file.
      const std::size_t from = page == 0 ? 100 : 0;
      damaged[page * 4096 + from + random() % (4096 - from)] = static_cast<char>(random());
    }
    std::ofstream(database_, std::ios::binary) << damaged;
    Open();
    ASSERT_TRUE(records_);
    const Records::AtStart contents = AtStart();
    if (FilesNamed("benchd.db.damaged-").empty()) {
      // Numbers and text have no checksums; existing rows are kept or reported.
      EXPECT_EQ(contents.unfinished.size() + contents.warnings.size() + ListEnded().size(), 2U);
    } else {
      ++aside;
      EXPECT_THAT(contents.unfinished, IsEmpty());
      EXPECT_THAT(ListEnded(), IsEmpty());
      EXPECT_TRUE(Contents(Aside()) == damaged);
    }
  }
  std::cout << aside << " of " << pages << " set aside\n";
  EXPECT_GT(aside, 5);
}

TEST_F(DamageTest, SetsTheLogAndTheEnvironmentAsideWithTheFile) {
  Open();
  Insert(RichRecord());
  // A copy of the open store is what kill -9 leaves behind.
  const std::filesystem::path copy = folder_ / "copy";
  std::filesystem::copy(state_, copy, std::filesystem::copy_options::recursive);
  records_.reset();
  std::filesystem::remove_all(state_);
  std::filesystem::rename(copy, state_);
  std::filesystem::resize_file(database_, 0);
  const std::string log = Contents(log_);
  ASSERT_FALSE(log.empty());
  ExpectSetAside();
  EXPECT_TRUE(Contents(Aside().string() + "-wal") == log);
  EXPECT_THAT(FilesNamed("environments"), SizeIs(2));
  const std::string stamp = Aside().filename().string().substr(std::string("benchd.db").size());
  EXPECT_THAT(Contents(state_ / ("environments" + stamp) / "0123abcd.json"), HasSubstr("secret"));
  EXPECT_EQ(ModeOf(state_ / ("environments" + stamp)), 0700);
  EXPECT_EQ(ModeOf(environment_), -1);
}

TEST_F(DamageTest, OverwritesNothingThatWasSetAsideBefore) {
  for (int round = 1; round <= 3; ++round) {
    records_.reset();
    std::filesystem::create_directories(state_);
    std::ofstream(database_) << std::string(5000, static_cast<char>('a' + round));
    Open();
    EXPECT_THAT(AtStart().warnings, SizeIs(1));
    std::string first_bytes;
    for (const std::string& name : FilesNamed("benchd.db.damaged-")) {
      first_bytes += Contents(state_ / name)[0];
    }
    std::sort(first_bytes.begin(), first_bytes.end());
    EXPECT_EQ(first_bytes, std::string("bcd").substr(0, static_cast<std::size_t>(round)));
  }
}

TEST_F(DamageTest, NeverSetsTheDamagedDatabaseOfAnotherProgramAside) {
  Fill();
  Execute("PRAGMA application_id = 7");
  std::filesystem::resize_file(database_, 8192);
  const std::string before = Contents(database_);
  const Error refused = Refusal();
  EXPECT_EQ(refused.code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(refused, Places());
  EXPECT_TRUE(Contents(database_) == before);
  EXPECT_THAT(FilesNamed("benchd.db.damaged-"), IsEmpty());
}

TEST_F(DamageTest, SetsNoFileAsideThatIsLockedOrOfAnotherVersionOrEmptyAtTheFirstStart) {
  std::filesystem::create_directories(state_);
  std::ofstream(database_).flush();
  Open();
  EXPECT_THAT(AtStart().warnings, IsEmpty());
  records_.reset();
  {
    const auto other = Connect();
    Result<void> locked = other->Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    ASSERT_TRUE(locked) << locked.error().message;
    EXPECT_EQ(Refusal().code, ErrorCode::kUnavailable);
  }
  Execute("PRAGMA user_version = 7");
  const Error refused = Refusal();
  EXPECT_EQ(refused.code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(refused, Places());
  EXPECT_THAT(FilesNamed("benchd.db.damaged-"), IsEmpty());
}

/// No other file shows that the database contained sessions.
TEST_F(DamageTest, UsesAnEmptyFileAsANewDatabase) {
  Open();
  records_.reset();
  ASSERT_THAT(FilesNamed("environments"), SizeIs(1));
  std::filesystem::resize_file(database_, 0);
  Open();
  EXPECT_THAT(AtStart().warnings, IsEmpty());
  EXPECT_THAT(FilesNamed("benchd.db.damaged-"), IsEmpty());
}

TEST_F(DamageTest, ChecksTheWholeFileAfterAnUncleanEndOrIfItIsSmall) {
  Fill();
  EXPECT_FALSE(LookAt(database_).unclean);
  EXPECT_TRUE(LookAt(database_).to_be_read_whole());
  FileState large{.bytes = FileState::kAlwaysChecked + 1};
  EXPECT_FALSE(large.to_be_read_whole());
  large.unclean = true;
  EXPECT_TRUE(large.to_be_read_whole());
  Open();
  EXPECT_TRUE(LookAt(database_).unclean);
}

TEST_F(DamageTest, ChecksInALargeFileOnlyTheDataReadAtStartup) {
  Fill();
  const std::string sound = Contents(database_);
  const auto page_of = [this](const std::string& table) {
    return Number("SELECT max(pageno) FROM dbstat WHERE name = '" + table + "'") - 1;
  };
  const std::pair<std::string, bool> tables[] = {{"runs", true}, {"queue_mode", false}};
  for (const auto& [table, starts] : tables) {
    SCOPED_TRACE(table);
    const auto offset = static_cast<std::uintmax_t>(page_of(table)) * 4096;
    Overwrite(offset, std::string(64, '\xa5'));
    {
      const auto database = Connect();
      EXPECT_EQ(CheckFile(*database, false).has_value(), starts);
      EXPECT_FALSE(CheckFile(*database, true));
      EXPECT_TRUE(database->found_damage());
    }
    std::filesystem::remove(log_);
    std::ofstream(database_, std::ios::binary) << sound;
  }
}

/// A table that is larger than the part always checked is damaged outside that part.
TEST_F(DamageTest, ChecksTheFileAtTheNextStartIfDamageIsFoundAtRunTime) {
  Open();
  Insert(RichRecord());
  Insert("b");
  std::vector<benchd::Run> many;
  for (std::uint64_t block = 0; block < 20000; ++block) many.push_back(PlainRun(block, 0));
  Append({"b"}, many);
  Open();
  // A leaf that SQLite has evicted since the check: there are more than its cache holds.
  const std::int64_t page = Number(
      "SELECT pageno FROM dbstat WHERE name = 'runs' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1"
      " OFFSET 50");
  Overwrite(static_cast<std::uintmax_t>(page - 1) * 4096, std::string(4096, '\xa5'));
  Result<std::vector<benchd::Run>> runs = records_->LoadRuns({"b"}, 0, kAll, kAll);
  ASSERT_FALSE(runs);
  EXPECT_EQ(runs.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(runs.error().message, HasSubstr(database_.string()));
  EXPECT_WORDING(runs.error(), Places());
  // The other sessions continue.
  EXPECT_EQ(*records_->Load(RichRecord().snapshot.id), RichRecord());
  records_.reset();
  EXPECT_TRUE(LookAt(database_).unclean);
  Open();
  EXPECT_THAT(AtStart().warnings, SizeIs(1));
}

}  // namespace
}  // namespace benchd::store
