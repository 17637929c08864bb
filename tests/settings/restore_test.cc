// kill -9 at any moment, and RestoreFrom() afterwards.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "daemon/settings/lease.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/settings/fake_units.h"
#include "tests/settings/lease_machine.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = SettingKind;

/// Runs `steps` in a process of its own, which kills itself before or after a write to the kernel's
/// files. @return false if `steps` completed first
bool KilledAt(FaultyFiles& files, int number, bool after, const std::function<void()>& steps) {
  const int start = files.writes();
  const pid_t pid = fork();
  if (pid == 0) {
    files.WatchWrites([&](int now, bool done) {
      if (now == start + number && done == after) raise(SIGKILL);
    });
    steps();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
  return WIFSIGNALED(status);
}

class KillTest : public SettingsLeaseTest {
 protected:
  /// Takes and restores everything, as a runner does, until it is killed.
  bool RunnerKilledAt(int number, bool after) {
    journal_.reset();
    const bool killed = KilledAt(files_, number, after, [this] {
      OpenJournal();
      auto lease = Take(AllChanges());
      if (!lease) _exit(1);
      lease->Release();
      if (!journal_->Clear()) _exit(2);
    });
    OpenJournal();
    return killed;
  }
};

TEST_F(KillTest, EverythingComesBackAfterAKillAtAnyWrite) {
  const int writes = static_cast<int>(2 * kPlaces.size());  // taking and restoring
  for (int number = 1; number <= writes; ++number) {
    for (bool after : {false, true}) {
      SCOPED_TRACE((after ? "after write " : "before write ") + std::to_string(number));
      ASSERT_TRUE(RunnerKilledAt(number, after));
      Restore();
      EXPECT_EQ(Values(), before_);
      EXPECT_EQ(JournalText(), "");
      EXPECT_EQ(Restore(), Sentences{}) << "idempotent";
      EXPECT_EQ(Values(), before_);
    }
  }
  EXPECT_FALSE(RunnerKilledAt(writes + 1, false)) << "more writes than are tried here";
}

// If a cpuset is removed while CPUs are offline, no thread returns to those CPUs (Linux 6.2).
TEST_F(KillTest, CpusThatAreOfflineComeBackBeforeEverythingElse) {
  constexpr const char* kControl = "sys/devices/system/cpu/smt/control";
  tree_.Put(kControl, "on");
  before_ = Values();
  const std::vector<SettingChange> changes = {
      kPlaces[0].change, {{Kind::kSmt, {}}, "off"}, kPlaces[5].change};
  journal_.reset();
  ASSERT_TRUE(KilledAt(files_, static_cast<int>(changes.size()), true, [&] {
    OpenJournal();
    static_cast<void>(Take(changes));
  }));
  ASSERT_TRUE(KilledAt(files_, 1, true, [this] {
    OpenJournal();
    Restore();
  }));
  EXPECT_EQ(tree_.Get(kControl), "on");
  EXPECT_NE(Values(), before_);
  OpenJournal();
  Restore();
  EXPECT_EQ(Values(), before_);
}

TEST_F(KillTest, TellsHowManySettingsCameBack) {
  ASSERT_TRUE(RunnerKilledAt(3, true));
  EXPECT_WORDING(LinesOf(Restore()));
}

TEST_F(KillTest, ARestoreThatIsKilledIsDoneByTheNext) {
  for (int number = 1; number <= static_cast<int>(kPlaces.size()); ++number) {
    for (bool after : {false, true}) {
      SCOPED_TRACE(number);
      ASSERT_TRUE(RunnerKilledAt(static_cast<int>(kPlaces.size()), true));
      journal_.reset();
      ASSERT_TRUE(KilledAt(files_, number, after, [this] {
        OpenJournal();
        Restore();
      }));
      OpenJournal();
      Restore();
      EXPECT_EQ(Values(), before_);
      EXPECT_EQ(JournalText(), "");
    }
  }
}

TEST_F(KillTest, WhatSomebodyElseHasSetSinceIsLeftAndReported) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  ASSERT_TRUE(files_.Write(kPlaces[0].path, "1"));
  ASSERT_TRUE(files_.Write(kPlaces[5].path, "60"));  // the old value again: nothing to report
  EXPECT_WORDING(LinesOf(Restore()));
  auto expected = before_;
  expected[kPlaces[0].path] = "1";
  EXPECT_EQ(Values(), expected);
  EXPECT_EQ(JournalText(), "");
}

TEST_F(KillTest, WhatIsRefusedStaysInTheJournal) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  files_.RefusePath(kPlaces[4].path, EACCES);
  EXPECT_WORDING(LinesOf(Restore()), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(JournalText(), JournalHeader(kBoot) + "\n" +
                               JournalLine({kPlaces[4].change.key, "madvise", "never"}) + "\n");
  // Restored values may then be changed by users.
  ASSERT_TRUE(files_.Write(kPlaces[5].path, "0"));
  files_.ForgetFaults();
  EXPECT_WORDING(LinesOf(Restore()));
  ASSERT_TRUE(files_.Write(kPlaces[5].path, "60"));
  EXPECT_EQ(Values(), before_);
  EXPECT_EQ(JournalText(), "");
}

TEST_F(KillTest, WhatIsGoneIsToldAndForgotten) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  std::filesystem::remove(tree_.root() + "/" + kPlaces[2].path);
  EXPECT_WORDING(LinesOf(Restore()), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(JournalText(), "");
}

TEST_F(KillTest, APartitionThatTurnedInvalidMeanwhileIsTakenBack) {
  tree_.Put("proc/self/mountinfo",
            "35 30 0:31 / /sys/fs/cgroup rw shared:13 - cgroup2 cgroup2 rw,nsdelegate");
  const std::string path = "sys/fs/cgroup/bench.slice/cpuset.cpus.partition";
  tree_.Put(path, "member");
  const SettingKey key{Kind::kCpusetPartition, "bench.slice"};
  ASSERT_TRUE(journal_->Append({key, "member", "isolated"}, kBoot));
  ASSERT_TRUE(files_.Write(path, "isolated invalid (Parent is not a partition root)"));
  EXPECT_WORDING(LinesOf(Restore()));
  EXPECT_EQ(tree_.Get(path), "member");
}

TEST_F(SettingsLeaseTest, ASettingThatWasTakenTwiceGetsItsFirstValueBack) {
  auto lease = Take({{{Kind::kSwappiness, ""}, "10"}});
  auto second = Take({{{Kind::kSwappiness, ""}, "0"}});
  ASSERT_TRUE(lease && second);
  OpenJournal();  // as after a kill: the leases' own restore then finds nothing to do
  EXPECT_EQ(Restore().size(), 1U);
  EXPECT_EQ(Values(), before_);
}

// ---- journals of other origin ----

class ForeignJournalTest : public KillTest {
 protected:
  void PutJournal(const std::string& text) {
    journal_.reset();
    std::ofstream(journal_path_, std::ios::binary) << text;
    chmod(journal_path_.c_str(), 0600);
    OpenJournal();
  }

  /// A restore from `text` is refused with an error and does not change any byte.
  void ExpectRefused(const std::string& text) {
    PutJournal(text);
    const auto before = tree_.Contents();
    const int writes = files_.writes();
    const auto restored = RestoreFrom(*journal_, settings_, kBoot);
    ASSERT_FALSE(restored) << text;
    EXPECT_TRUE(restored.error().message.starts_with(journal_path_ + ": line "))
        << restored.error().message;
    EXPECT_EQ(restored.error().message.find('\n'), std::string::npos);
    EXPECT_NE(restored.error().hint, "");
    EXPECT_EQ(files_.writes(), writes);
    EXPECT_EQ(tree_.Contents(), before);
    EXPECT_EQ(JournalText(), text) << "the file is kept for inspection";
  }
};

TEST_F(ForeignJournalTest, CutOffAnywhereItIsRefusedAndNothingIsWritten) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  const std::string text = JournalText();
  for (std::size_t size = 1; size < text.size(); ++size) {
    if (text[size - 1] == '\n') continue;  // the end of a line is where a journal may end
    ExpectRefused(text.substr(0, size));
    if (HasFatalFailure()) return;
  }
  PutJournal(text);
  EXPECT_WORDING(LinesOf(Restore()));
  EXPECT_EQ(Values(), before_);
}

TEST_F(ForeignJournalTest, OfALaterVersionOrWithForeignLinesItIsRefusedAndNothingIsWritten) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  const std::string text = JournalText();
  ExpectRefused("benchd-runner settings 2 " + text.substr(text.find(kBoot)));
  for (const char* line :
       {"fan_speed\t0\t1\t2", "governor\t1\t../../etc/passwd\tperformance",
        "governor\t../../../../etc\tondemand\tperformance",
        "thread_cpus\t../../../etc/passwd\t0\t1", "irq_affinity\t24/../25\t0-3\t0",
        "allowed_cpus\tsshd.service\t0\t1", "swappiness\t\t60000\t0", "smt\t\ton\tforceoff",
        "cpuset_partition\tbench.slice\tmember\tanything", "swappiness"}) {
    // Valid lines before and after do not help.
    ExpectRefused(text + SealedLine(line) + "\n");
    ExpectRefused(text + SealedLine(line) + "\n" +
                  JournalLine({{Kind::kSwappiness, ""}, "60", "0"}) + "\n");
    if (HasFatalFailure()) return;
  }
}

TEST_F(ForeignJournalTest, OfAnotherBootItIsForgottenAndNothingIsWritten) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  const auto before = tree_.Contents();
  const int writes = files_.writes();
  const auto restored = RestoreFrom(*journal_, settings_, "another-boot");
  ASSERT_TRUE(restored);
  EXPECT_WORDING(LinesOf(*restored), {{folder_.root(), "DIR"}});
  EXPECT_EQ(files_.writes(), writes);
  EXPECT_EQ(tree_.Contents(), before);
  EXPECT_EQ(JournalText(), "");
}

TEST_F(ForeignJournalTest, WithoutAKnownBootItIsKeptAndNothingIsWritten) {
  ASSERT_TRUE(RunnerKilledAt(6, true));
  const auto before = tree_.Contents();
  const std::string text = JournalText();
  EXPECT_FALSE(RestoreFrom(*journal_, settings_, ""));
  EXPECT_EQ(tree_.Contents(), before);
  EXPECT_EQ(JournalText(), text);
}

TEST_F(ForeignJournalTest, AHeaderAloneIsClearedWithoutAWord) {
  PutJournal(JournalHeader(kBoot) + "\n");
  EXPECT_EQ(Restore(), Sentences{});
  EXPECT_EQ(JournalText(), "");
}

TEST(RestoreUnitsTest, SaysOnceMoreWhatSystemdMayHaveBeenToldJustBeforeAKill) {
  const KernelTree tree;
  const KernelFiles files(tree.root());
  FakeUnits units;
  const Settings settings(files, units);
  auto journal = Journal::Open(tree.root() + "/journal");
  ASSERT_TRUE(journal) << journal.error().message;
  const JournalEntry entry{{SettingKind::kAllowedCpus, "bench.slice"}, "", "1-3"};
  ASSERT_TRUE(journal->Append(entry, "a-boot"));
  const auto sentences = RestoreFrom(*journal, settings, "a-boot");
  ASSERT_TRUE(sentences) << sentences.error().message;
  EXPECT_TRUE(sentences->empty());
  EXPECT_EQ(units.calls, std::vector<std::string>{"bench.slice="});
}

}  // namespace
}  // namespace benchd
