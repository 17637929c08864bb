#include "daemon/runner/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/wording.h"

namespace benchd {
namespace {

Result<RunnerOptions> Parse(std::vector<std::string> words) {
  words.insert(words.begin(), "benchd-runner");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return ParseRunnerOptions(static_cast<int>(argv.size()), argv.data());
}

TEST(RunnerOptionsTest, TakesValuesInBothSpellings) {
  const auto options = Parse({"--config", "/etc/x", "--socket=fd:3", "--journal", "/run/j",
                              "--sysfs-root=/tmp/root", "--restore"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->config, "/etc/x");
  EXPECT_EQ(options->socket, "fd:3");
  EXPECT_EQ(options->journal, "/run/j");
  EXPECT_EQ(options->sysfs_root, "/tmp/root");
  EXPECT_TRUE(options->restore);
  EXPECT_FALSE(options->help);
}

TEST(RunnerOptionsTest, RefusesWhatItDoesNotKnow) {
  EXPECT_WORDING(Parse({"--frobnicate"}).error());
  EXPECT_WORDING(Parse({"word"}).error());
  EXPECT_WORDING(Parse({"--restore=yes"}).error());
  EXPECT_WORDING(Parse({"--socket"}).error());
}

}  // namespace
}  // namespace benchd
