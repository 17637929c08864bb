// Refuses every write of a lease in turn, in every way in which a kernel can.

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "daemon/settings/lease.h"
#include "tests/settings/lease_machine.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = SettingKind;

/// A failure of the kernel.
struct Fault {
  enum class Answer { kErrno, kThirdValue, kNothingDone, kGarbage };
  const char* name;
  Answer answer;
  int errno_value = 0;
};

class FaultTest : public SettingsLeaseTest, public testing::WithParamInterface<Fault> {
 protected:
  using Answer = Fault::Answer;

  void Lay(int number, const Place& place) {
    switch (GetParam().answer) {
      case Answer::kErrno:
        return files_.RefuseWrite(number, GetParam().errno_value);
      case Answer::kThirdValue:
        return files_.TurnWrite(number, place.third);
      case Answer::kNothingDone:
        return files_.IgnoreWrite(number);
      case Answer::kGarbage:
        return files_.TurnWrite(number, "#?");
    }
  }
  /// Whether the file then has a different value than before.
  bool Changes() const {
    return GetParam().answer == Answer::kThirdValue || GetParam().answer == Answer::kGarbage;
  }
  /// A message names the setting, the file and the reason.
  void ExpectTold(const std::string& message, const Place& place) const {
    EXPECT_TRUE(message.starts_with(DescribeSetting(place.change.key) + ": ")) << message;
    EXPECT_NE(message.find(tree_.root() + "/" + place.path + ": "), std::string::npos) << message;
    if (GetParam().answer == Answer::kErrno) {
      EXPECT_NE(message.find(std::strerror(GetParam().errno_value)), std::string::npos) << message;
    } else {
      EXPECT_WORDING(message, {{tree_.root(), "ROOT"}});
    }
  }
};

TEST_P(FaultTest, UndoesAHalfDoneTakeWhicheverWriteIsRefused) {
  for (std::size_t at = 0; at < kPlaces.size(); ++at) {
    SCOPED_TRACE(kPlaces[at].path);
    files_.ForgetFaults();
    Lay(files_.writes() + static_cast<int>(at) + 1, kPlaces[at]);
    const auto lease = Take(AllChanges());
    ASSERT_FALSE(lease);
    ExpectTold(lease.error().message, kPlaces[at]);
    EXPECT_EQ(Values(), before_);
    // The remaining journal entries change nothing.
    const int writes = files_.writes();
    EXPECT_EQ(Restore(), Sentences{});
    EXPECT_EQ(files_.writes(), writes);
    EXPECT_EQ(JournalText(), "");
  }
}

TEST_P(FaultTest, WhatCannotBeUndoneComesBackWithTheNextRestore) {
  // The third write fails, and so does the first write that undoes an earlier change. A write that
  // has changed the value needs one more write to undo it.
  Lay(3, kPlaces[2]);
  files_.RefuseWrite(Changes() ? 5 : 4, EBUSY);
  const auto lease = Take(AllChanges());
  ASSERT_FALSE(lease);
  EXPECT_WORDING(lease.error(), {{tree_.root(), "ROOT"}});
  EXPECT_WORDING(LinesOf(Restore()));
  EXPECT_EQ(Values(), before_);
  EXPECT_EQ(JournalText(), "");
}

TEST_P(FaultTest, OneThatIsRefusedWhenGivenBackIsReportedAndTheOthersComeBack) {
  for (std::size_t at = 0; at < kPlaces.size(); ++at) {
    const Place& place = kPlaces[kPlaces.size() - 1 - at];
    SCOPED_TRACE(place.path);
    auto lease = Take(AllChanges());
    ASSERT_TRUE(lease) << lease.error().message;
    Lay(files_.writes() + static_cast<int>(at) + 1, place);
    const Sentences left = lease->Release();
    ASSERT_EQ(left.size(), 1U);
    ExpectTold(left[0], place);
    auto expected = before_;
    expected[place.path] = Values()[place.path];
    EXPECT_EQ(Values(), expected);
    // A value that the kernel has made up looks like another program's.
    if (!Changes()) {
      EXPECT_EQ(Restore().size(), 1U);
      EXPECT_EQ(Values(), before_);
    }
    ASSERT_TRUE(files_.KernelFiles::Write(place.path, place.old_text));
    EXPECT_EQ(Restore(), Sentences{});
    EXPECT_EQ(JournalText(), "");
    EXPECT_EQ(Values(), before_);
    files_.ForgetFaults();
  }
}

INSTANTIATE_TEST_SUITE_P(Kernel, FaultTest,
                         testing::Values(Fault{"EACCES", Fault::Answer::kErrno, EACCES},
                                         Fault{"EBUSY", Fault::Answer::kErrno, EBUSY},
                                         Fault{"EIO", Fault::Answer::kErrno, EIO},
                                         Fault{"ENOENT", Fault::Answer::kErrno, ENOENT},
                                         Fault{"ReadsBackDifferently", Fault::Answer::kThirdValue},
                                         Fault{"ReadsBackAsBefore", Fault::Answer::kNothingDone},
                                         Fault{"ReadsBackAsGarbage", Fault::Answer::kGarbage}),
                         [](const auto& fault) { return fault.param.name; });

// A made-up value that cannot be undone at once is still recognised as ours.
TEST_F(SettingsLeaseTest, WhatTheKernelMadeOfAValueComesBackWithTheNextRestore) {
  files_.TurnWrite(1, "schedutil");
  files_.RefuseWrite(2, EBUSY);
  files_.RefuseWrite(3, EBUSY);
  const auto lease = Take({kPlaces[2].change});
  ASSERT_FALSE(lease);
  EXPECT_WORDING(lease.error(), {{tree_.root(), "ROOT"}});
  EXPECT_EQ(Value(kPlaces[2]), "schedutil");
  EXPECT_WORDING(LinesOf(Restore()));
  EXPECT_EQ(Values(), before_);
}

}  // namespace
}  // namespace benchd
