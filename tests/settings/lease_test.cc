#include "daemon/settings/lease.h"

#include <gtest/gtest.h>

#include "tests/settings/lease_machine.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = SettingKind;

Sentences MessagesOf(const std::vector<RefusedChange>& refused) {
  Sentences messages;
  for (const RefusedChange& one : refused) messages.push_back(one.error.message);
  return messages;
}

TEST_F(SettingsLeaseTest, TakesAndGivesBackInReverseOrder) {
  std::vector<std::string> order;
  auto lease = Take(AllChanges());
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_EQ(lease->size(), kPlaces.size());
  EXPECT_TRUE(lease->refused().empty());
  for (const Place& place : kPlaces) EXPECT_EQ(Value(place), place.change.value);
  files_.WatchWrites([&](int, bool done) {
    if (!done) return;
    for (const Place& place : kPlaces)
      order.push_back(Value(place) == place.change.value ? "1" : "0");
    order.push_back(" ");
  });
  EXPECT_EQ(lease->Release(), Sentences{});
  files_.WatchWrites(nullptr);
  std::string pattern;
  for (const std::string& one : order) pattern += one;
  EXPECT_EQ(pattern, "111110 111100 111000 110000 100000 000000 ");
  EXPECT_EQ(Values(), before_);
  const int writes = files_.writes();
  EXPECT_EQ(lease->Release(), Sentences{}) << "idempotent";
  EXPECT_EQ(files_.writes(), writes);
  EXPECT_EQ(lease->size(), 0U);
}

TEST_F(SettingsLeaseTest, TheOldValueIsInTheJournalBeforeTheFirstWrite) {
  int seen = 0;
  files_.WatchWrites([&](int number, bool done) {
    if (done) return;
    const auto contents = journal_->Read();
    ASSERT_TRUE(contents);
    ASSERT_EQ(contents->entries.size(), static_cast<std::size_t>(number));
    const Place& place = kPlaces[static_cast<std::size_t>(number - 1)];
    EXPECT_EQ(contents->entries.back().key, place.change.key);
    EXPECT_EQ(contents->entries.back().old_value, Value(place));
    EXPECT_EQ(contents->entries.back().new_value, place.change.value);
    ++seen;
  });
  auto lease = Take(AllChanges());
  files_.WatchWrites(nullptr);
  ASSERT_TRUE(lease);
  EXPECT_EQ(seen, 6);
}

TEST_F(SettingsLeaseTest, GivesBackWithTheObject) {
  {
    auto lease = Take(AllChanges());
    ASSERT_TRUE(lease);
    EXPECT_NE(Values(), before_);
  }
  EXPECT_EQ(Values(), before_);
}

TEST_F(SettingsLeaseTest, GivesBackWhatWasTakenLastAndKeepsTheRest) {
  auto lease = Take({kPlaces[0].change, kPlaces[1].change});
  ASSERT_TRUE(lease);
  const auto more = lease->lease->Take({kPlaces[2].change, kPlaces[3].change});
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(lease->lease->Release(2), Sentences{});
  EXPECT_EQ(lease->size(), 2U);
  for (std::size_t i = 0; i < kPlaces.size(); ++i) {
    EXPECT_EQ(Value(kPlaces[i]) == kPlaces[i].change.value, i < 2) << kPlaces[i].path;
  }
}

TEST_F(SettingsLeaseTest, ATakeThatFailsUndoesNothingOfTheOneBefore) {
  auto lease = Take({kPlaces[0].change});
  ASSERT_TRUE(lease);
  files_.RefusePath(kPlaces[3].path, EBUSY);
  EXPECT_FALSE(lease->lease->Take({kPlaces[2].change, kPlaces[3].change}));
  EXPECT_EQ(lease->size(), 1U);
  EXPECT_EQ(Value(kPlaces[0]), kPlaces[0].change.value);
  EXPECT_EQ(Value(kPlaces[2]), before_[kPlaces[2].path]);
}

TEST_F(SettingsLeaseTest, AValueThatIsThereAlreadyIsNeitherWrittenNorGivenBack) {
  ASSERT_TRUE(files_.Write(kPlaces[2].path, "performance"));
  const int writes = files_.writes();
  auto lease = Take({kPlaces[2].change, {{Kind::kWorkqueueCpus, ""}, "0,1,2,3"}});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->size(), 0U);
  EXPECT_EQ(files_.writes(), writes);
  EXPECT_EQ(JournalText(), "");
}

TEST_F(SettingsLeaseTest, WhatSomebodyElseHasSetIsLeftAndReported) {
  auto lease = Take(AllChanges());
  ASSERT_TRUE(lease);
  ASSERT_TRUE(files_.Write(kPlaces[2].path, "schedutil"));
  EXPECT_WORDING(LinesOf(lease->Release()));
  auto expected = before_;
  expected[kPlaces[2].path] = "schedutil";
  EXPECT_EQ(Values(), expected);
}

TEST_F(SettingsLeaseTest, WhatCannotBeWrittenBackIsReportedAndTheOthersGoOn) {
  auto lease = Take(AllChanges());
  ASSERT_TRUE(lease);
  files_.RefusePath(kPlaces[3].path, EBUSY);
  EXPECT_WORDING(LinesOf(lease->Release()), {{tree_.root(), "ROOT"}});
  auto expected = before_;
  expected[kPlaces[3].path] = "2000000";
  EXPECT_EQ(Values(), expected);
  // The journal was not cleared, so the next restore completes the work.
  files_.ForgetFaults();
  EXPECT_WORDING(LinesOf(Restore()));
  EXPECT_EQ(Values(), before_);
}

TEST_F(SettingsLeaseTest, AnOptionalChangeThatIsRefusedIsListedAndTheOthersGoOn) {
  files_.RefusePath("proc/irq/25/smp_affinity_list", EIO);
  std::vector<SettingChange> changes = AllChanges();
  changes.insert(changes.begin() + 1, {{Kind::kIrqAffinity, "25"}, "0", true});
  changes.insert(changes.begin() + 1, {{Kind::kIrqAffinity, "26"}, "0", true});
  auto lease = Take(changes);
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_WORDING(LinesOf(MessagesOf(lease->refused())), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(lease->size(), kPlaces.size());
  EXPECT_EQ(lease->Release(), Sentences{});
  EXPECT_EQ(Values(), before_);
}

TEST_F(SettingsLeaseTest, AnOptionalChangeThatIsNotKeptIsUndone) {
  files_.TurnWrite(1, "2");
  auto lease = Take({{{Kind::kIrqAffinity, "25"}, "0", true}});
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->size(), 0U);
  EXPECT_WORDING(LinesOf(MessagesOf(lease->refused())), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(Values(), before_);
}

TEST_F(SettingsLeaseTest, AnOldValueThatCouldNotBePutBackIsNotTaken) {
  tree_.Put("sys/devices/system/cpu/smt/control", "notsupported");
  const auto lease = Take({kPlaces[0].change, {{Kind::kSmt, ""}, "off"}});
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(lease.error());
  EXPECT_EQ(tree_.Get("sys/devices/system/cpu/smt/control"), "notsupported\n");
  EXPECT_EQ(Value(kPlaces[0]), "0-3");
}

TEST_F(SettingsLeaseTest, AValueThatIsNoneIsNotWritten) {
  const auto lease = Take({{{Kind::kGovernor, "1"}, "../../etc/passwd"}});
  ASSERT_FALSE(lease);
  EXPECT_EQ(lease.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(files_.writes(), 0);
  EXPECT_EQ(JournalText(), "");
}

TEST_F(SettingsLeaseTest, WithoutARoomInTheJournalNothingIsChanged) {
  const auto lease = Take(AllChanges(), "");
  ASSERT_FALSE(lease);
  EXPECT_WORDING(lease.error(), {{folder_.root(), "DIR"}});
  EXPECT_EQ(files_.writes(), 0);
}

}  // namespace
}  // namespace benchd
