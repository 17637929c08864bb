#include "tests/client/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/places.h"

namespace benchd::client {

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = test::TestFile("golden/client/" + name);
  if (std::getenv("BENCHD_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; BENCHD_UPDATE_GOLDEN=1 writes it";
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << "from " << path;
}

}  // namespace benchd::client
