#include "daemon/kernel/interrupts.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

// CPU 1 is offline and has no column. The kernel writes blanks after the last name.
constexpr std::string_view kHeader = "           CPU0       CPU2       CPU10      ";

TEST(InterruptColumnsTest, AddsUpTheCountsOfTheCpusAskedFor) {
  const InterruptColumns columns(kHeader, {1, 2, 10});
  const InterruptLine line =
      columns.Parse("  41:       5000         30         40  PCI-MSI    1-edge      nvme0q1");
  EXPECT_EQ(line.label, "41:");
  EXPECT_EQ(line.count, 70U);
  EXPECT_EQ(line.description, "  PCI-MSI    1-edge      nvme0q1");
  EXPECT_FALSE(line.CountsErrors());
}

TEST(InterruptColumnsTest, AnOfflineCpuHasNoCount) {
  EXPECT_FALSE(InterruptColumns(kHeader, {1}).Parse("LOC: 1 2 3   Local timer interrupts").count);
}

TEST(InterruptColumnsTest, ADescriptionThatBeginsWithANumberIsNotACount) {
  const InterruptLine line = InterruptColumns(kHeader, {0, 2, 10}).Parse("7: 1 2 3 4 Level x");
  EXPECT_EQ(line.count, 6U);
  EXPECT_EQ(line.description, " 4 Level x");
}

TEST(InterruptColumnsTest, ALineMayHaveFewerCounts) {
  const InterruptLine line = InterruptColumns(kHeader, {0, 2}).Parse(" ERR:         17");
  EXPECT_EQ(line.count, 17U);
  EXPECT_TRUE(line.CountsErrors());
  EXPECT_EQ(line.description, "");
  EXPECT_FALSE(InterruptColumns(kHeader, {2}).Parse("MIS: 9").count);
}

TEST(InterruptColumnsTest, AHeaderWithoutNamesHasNoColumns) {
  EXPECT_TRUE(InterruptColumns().empty());
  EXPECT_TRUE(InterruptColumns("   ", {0}).empty());
  const InterruptLine line = InterruptColumns("", {0}).Parse("LOC: 1 2 x");
  EXPECT_FALSE(line.count);
  EXPECT_EQ(line.description, " 1 2 x");
}

}  // namespace
}  // namespace benchd
