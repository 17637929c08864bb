#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "daemon/config/config.h"
#include "tests/support/places.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

TEST(ParseRunnerConfigTest, AnEmptyFileSaysNothing) {
  const auto config = ParseRunnerConfig("");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->user, "");
  EXPECT_EQ(config->benchmark_cpus, "");
  EXPECT_TRUE(config->profiles.empty());
}

TEST(ParseRunnerConfigTest, TakesTheRunnersKeysAsTextOrNumber) {
  const auto config = ParseRunnerConfig(
      "[runner]\nsocket = \"/run/x.sock\"\nuser = 990\nbenchmark_cpus = \"2-3\"\n"
      "[log]\nlevel = \"none of our business\"\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->user, "990");
  EXPECT_EQ(config->benchmark_cpus, "2-3");
}

TEST(ParseRunnerConfigTest, TakesWhatSaysWhomAChildMayBe) {
  const auto none = ParseRunnerConfig("[access]\nadmin_group = \"x\"\n");
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_FALSE(none->allow_root);
  EXPECT_TRUE(none->users.empty());
  const auto config = ParseRunnerConfig(
      "[socket]\ngroup = \"lab\"\n[access]\nallow_root = true\nusers = [\"ci\", 113]\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->socket_group, "lab");
  EXPECT_TRUE(config->allow_root);
  EXPECT_EQ(config->users, (std::vector<std::string>{"ci", "113"}));
}

TEST(ParseRunnerConfigTest, NamesTheLineOfAnAccessKeyOfAnotherType) {
  const auto error = [](const char* text) {
    const auto config = ParseRunnerConfig(text);
    EXPECT_FALSE(config) << text;
    return config ? Error{} : config.error();
  };
  EXPECT_WORDING(error("[access]\nallow_root = 1\n"));
  EXPECT_WORDING(error("[access]\nusers = \"ci\"\n"));
  EXPECT_WORDING(error("[access]\nusers = [\"\"]\n"));
  EXPECT_WORDING(error("[socket]\ngroup = 5\n"));
  EXPECT_WORDING(error("access = 1\n"));
}

TEST(ParseRunnerConfigTest, CountersAreOnOrOff) {
  EXPECT_FALSE(ParseRunnerConfig("[runner]\n")->counters);
  EXPECT_FALSE(ParseRunnerConfig("[runner]\ncounters = false\n")->counters);
  EXPECT_TRUE(ParseRunnerConfig("[runner]\ncounters = true\n")->counters);
  const auto refused = ParseRunnerConfig("[runner]\ncounters = \"on\"\n");
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
}

TEST(ParseRunnerConfigTest, TheRunnersSectionAndTheProfilesStandSideBySide) {
  const auto config = ParseRunnerConfig(
      "[runner]\nbenchmark_cpus = 3\n[machine_profile.a]\nsmt = \"off\"\n[machine_profile.b]\n");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->benchmark_cpus, "3");
  ASSERT_EQ(config->profiles.size(), 2U);
  EXPECT_EQ(config->profiles[0].name, "a");
  EXPECT_EQ(config->profiles[0].smt, "off");
  EXPECT_EQ(config->profiles[1].name, "b");
  EXPECT_EQ(config->profiles[1].benchmark_cpus, "") << "the reader's to fill in";
}

TEST(ParseRunnerConfigTest, TheExampleOfTheServicePageIsRight) {
  std::ifstream file(test::TestFile("../docs/service.md"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t from = text.find("[socket]\n", text.find("```toml file=benchd.toml\n"));
  ASSERT_NE(from, std::string::npos);
  const auto config = ParseRunnerConfig(text.substr(from, text.find("```", from) - from));
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_GE(config->profiles.size(), 2U);
}

// Letters that toml++ 3.3 treats as missing: U+00A7 and others in its ranges.
TEST(ParseRunnerConfigTest, LettersBeyondAsciiStandInTextsAndCommentsOnly) {
  EXPECT_TRUE(ParseRunnerConfig("# Größe §\n[log]\nlevel = \"§ü\"\n"));
  EXPECT_TRUE(ParseRunnerConfig("s = \"\"\"\\\n§\"\"\"\n"));
  for (const char* letter : {"§", "ü", "Ω", "ა", "漢", "\xEF\xBB\xBF"}) {
    for (const char* place : {"x = 1\n", "\nx = 1 "}) {
      const std::string text =
          *place == 'x' ? "a = 1\n" + std::string(letter) + place : place + std::string(letter);
      EXPECT_FALSE(ParseRunnerConfig(text)) << text;
    }
  }
}

struct Wrong {
  const char* text;
  const char* where;
};

TEST(ParseRunnerConfigTest, AnErrorNamesLineAndKey) {
  for (const Wrong& wrong : {
           Wrong{"[runner]\n\ncolour = 1\n", "line 3: [runner] colour: "},
           Wrong{"[runner]\n\"a\\nb\" = 1\n", "line 2: [runner] 'a\\x0ab': "},
           Wrong{"[runner]\nuser = [1]\n", "line 2: [runner] user "},
           Wrong{"runner = 1\n", "line 1: [runner] "},
           Wrong{"\nmachine_profile = 1\n", "line 2: [machine_profile] "},
           Wrong{"[[machine_profile]]\n", "line 1: [machine_profile] "},
       }) {
    const auto config = ParseRunnerConfig(wrong.text);
    ASSERT_FALSE(config) << wrong.text;
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(config.error().message.starts_with(wrong.where)) << config.error().message;
    EXPECT_WORDING(config.error()) << wrong.text;
  }
}

TEST(ParseRunnerConfigTest, WhatIsNoTomlIsNamedWithItsLine) {
  const auto config = ParseRunnerConfig("[runner]\nuser = \n");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message.substr(0, 8), "line 2: ");
}

// toml++ shows invalid words unchanged.
TEST(ParseRunnerConfigTest, AnErrorIsOneLine) {
  const auto config = ParseRunnerConfig("x = fal\nse = 1\n");
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("'fal "), std::string::npos) << config.error().message;
  EXPECT_EQ(config.error().message.find('\n'), std::string::npos) << config.error().message;
}

}  // namespace
}  // namespace benchd
