#include "daemon/settings/pinned_threads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/cpu_list.h"
#include "daemon/kernel/process_stat.h"
#include "daemon/observe/sample.h"
#include "daemon/settings/lease.h"
#include "daemon/settings/thread_cpus.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/settings/lease_machine.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// A process that only waits and has no descriptors; the destructor kills it.
class Sleeper {
 public:
  Sleeper() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      // An inherited descriptor would hold the journal's lock.
      close_range(0, ~0U, 0);
      for (;;) pause();
    }
    close(ends[1]);
    char none = 0;
    EXPECT_EQ(read(ends[0], &none, 1), 0) << "it has closed them";
    close(ends[0]);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void PinTo(const cpu_set_t& cpus) const {
    ASSERT_EQ(sched_setaffinity(pid_, sizeof(cpus), &cpus), 0);
  }
  pid_t pid() const { return pid_; }
  cpu_set_t Cpus() const {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    EXPECT_EQ(sched_getaffinity(pid_, sizeof(cpus), &cpus), 0);
    return cpus;
  }

 private:
  pid_t pid_ = 0;
};

TEST(PinnedThreadsBudgetTest, NoUserFillsTheJournalWithHisThreads) {
  PinnedThreadsBudget budget;
  constexpr std::size_t kLine = 56;  // for a thread on two CPUs
  constexpr std::size_t kThreads = 19'000;
  const auto taken = [&budget](uid_t uid, std::size_t threads) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < threads; ++i) bytes += budget.Take(uid, kLine) ? kLine : 0;
    return bytes;
  };
  std::size_t all = 0;
  for (const uid_t uid : {1000U, 1001U, 1002U, 1003U, 1004U, 65534U, 100'000U}) {
    const std::size_t own = taken(uid, kThreads);
    EXPECT_LE(own, PinnedThreadsBudget::kBytesOfAUser);
    all += own;
  }
  EXPECT_LE(all, PinnedThreadsBudget::kBytesOfAPart);
  EXPECT_EQ(taken(0, 100), 100 * kLine) << "system users keep their part";
  EXPECT_EQ(taken(106, 100), 100 * kLine);
  all += taken(106, kThreads) + taken(0, kThreads) + 200 * kLine;
  EXPECT_LE(all, kMaxJournalBytes / 2) << "the settings have the other half";
}

class PinnedThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto online = ParseCpuList(*files_.Read("sys/devices/system/cpu/online"));
    ASSERT_TRUE(online);
    for (const int cpu : *online) CPU_SET(cpu, &all_);
    CPU_SET(online->front(), &first_);
    first_name_ = std::to_string(online->front());
    // Children inherit it.
    cpu_set_t own;
    if (online->size() < 2 || sched_setaffinity(0, sizeof(all_), &all_) != 0 ||
        sched_getaffinity(0, sizeof(own), &own) != 0 || !CPU_EQUAL(&own, &all_)) {
      GTEST_SKIP() << "there is one CPU, or some may not be used here";
    }
    OpenJournal();
  }

  void OpenJournal() {
    journal_.reset();
    auto journal = Journal::Open(journal_path_);
    ASSERT_TRUE(journal) << journal.error().message;
    journal_.emplace(std::move(*journal));
  }

  /// Tests may only change their own thread, not other pinned threads of this machine.
  std::vector<JournalEntry> EntriesOf(const Sleeper& sleeper) const {
    std::vector<JournalEntry> entries = FindPinnedThreads(files_).entries;
    std::erase_if(entries, [&sleeper](const JournalEntry& entry) {
      return !entry.key.target.starts_with(std::to_string(sleeper.pid()) + "@");
    });
    return entries;
  }
  std::unique_ptr<SettingsLease> Note(const std::vector<JournalEntry>& entries) {
    auto lease = std::make_unique<SettingsLease>(SettingServices{settings_, *journal_, kBoot});
    const auto noted = lease->Note(entries);
    EXPECT_TRUE(noted) << noted.error().message;
    return lease;
  }
  /// Leaves the journal of a runner that is killed just after it has noted the threads.
  void LeaveInJournal(const std::vector<JournalEntry>& entries) {
    journal_.reset();
    const pid_t runner = fork();
    if (runner == 0) {
      OpenJournal();
      const auto lease = Note(entries);
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(runner, &status, 0), runner);
    ASSERT_TRUE(WIFSIGNALED(status));
    OpenJournal();
    ASSERT_EQ(journal_->Read()->entries, entries);
  }
  Sentences Restore() {
    auto sentences = RestoreFrom(*journal_, settings_, kBoot);
    return sentences ? *sentences : Sentences{"error: " + sentences.error().message};
  }
  std::string JournalText() const { return folder_.Get("journal"); }
  static bool AreCpusOf(const Sleeper& sleeper, const cpu_set_t& cpus) {
    const cpu_set_t now = sleeper.Cpus();
    return CPU_EQUAL(&now, &cpus) != 0;
  }

  KernelFiles files_{"/"};
  UnitProperties units_;
  Settings settings_{files_, units_};
  KernelTree folder_;
  std::string journal_path_ = folder_.root() + "/journal";
  std::optional<Journal> journal_;
  cpu_set_t all_{};
  cpu_set_t first_{};
  std::string first_name_;
};

TEST_F(PinnedThreadsTest, FindsWhoIsPinnedAndNobodyElse) {
  const Sleeper pinned;
  const Sleeper free;
  pinned.PinTo(first_);
  const auto entries = EntriesOf(pinned);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].old_value, first_name_);
  EXPECT_EQ(entries[0].new_value, "") << "every CPU";
  EXPECT_TRUE(IsValidSetting(entries[0].key, entries[0].old_value));
  EXPECT_TRUE(EntriesOf(free).empty());
  for (const JournalEntry& entry : FindPinnedThreads(files_).entries) {
    const std::string& target = entry.key.target;
    const auto stat = files_.Read("proc/" + target.substr(0, target.find('@')) + "/stat");
    const auto thread = ParseProcess(stat.value_or(""));
    EXPECT_FALSE(thread && thread->bound) << "the kernel keeps it where it is: " << thread->name;
  }
}

TEST_F(PinnedThreadsTest, PinsAgainWhoLostIt) {
  const Sleeper pinned;
  pinned.PinTo(first_);
  const auto lease = Note(EntriesOf(pinned));
  pinned.PinTo(all_);  // as an old kernel does
  EXPECT_EQ(lease->Release(), Sentences{});
  EXPECT_TRUE(AreCpusOf(pinned, first_));
}

TEST_F(PinnedThreadsTest, LeavesWhoWasPinnedElsewhereMeanwhile) {
  const Sleeper pinned;
  pinned.PinTo(first_);
  const auto lease = Note(EntriesOf(pinned));
  cpu_set_t others = all_;
  CPU_XOR(&others, &all_, &first_);
  pinned.PinTo(others);
  EXPECT_EQ(lease->Release(), Sentences{}) << "a thread's owner may change its CPUs";
  EXPECT_TRUE(AreCpusOf(pinned, others));
}

TEST_F(PinnedThreadsTest, AreInTheJournalAndComeBackAfterAKill) {
  const Sleeper lost;
  const Sleeper kept;
  const Sleeper moved;
  std::vector<JournalEntry> entries;
  for (const Sleeper* one : {&lost, &kept, &moved}) {
    one->PinTo(first_);
    for (const JournalEntry& entry : EntriesOf(*one)) entries.push_back(entry);
  }
  ASSERT_EQ(entries.size(), 3U);
  LeaveInJournal(entries);
  cpu_set_t others = all_;
  CPU_XOR(&others, &all_, &first_);
  lost.PinTo(all_);
  moved.PinTo(others);
  EXPECT_WORDING(LinesOf(Restore()));
  EXPECT_TRUE(AreCpusOf(lost, first_));
  EXPECT_TRUE(AreCpusOf(kept, first_));
  EXPECT_TRUE(AreCpusOf(moved, others));
  EXPECT_EQ(JournalText(), "");
}

TEST_F(PinnedThreadsTest, AnothersNumberByThenIsLeftAlone) {
  const Sleeper another;
  another.PinTo(first_);
  auto entries = EntriesOf(another);
  ASSERT_EQ(entries.size(), 1U);
  const auto thread = ParseThreadTarget(entries[0].key.target);
  ASSERT_TRUE(thread);
  // The noted thread started one tick earlier, and has ended since.
  entries[0].key.target =
      std::to_string(thread->tid) + "@" + std::to_string(thread->started_ticks - 1);
  LeaveInJournal(entries);
  another.PinTo(all_);
  EXPECT_EQ(Restore(), Sentences{});
  EXPECT_TRUE(AreCpusOf(another, all_));
  EXPECT_EQ(JournalText(), "");
}

TEST_F(PinnedThreadsTest, WhoHasEndedIsForgotten) {
  std::vector<JournalEntry> entries;
  {
    const Sleeper ended;
    ended.PinTo(first_);
    entries = EntriesOf(ended);
  }
  ASSERT_EQ(entries.size(), 1U);
  LeaveInJournal(entries);
  EXPECT_EQ(Restore(), Sentences{});
  EXPECT_EQ(JournalText(), "");
  const auto lease = Note(entries);
  EXPECT_EQ(lease->Release(), Sentences{});
}

TEST_F(PinnedThreadsTest, StayInTheJournalAsLongAsACpusetDoes) {
  const Sleeper pinned;
  pinned.PinTo(first_);
  std::vector<JournalEntry> entries = EntriesOf(pinned);
  ASSERT_EQ(entries.size(), 1U);
  // Cannot be restored without systemd.
  entries.push_back({{SettingKind::kAllowedCpus, "user.slice"}, "", first_name_});
  LeaveInJournal(entries);
  cpu_set_t confined = all_;
  CPU_XOR(&confined, &all_, &first_);
  pinned.PinTo(confined);
  EXPECT_EQ(Restore().size(), 1U);
  EXPECT_EQ(journal_->Read()->entries, entries);
}

TEST_F(PinnedThreadsTest, NobodyIsFoundOrTouchedBelowAnotherRoot) {
  folder_.Put("sys/devices/system/cpu/online", "0-1");
  const Sleeper pinned;
  pinned.PinTo(first_);
  auto entries = EntriesOf(pinned);
  ASSERT_EQ(entries.size(), 1U);
  const KernelFiles elsewhere(folder_.root());
  EXPECT_TRUE(FindPinnedThreads(elsewhere).entries.empty());
  pinned.PinTo(all_);
  const Settings settings(elsewhere, units_);
  const auto written = settings.Write(entries[0].key, entries[0].old_value);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(AreCpusOf(pinned, all_));
}

TEST_F(PinnedThreadsTest, BeyondItsUsersShareAThreadIsCountedAndLeftOut) {
  const Sleeper pinned;
  pinned.PinTo(first_);
  ASSERT_EQ(EntriesOf(pinned).size(), 1U);
  PinnedThreadsBudget none;
  while (none.Take(geteuid(), 1)) {
  }
  const PinnedThreads found = FindPinnedThreads(files_, none);
  EXPECT_GE(found.left_out, 1U);
  const std::string target = std::to_string(pinned.pid()) + "@";
  for (const JournalEntry& entry : found.entries) {
    EXPECT_FALSE(entry.key.target.starts_with(target));
  }
}

}  // namespace
}  // namespace benchd
