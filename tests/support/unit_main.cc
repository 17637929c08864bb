#include <gtest/gtest.h>

#include "tests/support/skipped_tests.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  benchd::test::ListSkippedTests();
  return RUN_ALL_TESTS();
}
