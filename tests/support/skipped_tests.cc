#include "tests/support/skipped_tests.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace benchd::test {
namespace {

class SkipLister : public ::testing::EmptyTestEventListener {
 public:
  explicit SkipLister(std::string path) : path_(std::move(path)) {}

 private:
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Skipped()) return;
    std::string reason;
    for (int i = 0; i < test.result()->total_part_count(); ++i) {
      const ::testing::TestPartResult& part = test.result()->GetTestPartResult(i);
      if (part.skipped()) reason = part.message();
    }
    for (char& c : reason) c = c == '\n' ? ' ' : c;
    std::ofstream(path_, std::ios::app)
        << "skipped: " << test.test_suite_name() << "." << test.name() << ": " << reason << "\n";
  }

  std::string path_;
};

}  // namespace

void ListSkippedTests() {
  const char* path = std::getenv("BENCHD_TEST_SKIPS");
  if (path == nullptr) return;
  // GoogleTest owns its listeners.
  ::testing::UnitTest::GetInstance()->listeners().Append(new SkipLister(path));
}

}  // namespace benchd::test
