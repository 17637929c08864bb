#include <gtest/gtest.h>

#include "core/model/session_spec.h"

namespace benchd {
namespace {

TEST(MakeSessionIdTest, SpellsFortyBitsInEightCharacters) {
  EXPECT_EQ(MakeSessionId(0).value, "00000000");
  EXPECT_EQ(MakeSessionId(~std::uint64_t{0}).value, "zzzzzzzz");
  EXPECT_EQ(MakeSessionId(1).value, "10000000");
}

TEST(MakeSessionIdTest, UsesNoLetterThatLooksLikeAnother) {
  for (std::uint64_t digit = 0; digit < 32; ++digit) {
    const char c = MakeSessionId(digit).value.front();
    EXPECT_EQ(std::string("ilou").find(c), std::string::npos) << c;
  }
}

}  // namespace
}  // namespace benchd
