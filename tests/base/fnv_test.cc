#include "core/base/fnv.h"

#include <gtest/gtest.h>

namespace benchd {
namespace {

// From the authors' table of test vectors (draft-eastlake-fnv, FNV-1a 64).
TEST(Fnv1aHexTest, MatchesThePublishedVectors) {
  EXPECT_EQ(Fnv1aHex("foobar"), "85944171f73967e8");
  EXPECT_EQ(Fnv1aHex(""), "cbf29ce484222325");
}

}  // namespace
}  // namespace benchd
