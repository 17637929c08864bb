#include "daemon/settings/machine_owner.h"

#include <gtest/gtest.h>

#include <memory>

#include "daemon/settings/held_profile.h"
#include "tests/kernel/kernel_tree.h"
#include "tests/settings/fake_units.h"
#include "tests/settings/faulty_files.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr const char* kGovernor = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor";
constexpr const char* kBoost = "sys/devices/system/cpu/cpufreq/boost";
constexpr const char* kWatchdog = "proc/sys/kernel/nmi_watchdog";

/// A test profile: the governor, no boost, no watchdog, and nothing else.
MachineProfile Quiet(const std::string& name) {
  MachineProfile profile;
  profile.name = name;
  profile.irqs = profile.workqueues = profile.smt = profile.cpuset = "";
  profile.energy_preference = profile.timer_migration = "";
  profile.c_state_latency_us.reset();
  return profile;
}

class MachineOwnerTest : public testing::Test {
 protected:
  MachineOwnerTest() {
    tree_.Put("sys/devices/system/cpu/online", "0-1");
    tree_.Put(kGovernor, "powersave");
    tree_.Put("sys/devices/system/cpu/cpu1/cpufreq/scaling_available_governors",
              "powersave performance");
    tree_.Put(kBoost, "1");
    tree_.Put(kWatchdog, "1");
    tree_.Put("proc/sys/kernel/random/boot_id", "a-boot");
  }

  void Make(bool with_journal = true) {
    if (with_journal) {
      auto journal = Journal::Open(folder_.root() + "/journal");
      ASSERT_TRUE(journal) << journal.error().message;
      journal_ = std::make_unique<Journal>(std::move(*journal));
    }
    std::vector<KnownProfile> known;
    for (const MachineProfile& profile : profiles_) known.push_back({profile, cpus_});
    owner_ = std::make_unique<MachineOwner>(
        MachineOwner::Parts{.settings = settings_,
                            .place = place_,
                            .seat = seat_,
                            .profiles = known,
                            .run_groups = {},
                            .memory_limit_bytes = memory_limit_bytes_,
                            .journal = journal_.get(),
                            .why_nothing = with_journal ? "" : "there is no journal",
                            .counters = "instructions, cycles",
                            .overlap = ""});
  }

  std::string Read(const char* path) const { return *files_.Read(path); }
  /// The values of all three settings as one text.
  std::string Now() const { return Read(kGovernor) + " " + Read(kBoost) + " " + Read(kWatchdog); }
  Result<MachineReport> Acquire(Isolation isolation = Isolation::kBestEffort,
                                const std::string& profile = "default") {
    return owner_->Acquire(
        {.profile = profile, .isolation = isolation, .cpus = "", .settings_off = {}});
  }

  static constexpr const char* kBefore = "powersave 1 1";
  static constexpr const char* kTaken = "performance 0 0";

  std::uint64_t memory_limit_bytes_ = kNoLimit;  // of [children]
  KernelTree tree_;
  KernelTree folder_;  // for the journal
  FaultyFiles files_{tree_.root()};
  FakeUnits units_;
  Settings settings_{files_, units_};
  CgroupPlace place_;
  CgroupSeat seat_{files_, "", ""};
  ProfileCpus cpus_{.housekeeping = {0}, .benchmark = {1}, .used = {1}, .why = ""};
  std::vector<MachineProfile> profiles_{Quiet("default")};
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<MachineOwner> owner_;
};

TEST_F(MachineOwnerTest, TakesForASessionAndGivesBackAtItsEnd) {
  Make();
  const auto report = Acquire();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Now(), kTaken);
  EXPECT_EQ(report->benchmark_cpus, std::vector<int>{1});
  EXPECT_EQ(report->environment.facts.back(),
            (std::pair<std::string, std::string>{"counters", "instructions, cycles"}));
  ASSERT_EQ(report->isolation.size(), 3U);
  for (const SettingState& state : report->isolation) {
    EXPECT_TRUE(state.held) << state.setting << ": " << state.why;
  }
  const MachineEnd end = owner_->Release();
  EXPECT_EQ(Now(), kBefore);
  ASSERT_EQ(end.at_end.size(), 3U);
  EXPECT_EQ(end.at_end[0], "performance");
  EXPECT_TRUE(journal_->Read()->entries.empty());
  EXPECT_TRUE(owner_->Release().at_end.empty()) << "idempotent";
}

TEST_F(MachineOwnerTest, LeavesOutASettingForOneSessionAlone) {
  Make();
  MachineRequest without{
      .profile = "default", .isolation = Isolation::kStrict, .cpus = "", .settings_off = {"boost"}};
  const auto report = owner_->Acquire(without);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Now(), "performance 1 0");
  ASSERT_EQ(report->isolation.size(), 2U);
  EXPECT_EQ(report->isolation[0].setting, "governor");
  owner_->Release();
  EXPECT_EQ(Now(), kBefore);
  ASSERT_TRUE(Acquire());
  EXPECT_EQ(Now(), kTaken);
  owner_->Release();
  without.settings_off = {"bost"};
  const auto unknown = owner_->Acquire(without);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(unknown.error());
}

// A session that leaves a setting out does not share the profile that an admin holds, which is
// taken again afterwards.
TEST_F(MachineOwnerTest, LeavesOutASettingOfWhatAnAdminHolds) {
  Make();
  owner_->DaemonCame();
  ASSERT_TRUE(owner_->Apply("default"));
  ASSERT_TRUE(owner_->Acquire({.profile = "default",
                               .isolation = Isolation::kBestEffort,
                               .cpus = "",
                               .settings_off = {"governor"}}));
  EXPECT_EQ(Now(), "powersave 0 0");
  owner_->Release();
  EXPECT_EQ(Now(), kTaken);
}

TEST_F(MachineOwnerTest, GivesBackWhenBenchdGoesInTheMiddle) {
  Make();
  ASSERT_TRUE(Acquire());
  owner_->DaemonGone();
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, GivesBackWithTheObject) {
  Make();
  ASSERT_TRUE(Acquire());
  owner_.reset();
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, StrictNamesWhatIsMissingAndLeavesNothingChanged) {
  profiles_[0].swappiness = "0";  // this tree has no such file
  Make();
  const auto refused = Acquire(Isolation::kStrict);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(refused.error().message.starts_with("swappiness: ")) << "it names the setting";
  EXPECT_WORDING(refused.error(), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(Now(), kBefore);
  EXPECT_TRUE(Acquire(Isolation::kBestEffort)) << "the refused session holds nothing";
}

TEST_F(MachineOwnerTest, SeveralCpusAreAPartitionThatSpreadsThreadsOverThem) {
  profiles_[0].cpuset = "auto";
  const ProfileCpus one{{0, 1}, {2, 3}, {2}, ""};
  const ProfileCpus two{{0, 1}, {2, 3}, {2, 3}, ""};
  const auto wanted = [this](const ProfileCpus& cpus) {
    return DescribeProfile(profiles_[0], cpus, settings_, place_, "")[0].wanted;
  };
  EXPECT_EQ(wanted(one), "isolated partition");
  EXPECT_EQ(wanted(two), "partition");
}

/// Like a hybrid machine.
class Version1Test : public MachineOwnerTest {
 protected:
  Version1Test() {
    place_ = {.mount = "sys/fs/cgroup/unified", .unit = "bench.slice", .version1 = kVersion1};
    profiles_[0].cpuset = "isolated";
  }
  std::vector<std::string> WarningsOf(Isolation isolation) {
    EXPECT_TRUE(Acquire(isolation));
    std::vector<std::string> warnings;
    for (const Warning& one : owner_->Release().warnings) {
      if (one.code == "cgroup_v1") warnings.push_back(one.message);
    }
    return warnings;
  }
  static constexpr const char* kVersion1 =
      "the cpuset controller belongs to cgroup version 1 here: boot with "
      "systemd.unified_cgroup_hierarchy=1";
};

TEST_F(Version1Test, StrictIsolationIsRefusedInOneLineThatSaysWhatToDo) {
  Make();
  const auto refused = Acquire(Isolation::kStrict);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(refused.error(), {{kVersion1, "VERSION1"}});
  EXPECT_EQ(Now(), kBefore) << "nothing was tried";
}

TEST_F(Version1Test, ASessionRunsWithoutACpusetAndItsVerdictSaysSo) {
  Make();
  const auto status = owner_->Describe("default");
  ASSERT_TRUE(status);
  EXPECT_EQ(status->settings[0].setting, "cpuset");
  EXPECT_EQ(status->settings[0].why, kVersion1) << "known before a session tries it";
  const auto report = Acquire();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Now(), kTaken) << "all other settings are held";
  EXPECT_EQ(report->isolation[0].actual, "affinity");
  EXPECT_WORDING(report->isolation[0].why, {{kVersion1, "VERSION1"}});
  owner_->Release();
  const std::vector<std::string> warnings = WarningsOf(Isolation::kBestEffort);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_WORDING(warnings[0], {{kVersion1, "VERSION1"}});
}

TEST_F(Version1Test, UserModePromisesNoneOfThatAndDoesNotWarn) {
  Make(false);
  EXPECT_EQ(WarningsOf(Isolation::kBestEffort), std::vector<std::string>());
  const auto refused = Acquire(Isolation::kStrict);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.ends_with("there is no journal")) << refused.error().message;
}

TEST_F(MachineOwnerTest, WithoutIsolationNothingIsTaken) {
  Make();
  const auto report = Acquire(Isolation::kOff);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->isolation.empty());
  EXPECT_TRUE(report->benchmark_cpus.empty());
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, WithoutAJournalItDescribesOnly) {
  Make(/*with_journal=*/false);
  const auto report = Acquire();
  ASSERT_TRUE(report);
  EXPECT_EQ(Now(), kBefore);
  ASSERT_EQ(report->isolation.size(), 3U);
  EXPECT_EQ(report->isolation[0].actual, "powersave");
  EXPECT_FALSE(report->isolation[0].held);
  EXPECT_EQ(report->isolation[0].why, "there is no journal");
  owner_->Release();
  EXPECT_WORDING(owner_->Apply("default").error());
  EXPECT_TRUE(owner_->Restore()) << "restoring nothing is not an error";
}

TEST_F(MachineOwnerTest, AnAppliedProfileOutlivesSessionsUntilItIsRestored) {
  Make();
  ASSERT_TRUE(owner_->Apply("default"));
  EXPECT_EQ(owner_->Describe("")->holder, "apply");
  ASSERT_TRUE(Acquire());
  EXPECT_FALSE(owner_->Apply("default")) << "a session is running";
  EXPECT_FALSE(owner_->Restore());
  owner_->Release();
  EXPECT_EQ(Now(), kTaken);
  const auto status = owner_->Restore();
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->holder, "");
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, ASessionOfAnotherProfileTakesTurnsWithTheAppliedOne) {
  profiles_.push_back(Quiet("boosted"));
  profiles_[1].boost = "on";
  Make();
  ASSERT_TRUE(owner_->Apply("default"));
  ASSERT_TRUE(Acquire(Isolation::kBestEffort, "boosted"));
  EXPECT_EQ(Now(), "performance 1 0");
  owner_->Release();
  EXPECT_EQ(Now(), kTaken);
  owner_->DaemonGone();
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, HoldsAProfileAsLongAsBenchdLives) {
  profiles_[0].hold = HoldSettings::kDaemon;
  Make();
  owner_->DaemonCame();
  EXPECT_EQ(Now(), kTaken);
  EXPECT_EQ(owner_->Describe("")->holder, "daemon");
  ASSERT_TRUE(Acquire());
  owner_->Release();
  EXPECT_EQ(Now(), kTaken);
  owner_->DaemonGone();
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, LeavesWhatSomebodyElseChangedAndTells) {
  Make();
  ASSERT_TRUE(Acquire());
  tree_.Put(kGovernor, "ondemand");
  const MachineEnd end = owner_->Release();
  EXPECT_EQ(Now(), "ondemand 1 1");
  ASSERT_GE(end.warnings.size(), 2U);
  EXPECT_EQ(end.warnings[0].code, "setting_changed");
  EXPECT_WORDING(end.warnings[0].message);
  EXPECT_EQ(end.warnings.back().code, "setting_left");
  EXPECT_WORDING(end.warnings.back().message);
}

TEST_F(MachineOwnerTest, ANewOnePutsBackWhatAKilledOneLeft) {
  Make();
  ASSERT_TRUE(Acquire());
  // A kill leaves the values and the journal; the object itself restores nothing.
  const std::string left = *KernelFiles(folder_.root()).Read("journal");
  owner_.reset();
  journal_.reset();
  tree_.Put(kGovernor, "performance");
  tree_.Put(kBoost, "0");
  tree_.Put(kWatchdog, "0");
  folder_.Put("journal", left);
  auto journal = Journal::Open(folder_.root() + "/journal");
  ASSERT_TRUE(journal);
  const auto sentences = RestoreFrom(*journal, settings_, "a-boot");
  ASSERT_TRUE(sentences) << sentences.error().message;
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, TakesOnlyCpusOfTheProfile) {
  Make();
  const auto refused = owner_->Acquire(
      {.profile = "default", .isolation = Isolation::kBestEffort, .cpus = "0", .settings_off = {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(refused.error());
  EXPECT_EQ(owner_
                ->Acquire({.profile = "default",
                           .isolation = Isolation::kBestEffort,
                           .cpus = "x",
                           .settings_off = {}})
                .error()
                .code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Now(), kBefore);
}

TEST_F(MachineOwnerTest, NamesTheProfilesThatThereAre) {
  profiles_.push_back(Quiet("strict"));
  Make();
  const auto refused = Acquire(Isolation::kBestEffort, "no-such");
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
}

TEST_F(MachineOwnerTest, NamesTheInterruptsThatTheKernelKeepsInOneSentence) {
  profiles_[0].irqs = "housekeeping";
  tree_.Put("proc/irq/default_smp_affinity", "3");
  for (const std::string irq : {"7", "8", "9"}) {
    const std::string path = "proc/irq/" + irq + "/smp_affinity_list";
    tree_.Put(path, "0-1");
    if (irq != "8") files_.RefusePath(path, EIO);
  }
  Make();
  const auto report = Acquire();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->isolation.front().setting, "irqs");
  EXPECT_TRUE(report->isolation.front().held);
  EXPECT_WORDING(report->isolation.front().why);
  EXPECT_EQ(Read("proc/irq/8/smp_affinity_list"), "0");
  owner_->Release();
  EXPECT_EQ(Read("proc/irq/8/smp_affinity_list"), "0-1");
}

TEST_F(MachineOwnerTest, WarnsOfMigrationsWhenTheyAreTheRule) {
  Make();
  ASSERT_TRUE(Acquire());
  for (int run = 0; run < 4; ++run) owner_->NoteMigrations(run == 0 ? 1 : 0);
  EXPECT_TRUE(owner_->Release().warnings.empty());
  ASSERT_TRUE(Acquire());
  for (int run = 0; run < 4; ++run) owner_->NoteMigrations(2);
  const MachineEnd end = owner_->Release();
  ASSERT_EQ(end.warnings.size(), 1U);
  EXPECT_EQ(end.warnings[0].code, "migrations");
}

TEST_F(MachineOwnerTest, WarnsOfLimitsThatRunsRanInto) {
  Make();
  owner_->NoteLimit("reached its limit of 9 processes");
  ASSERT_TRUE(Acquire());
  EXPECT_TRUE(owner_->Release().warnings.empty()) << "nobody's";
  ASSERT_TRUE(Acquire());
  for (int run = 0; run < 3; ++run) owner_->NoteLimit("reached its limit of 9 processes");
  owner_->NoteLimit("exceeded its memory limit of 1 MiB");
  const MachineEnd end = owner_->Release();
  ASSERT_EQ(end.warnings.size(), 2U);
  EXPECT_EQ(end.warnings[0].code, "limit_reached");
  EXPECT_WORDING(end.warnings[0].message);
  EXPECT_WORDING(end.warnings[1].message);
}

TEST_F(MachineOwnerTest, WarnsOfProgramsWhoseThreadsTookTurns) {
  const std::vector<std::string> alone = {"./mt", "20000000", "1"};
  const std::vector<std::string> both = {"./mt", "10000000", "2"};
  Make();
  owner_->NoteTurns(both, 1, true);
  ASSERT_TRUE(Acquire());
  EXPECT_TRUE(owner_->Release().warnings.empty()) << "nobody's";
  ASSERT_TRUE(Acquire());
  // Occasional cases are chance.
  for (int run = 0; run < 12; ++run) owner_->NoteTurns(alone, 1, run % 4 == 0);
  for (int run = 0; run < 12; ++run) owner_->NoteTurns(both, 1, run != 3);
  const MachineEnd end = owner_->Release();
  ASSERT_EQ(end.warnings.size(), 1U);
  EXPECT_EQ(end.warnings[0].code, "threads_took_turns");
  EXPECT_WORDING(end.warnings[0].message);
}

TEST_F(MachineOwnerTest, WarnsOfCountersThatTookTurns) {
  Make();
  owner_->NoteScaledCounters(0.5);
  ASSERT_TRUE(Acquire());
  EXPECT_TRUE(owner_->Release().warnings.empty()) << "nobody's";
  ASSERT_TRUE(Acquire());
  for (const double share : {0.8, 0.62, 0.9}) owner_->NoteScaledCounters(share);
  const MachineEnd end = owner_->Release();
  ASSERT_EQ(end.warnings.size(), 1U);
  EXPECT_EQ(end.warnings[0].code, "counters_scaled");
  EXPECT_WORDING(end.warnings[0].message);
}

TEST_F(MachineOwnerTest, TellsTheLimitOfMemoryThatTheConfigurationOrTheProfileAsksFor) {
  const auto memory_of = [](const MachineReport& report) {
    for (const SettingState& state : report.isolation) {
      if (state.setting == "memory_limit") return state.wanted + ", " + state.why;
    }
    return std::string();
  };
  Make(false);
  EXPECT_EQ(memory_of(*Acquire()), "");
  owner_->Release();
  memory_limit_bytes_ = 2000;
  Make(false);
  EXPECT_WORDING(memory_of(*Acquire()));
  owner_->Release();
  profiles_[0].memory_limit_bytes = 3000;
  Make(false);
  EXPECT_WORDING(memory_of(*Acquire()));
  owner_->Release();
  profiles_[0].memory_limit_bytes = 1000;
  Make(false);
  EXPECT_WORDING(memory_of(*Acquire()));
}

}  // namespace
}  // namespace benchd
