#include "core/parse/harness_units.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(HarnessUnitsTest, KeepsTheLastBitOfWhatWasPrinted) {
  // 1/1e9 is the double nearest to 1e-9; 1 * 0.1 * 0.1... is not.
  EXPECT_EQ(Scaled({123.0, 1}, *SecondsIn("ns")), (PrintedNumber{123e-9, 1e-9}));
  EXPECT_EQ(Scaled({7.0, 1}, *SecondsIn("us")), (PrintedNumber{7e-6, 1e-6}));
  EXPECT_EQ(Scaled({2.0, 0.5}, *SecondsIn("min")), (PrintedNumber{120, 30}));
}

TEST(HarnessUnitsTest, KnowsBothMicroSigns) {
  EXPECT_EQ(SecondsIn("\u00B5s"), SecondsIn("us"));
  EXPECT_EQ(SecondsIn("\u03BCs"), SecondsIn("us"));
  EXPECT_EQ(SecondsIn("fortnight"), std::nullopt);
}

TEST(HarnessUnitsTest, ReadsTheUnitsOfJmh) {
  EXPECT_EQ(JmhUnit("ns/op"), (HarnessUnit{"s", {1, 1e9}, Better::kLower}));
  EXPECT_EQ(JmhUnit("ops/s"), (HarnessUnit{"1/s", {1, 1}, Better::kHigher}));
  EXPECT_EQ(JmhUnit("ops/ms"), (HarnessUnit{"1/s", {1e3, 1}, Better::kHigher}));
  EXPECT_EQ(JmhUnit("ops/min"), (HarnessUnit{"1/s", {1, 60}, Better::kHigher}));
  EXPECT_EQ(JmhUnit("B/op"), (HarnessUnit{"B", {}, Better::kLower}));
  EXPECT_EQ(JmhUnit("#/op"), (HarnessUnit{"1", {}, Better::kLower}));
  EXPECT_EQ(JmhUnit("MB/sec"), (HarnessUnit{"B/s", {1048576, 1}, {}}));
  EXPECT_EQ(JmhUnit("counts"), (HarnessUnit{"1", {}, {}}));
  EXPECT_EQ(JmhUnit("%"), (HarnessUnit{"%", {}, {}}));
  EXPECT_EQ(JmhUnit(""), (HarnessUnit{"", {}, {}}));
  EXPECT_EQ(JmhUnit("/op"), (HarnessUnit{"/op", {}, {}}));
}

}  // namespace
}  // namespace benchd
