#include "daemon/settings/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <limits>

#include "tests/kernel/kernel_tree.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = SettingKind;

constexpr const char* kJournalBoot = "7d9b1c1e-6a3f-4f7e-9a55-0c2b3d4e5f60";
constexpr std::size_t kPage = 4096;

const JournalEntry kGovernorEntry{{Kind::kGovernor, "3"}, "ondemand", "performance"};
const JournalEntry kIrq{{Kind::kIrqAffinity, "24"}, "0-3", "0"};
const JournalEntry kUnit{{Kind::kAllowedCpus, "bench.slice"}, "", "1-3"};

std::string TextOf(const std::vector<JournalEntry>& entries) {
  std::string text = JournalHeader(kJournalBoot) + "\n";
  for (const JournalEntry& entry : entries) text += JournalLine(entry) + "\n";
  return text;
}

class JournalTest : public testing::Test {
 protected:
  Journal Open() const {
    auto journal = Journal::Open(path_);
    EXPECT_TRUE(journal) << journal.error().message;
    return std::move(*journal);
  }
  std::string Text() const { return folder_.Get("journal"); }
  void PutText(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    chmod(path_.c_str(), 0600);
  }

  KernelTree folder_;
  std::string path_ = folder_.root() + "/journal";
};

// ---- the text ----

// The format must stay readable for later versions: changing it requires a new version number. The
// checksums were computed by another program (FNV-1a in Python).
TEST(JournalTextTest, IsOneLineAnEntryWithAChecksum) {
  EXPECT_EQ(TextOf({kGovernorEntry, kUnit}),
            "benchd-runner settings 1 7d9b1c1e-6a3f-4f7e-9a55-0c2b3d4e5f60\t6d96a7e823a94f7e\n"
            "governor\t3\tondemand\tperformance\td5eceaf5247cdf1f\n"
            "allowed_cpus\tbench.slice\t\t1-3\t7e0942f1dcf6b031\n");
}

TEST(JournalTextTest, ReadsBackWhatWasWritten) {
  const auto contents = ParseJournal(TextOf({kGovernorEntry, kIrq, kUnit}));
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_EQ(contents->boot_id, kJournalBoot);
  EXPECT_EQ(contents->entries, (std::vector{kGovernorEntry, kIrq, kUnit}));
}

TEST(JournalTextTest, AnEmptyFileSaysNothing) {
  for (const char* text : {"", "\n", "\n\n"}) {
    const auto contents = ParseJournal(text);
    ASSERT_TRUE(contents);
    EXPECT_EQ(contents->boot_id, "");
    EXPECT_TRUE(contents->entries.empty());
  }
}

TEST(JournalTextTest, CutOffAnywhereWithinALineItIsRefused) {
  const std::string text = TextOf({kGovernorEntry, kIrq, kUnit});
  for (std::size_t size = 1; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const auto contents = ParseJournal(cut);
    // A journal may only end at the end of a line.
    ASSERT_EQ(contents.has_value(), cut.back() == '\n') << size;
    if (contents) continue;
    EXPECT_EQ(contents.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(contents.error().message.starts_with("line ")) << contents.error().message;
    EXPECT_NE(contents.error().hint, "");
    if (text[size] == '\n') {  // one text a line is enough
      EXPECT_WORDING(contents.error());
    }
  }
}

TEST(JournalTextTest, ACutOffLineIsNotRepairedByANewline) {
  const std::string text = TextOf({kGovernorEntry});
  for (std::size_t size = 1; size + 1 < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    if (cut.back() == '\n' || text[size] == '\n') continue;
    EXPECT_FALSE(ParseJournal(cut + "\n")) << cut;
  }
}

TEST(JournalTextTest, AnyChangedByteIsNoticed) {
  const std::string text = TextOf({kGovernorEntry, kIrq});
  const auto whole = ParseJournal(text);
  ASSERT_TRUE(whole);
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (char bit : {'\x01', '\x10', '\x20'}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      EXPECT_FALSE(ParseJournal(damaged)) << "byte " << at << ": " << damaged;
    }
  }
}

TEST(JournalTextTest, ALaterVersionIsToldAsSuch) {
  // A later version may change anything else, including the checksum.
  for (const char* text : {"benchd-runner settings 2 boot with something new\nand more\n",
                           "benchd-runner settings 2 boot\t0000000000000000\n"}) {
    const auto contents = ParseJournal(text);
    ASSERT_FALSE(contents);
    EXPECT_EQ(contents.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_WORDING(contents.error());
  }
}

TEST(JournalTextTest, TellsWhichLineItDoesNotLike) {
  for (const char* line :
       {"fan_speed\t0\t1\t2", "governor\t0\t../../etc/passwd\tperformance",
        "governor\t../../../etc\tondemand\tperformance", "governor\t0\tondemand\t../../etc/passwd",
        "thread_cpus\t../../x\t0\t1", "allowed_cpus\tsshd.service\t\t1", "swappiness\t\t60\t1000",
        "swappiness\t\t60\t10\t20", "swappiness\t\t60", "swappiness"}) {
    const std::string text = TextOf({kGovernorEntry}) + SealedLine(line) + "\n";
    const auto contents = ParseJournal(text);
    ASSERT_FALSE(contents) << line;
    EXPECT_EQ(contents.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(contents.error().message.starts_with("line 3: ")) << contents.error().message;
    EXPECT_WORDING(std::string(line) + " => " + contents.error().message, {{"\t", "|"}});
  }
}

TEST(JournalTextTest, AForeignFileIsNotAJournal) {
  for (const char* text :
       {"root:x:0:0::/root:/bin/sh\n", "\177ELF\n", "ELF\n", "benchd-runner settings\n",
        "benchd-runner settings one boot\n", "benchd-runner settings 1\n"}) {
    const auto contents = ParseJournal(text);
    ASSERT_FALSE(contents) << text;
    EXPECT_TRUE(contents.error().message.starts_with("line 1: ")) << contents.error().message;
    EXPECT_WORDING(contents.error()) << text;
  }
}

TEST(JournalTextTest, AHeaderWithoutABootIsRefused) {
  for (const char* boot : {"", "a b", "../x", "a\tb"}) {
    EXPECT_FALSE(ParseJournal(JournalHeader(boot) + "\n")) << boot;
  }
  EXPECT_FALSE(ParseJournal(JournalHeader(std::string(65, 'a')) + "\n"));
}

// ---- the file ----

TEST_F(JournalTest, KeepsEntriesUntilTheyAreCleared) {
  {
    Journal journal = Open();
    EXPECT_EQ(journal.Read()->boot_id, "");
    ASSERT_TRUE(journal.Append(kGovernorEntry, kJournalBoot));
    ASSERT_TRUE(journal.Append(kIrq, kJournalBoot));
    EXPECT_EQ(Text(), TextOf({kGovernorEntry, kIrq}));
  }
  Journal journal = Open();
  EXPECT_EQ(journal.Read()->entries, (std::vector{kGovernorEntry, kIrq}));
  ASSERT_TRUE(journal.Append(kUnit, kJournalBoot));
  EXPECT_EQ(Text(), TextOf({kGovernorEntry, kIrq, kUnit}));
  ASSERT_TRUE(journal.Clear());
  EXPECT_EQ(Text(), "");
  ASSERT_TRUE(journal.Append(kUnit, "another-boot"));
  EXPECT_EQ(journal.Read()->boot_id, "another-boot");
}

TEST_F(JournalTest, IsTheRunnersAloneAndReadableByNobodyElse) {
  const mode_t before = umask(0);
  const Journal journal = Open();
  umask(before);
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
}

TEST_F(JournalTest, OneRunnerAtATimeHoldsIt) {
  const Journal first = Open();
  const auto second = Journal::Open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(second.error(), {{folder_.root(), "DIR"}});
}

TEST_F(JournalTest, AMovedJournalKeepsItsLock) {
  Journal first = Open();
  const Journal moved = std::move(first);
  EXPECT_FALSE(Journal::Open(path_));
  EXPECT_EQ(moved.path(), path_);
}

TEST_F(JournalTest, AFileThatOthersMayUseIsRefused) {
  PutText(TextOf({kGovernorEntry}));
  for (mode_t mode : {0644u, 0660u, 0602u, 0700u}) {
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    const auto journal = Journal::Open(path_);
    ASSERT_FALSE(journal) << mode;
    EXPECT_EQ(journal.error().code, ErrorCode::kPermissionDenied);
    EXPECT_WORDING(journal.error(), {{folder_.root(), "DIR"}}) << mode;
  }
  EXPECT_EQ(Text(), TextOf({kGovernorEntry}));
}

TEST_F(JournalTest, AnothersFileIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  PutText("");
  ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
  const auto journal = Journal::Open(path_);
  ASSERT_FALSE(journal);
  EXPECT_EQ(journal.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(JournalTest, ALinkOrAPipeInItsPlaceIsRefused) {
  folder_.Put("target", "");
  ASSERT_EQ(symlink("target", path_.c_str()), 0);
  EXPECT_FALSE(Journal::Open(path_));
  ASSERT_EQ(unlink(path_.c_str()), 0);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const auto journal = Journal::Open(path_);
  ASSERT_FALSE(journal);
  EXPECT_WORDING(journal.error(), {{folder_.root(), "DIR"}});
}

TEST_F(JournalTest, TellsThePathOfWhatCannotBeOpenedOrRead) {
  const auto journal = Journal::Open(folder_.root() + "/nowhere/journal");
  ASSERT_FALSE(journal);
  EXPECT_WORDING(journal.error(), {{folder_.root(), "DIR"}});
  PutText("something else\n");
  const auto contents = Open().Read();
  ASSERT_FALSE(contents);
  EXPECT_WORDING(contents.error(), {{folder_.root(), "DIR"}});
}

TEST_F(JournalTest, AnEndlessFileIsNotRead) {
  PutText(std::string(1024 * 1024 + 1, '\n'));
  const auto contents = Open().Read();
  ASSERT_FALSE(contents);
  EXPECT_WORDING(contents.error(), {{folder_.root(), "DIR"}});
}

TEST_F(JournalTest, NothingIsAddedToAnotherBootsEntriesOrToADamagedFile) {
  for (const std::string& text : {TextOf({kGovernorEntry}), std::string("something else\n")}) {
    PutText(text);
    Journal journal = Open();
    EXPECT_FALSE(journal.Append(kIrq, "another-boot"));
    EXPECT_EQ(Text(), text);
  }
}

TEST_F(JournalTest, WithoutABootsIdNothingIsWritten) {
  Journal journal = Open();
  for (const char* boot : {"", "a b", "a\nb"}) EXPECT_FALSE(journal.Append(kIrq, boot));
  EXPECT_EQ(Text(), "");
}

// A write(2) that SIGKILL cuts short ends at a page boundary, which no entry may cross.
TEST_F(JournalTest, CutOffAtAnyPageItLosesWholeEntriesOnly) {
  Journal journal = Open();
  std::vector<JournalEntry> entries;
  std::string wide;
  for (int cpu = 0; cpu < 400; cpu += 2) wide += (cpu == 0 ? "" : ",") + std::to_string(cpu);
  for (int i = 0; i < 200; ++i) {
    entries.push_back({{Kind::kIrqAffinity, std::to_string(i)}, i % 7 == 0 ? wide : "0-3", "0"});
    ASSERT_TRUE(journal.Append(entries.back(), kJournalBoot));
  }
  EXPECT_EQ(journal.Read()->entries, entries);
  const std::string text = Text();
  ASSERT_GT(text.size(), 4 * kPage);
  for (std::size_t size = 0; size <= text.size(); size += kPage) {
    const auto contents = ParseJournal(std::string_view(text).substr(0, size));
    ASSERT_TRUE(contents) << size << ": " << contents.error().message;
    entries.resize(contents->entries.size());
    EXPECT_EQ(contents->entries, entries);
    entries = journal.Read()->entries;
  }
}

TEST_F(JournalTest, KeepsOnlyWhatItIsToldTo) {
  Journal journal = Open();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(journal.Append(kGovernorEntry, kJournalBoot));
  ASSERT_TRUE(journal.Append(kIrq, kJournalBoot));
  ASSERT_TRUE(journal.KeepOnly({kIrq, kUnit}));
  EXPECT_EQ(Text(), TextOf({kIrq, kUnit}));
  ASSERT_TRUE(journal.Append(kGovernorEntry, kJournalBoot));
  EXPECT_EQ(Text(), TextOf({kIrq, kUnit, kGovernorEntry}));
}

// The order of magnitude of thousands of threads.
TEST_F(JournalTest, ManyEntriesAreAddedAtOnceOrNotAtAll) {
  Journal journal = Open();
  ASSERT_TRUE(journal.AppendAll({}, kJournalBoot));
  EXPECT_EQ(Text(), "");
  ASSERT_TRUE(journal.Append(kGovernorEntry, kJournalBoot));
  std::vector<JournalEntry> entries{kGovernorEntry};
  for (int i = 1; i <= 5000; ++i) {
    entries.push_back({{Kind::kThreadCpus, std::to_string(i) + "@123456"}, "0-3", ""});
  }
  ASSERT_TRUE(journal.AppendAll({entries.begin() + 1, entries.end()}, kJournalBoot));
  EXPECT_EQ(journal.Read()->entries, entries);
  const std::string text = Text();
  for (std::size_t page = kPage; page < text.size(); page += kPage) {
    EXPECT_EQ(text[page - 1], '\n') << "no entry is on both sides of " << page;
  }
  // 50,000 lines of some 50 bytes exceed the limit of 1 MiB.
  std::vector<JournalEntry> too_many(50'000, entries.back());
  const auto added = journal.AppendAll(too_many, kJournalBoot);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(Text(), text);
}

TEST_F(JournalTest, AnEntryThatFillsMoreThanAPageIsRefused) {
  std::string widest;
  for (int cpu = 0; cpu < 1024; cpu += 2) widest += (cpu == 0 ? "" : ",") + std::to_string(cpu);
  Journal journal = Open();
  ASSERT_TRUE(journal.Append({{Kind::kThreadCpus, "a"}, widest, widest}, kJournalBoot));
  const std::string before = Text();
  const std::string name(255, 'a');
  const auto added = journal.Append({{Kind::kThreadCpus, name}, widest, widest}, kJournalBoot);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(Text(), before);
}

TEST_F(JournalTest, AnEntryThatDoesNotFitOntoTheDiskLeavesNoPartOfItself) {
  // A file size limit cuts a write short as a full disk does. It runs in a process of its own,
  // because the limit applies to all files of a process.
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    auto journal = Journal::Open(path_);
    const std::size_t limit = TextOf({kGovernorEntry}).size() + 10;
    const rlimit limits{limit, limit};
    if (!journal || !journal->Append(kGovernorEntry, kJournalBoot)) _exit(2);
    if (setrlimit(RLIMIT_FSIZE, &limits) != 0) _exit(3);
    const auto added = journal->Append(kIrq, kJournalBoot);
    const auto contents = journal->Read();
    _exit(!added && contents && contents->entries == std::vector{kGovernorEntry} ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Text(), TextOf({kGovernorEntry}));
}

}  // namespace
}  // namespace benchd
