#include <gtest/gtest.h>

#include <string>

#include "daemon/config/config.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::uint64_t kMebibyte = 1024 * 1024;

TEST(ParseChildLimitsTest, WithoutTheSectionNothingIsSaid) {
  const auto config = ParseRunnerConfig("[runner]\nuser = \"x\"\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->children, ChildLimits{});
  EXPECT_FALSE(config->children.memory_bytes) << "the runner chooses";
}

TEST(ParseChildLimitsTest, EveryKeyIsTaken) {
  const auto config = ParseRunnerConfig(
      "[children]\nmemory_mib = 512\npids = 100\nopen_files = 64\nfile_size_mib = 3\n"
      "core_mib = 0\ncpu_seconds = 60\n");
  ASSERT_TRUE(config) << config.error().message;
  const ChildLimits expected{.memory_bytes = 512 * kMebibyte,
                             .processes = 100,
                             .open_files = 64,
                             .file_bytes = 3 * kMebibyte,
                             .core_bytes = 0,
                             .cpu_seconds = 60};
  EXPECT_EQ(config->children, expected);
}

TEST(ParseChildLimitsTest, NoneIsNoLimitAndNotTheDefault) {
  const auto config = ParseRunnerConfig("[children]\nmemory_mib = \"none\"\npids = \"none\"\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->children.memory_bytes, kNoLimit);
  EXPECT_EQ(config->children.processes, kNoLimit);
}

struct WrongLimit {
  const char* text;
  const char* where;
};

TEST(ParseChildLimitsTest, AnErrorNamesLineAndKey) {
  for (const WrongLimit& wrong : {
           WrongLimit{"[children]\n\npids = 0\n", "line 3: [children] pids "},
           WrongLimit{"[children]\npids = 4194305\n", "line 2: [children] pids "},
           WrongLimit{"[children]\nmemory_mib = \"1GiB\"\n", "line 2: [children] memory_mib "},
           WrongLimit{"[children]\nopen_files = 15\n", "line 2: [children] open_files "},
           WrongLimit{"[children]\ncpu_seconds = 1.5\n", "line 2: [children] cpu_seconds "},
           WrongLimit{"[children]\nfile_size_mib = -1\n", "line 2: [children] file_size_mib "},
           WrongLimit{"[children]\nmemory = 1\n", "line 2: [children] memory: "},
           WrongLimit{"children = 1\n", "line 1: [children] "},
       }) {
    const auto config = ParseRunnerConfig(wrong.text);
    ASSERT_FALSE(config) << wrong.text;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(config.error().message.starts_with(wrong.where)) << config.error().message;
    EXPECT_WORDING(config.error()) << wrong.text;
  }
}

TEST(ParseChildLimitsTest, AnUnknownKeyGetsToldTheKnownOnes) {
  const auto config = ParseRunnerConfig("[children]\ncolour = 1\n");
  ASSERT_FALSE(config);
  EXPECT_WORDING(config.error());
}

}  // namespace
}  // namespace benchd
