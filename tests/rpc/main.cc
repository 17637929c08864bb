#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/rpc/rpc_support.h"
#include "tests/support/skipped_tests.h"

// The tests of peer identity need clients in a process of their own, with another uid.
int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--client") {
    return benchd::rpc::ClientMain(std::vector<std::string>(argv + 2, argv + argc));
  }
  ::testing::InitGoogleTest(&argc, argv);
  benchd::test::ListSkippedTests();
  return RUN_ALL_TESTS();
}
