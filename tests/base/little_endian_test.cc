#include "core/base/little_endian.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

TEST(LittleEndianTest, ANumberIsItsBytesFromTheLowest) {
  std::string bytes;
  PutLittleEndian(0x8081828384858687, 8, bytes);
  PutLittleEndian(0xF1F2F3F4, 2, bytes);
  EXPECT_EQ(bytes, "\x87\x86\x85\x84\x83\x82\x81\x80\xF4\xF3");
  EXPECT_EQ(GetLittleEndian(bytes.substr(0, 8)), 0x8081828384858687U);
  EXPECT_EQ(GetLittleEndian("\xF4\xF3"), 0xF3F4U);
  EXPECT_EQ(GetLittleEndian(""), 0U);
}

}  // namespace
}  // namespace benchd
