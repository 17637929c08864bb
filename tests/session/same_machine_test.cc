#include <gtest/gtest.h>

#include "daemon/session/preparation.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(SameMachineTest, ComparesNothingThatEitherRecordLacks) {
  const Environment before{{{"kernel", "6.1"}, {"boot_id", "a"}}};
  EXPECT_EQ(CompareMachines(before, {}).value(), MachineAgain::kSame);
  EXPECT_EQ(CompareMachines({}, before).value(), MachineAgain::kSame);
}

TEST(SameMachineTest, KnowsARebootByTheBootId) {
  const Environment before{{{"kernel", "6.1"}, {"boot_id", "a"}}};
  const Environment now{{{"kernel", "6.1"}, {"boot_id", "b"}}};
  EXPECT_EQ(CompareMachines(before, before).value(), MachineAgain::kSame);
  EXPECT_EQ(CompareMachines(before, now).value(), MachineAgain::kRebooted);
}

TEST(SameMachineTest, NamesWhatIsAnother) {
  const Environment before{{{"cpu", "Model 1"}, {"boot_id", "a"}}};
  const Environment now{{{"cpu", "Model 2"}, {"boot_id", "b"}}};
  const auto compared = CompareMachines(before, now);
  ASSERT_FALSE(compared);
  EXPECT_WORDING(compared.error());
}

}  // namespace
}  // namespace benchd
