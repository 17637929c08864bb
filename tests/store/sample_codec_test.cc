#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "daemon/store/run_table.h"
#include "tests/support/wording.h"

namespace benchd::store {
namespace {

std::string Packed(const std::vector<PackedSample>& samples) {
  std::string bytes;
  for (const PackedSample& sample : samples) PackSample(sample, bytes);
  return bytes;
}

TEST(SampleCodec, GivesBackWhatWasPacked) {
  const std::vector<PackedSample> samples{
      {0, 0, 1.5},
      {1, 4'294'967'295, -1e-300},
      {4'294'967'295, 7, std::numeric_limits<double>::max()},
  };
  const auto back = UnpackSamples(Packed(samples));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, samples);
}

TEST(SampleCodec, KeepsTheSignOfZero) {
  const auto back = UnpackSamples(Packed({{0, 0, -0.0}}));
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::signbit((*back)[0].value));
}

TEST(SampleCodec, LaysTheBytesOutTheSameOnEveryMachine) {
  EXPECT_EQ(Packed({{0x01020304, 5, 1.0}}), std::string("\x04\x03\x02\x01"
                                                        "\x05\0\0\0"
                                                        "\0\0\0\0\0\0\xf0\x3f",
                                                        16));
}

TEST(SampleCodec, RefusesAPartOfASample) {
  const auto back = UnpackSamples(Packed({{0, 0, 1.0}}).substr(1));
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, ErrorCode::kInternal);
  EXPECT_TRUE(back.error().message.starts_with("runs.samples: ")) << back.error().message;
  EXPECT_WORDING(back.error());
}

}  // namespace
}  // namespace benchd::store
