#include "daemon/config/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/places.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

Error ErrorOf(const std::string& text) {
  const Result<Config> config = ParseConfig(text, "benchd.toml");
  EXPECT_FALSE(config) << text;
  if (config) return {};
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
  return config.error();
}

TEST(ConfigTest, AnEmptyFileIsTheDefaults) {
  const Result<Config> config = ParseConfig("", "benchd.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, Config{});
  // The defaults that docs/service.md documents.
  EXPECT_EQ(config->runner_socket, "/run/benchd/runner.sock");
  EXPECT_EQ(config->admin_group, "benchd-admin");
  EXPECT_FALSE(config->allow_root);
  EXPECT_EQ(config->keep, RetentionPolicy{}) << "everything is kept";
  EXPECT_EQ(config->limits.Of(Limit::kQueuedAUser), 1000U);
  EXPECT_FALSE(config->limits.Of(Limit::kRunningADay));
}

/// The default of a limit, or any value if it has none, as written in the configuration.
std::string ValueOf(const LimitRow& row) {
  return std::to_string(static_cast<int>(row.standard.value_or(1)));
}

TEST(ConfigTest, EveryLimitIsAKeyWithARange) {
  for (const LimitRow& row : LimitRows()) {
    const std::string key(row.key);
    const auto with = [&key](const std::string& value) {
      return ParseConfig("[limits]\n" + key + " = " + value + "\n", "benchd.toml");
    };
    const Result<Config> standard = with(ValueOf(row));
    ASSERT_TRUE(standard) << standard.error().message;
    if (row.standard) {
      EXPECT_EQ(*standard, Config{}) << key;
    }
    const std::string field = "benchd.toml:2: [limits] " + key + " ";
    for (const char* wrong : {"0", "-1", "1e300", "nan", "\"2\"", "true", "[1]"}) {
      const Result<Config> refused = with(wrong);
      ASSERT_FALSE(refused) << key << " = " << wrong;
      EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
      EXPECT_TRUE(refused.error().message.starts_with(field)) << refused.error().message;
    }
    EXPECT_WORDING(ErrorOf("[limits]\n" + key + " = 0\n"));
  }
}

std::string PageText(const std::string& page) {
  std::ifstream file(test::TestFile("../" + page));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ConfigTest, ThePagesHaveEveryLimitWithItsDefault) {
  const std::string manual = PageText("docs/man/benchd.toml.5.in");
  const std::string sample = PageText("systemd/benchd.toml");
  for (const LimitRow& row : LimitRows()) {
    const std::string key(row.key);
    const std::string value = row.standard ? ValueOf(row) + "\n" : std::string();
    EXPECT_NE(manual.find("\\fB" + key + "\\fR = " + value), std::string::npos) << key;
    const std::string shown = "#" + key + " = " + (row.standard ? ValueOf(row) + " " : "");
    EXPECT_NE(sample.find(shown), std::string::npos) << shown;
  }
}

TEST(ConfigTest, EveryKeyIsTaken) {
  const Result<Config> config = ParseConfig(R"(
[socket]
group = "perf"
[runner]
socket = "/run/x.sock"
user = "benchd"
benchmark_cpus = "2-3"
[access]
allow_root = true
admin_group = "wheel"
[daemon]
idle_exit = 600
[log]
level = "debug"
[store]
keep_days = 90
keep_mib = 2048
[limits]
queued_a_user = 50
running_hours_a_day = 1.5
kept_mib_a_user = 512
bundle_mib = 64
bundles_mib_a_user = 128
)",
                                            "benchd.toml");
  ASSERT_TRUE(config) << config.error().message;
  Config expected;
  expected.socket_group = "perf";
  expected.runner_socket = "/run/x.sock";
  expected.allow_root = true;
  expected.admin_group = "wheel";
  expected.idle_exit = std::chrono::seconds(600);
  expected.log_level = "debug";
  expected.keep.age = std::chrono::hours(90 * 24);
  expected.keep.bytes = std::uint64_t{2048} * 1024 * 1024;
  EXPECT_FALSE(expected.limits.Set(Limit::kQueuedAUser, 50));
  EXPECT_FALSE(expected.limits.Set(Limit::kRunningADay, 1.5));
  EXPECT_FALSE(expected.limits.Set(Limit::kKeptAUser, 512));
  EXPECT_FALSE(expected.limits.Set(Limit::kBundle, 64));
  EXPECT_FALSE(expected.limits.Set(Limit::kBundlesAUser, 128));
  EXPECT_EQ(*config, expected);
}

TEST(ConfigTest, AnUnknownKeyIsNamedWithItsLine) {
  EXPECT_WORDING(ErrorOf("[socket]\ngroup = \"a\"\ngruop = \"b\"\n"));
  EXPECT_WORDING(ErrorOf("\n[scoket]\n"));
  EXPECT_WORDING(ErrorOf("level = 1\n"));
}

TEST(ConfigTest, AnUnknownKeyComesWithTheNearestOneOrWithAll) {
  EXPECT_WORDING(ErrorOf("[socket]\ngruop = \"b\"\n"));
  EXPECT_WORDING(ErrorOf("[scoket]\n"));
  EXPECT_WORDING(ErrorOf("[machine_profil]\n"));
  EXPECT_WORDING(ErrorOf("[store]\ncolour = 1\n"));
}

TEST(ConfigTest, NumbersOutOfRangeSayWhatTheyShouldBe) {
  const auto worded = [](const std::string& section, const std::string& line) {
    return line + " => " + ErrorOf("[" + section + "]\n" + line + "\n").message;
  };
  for (const char* wrong : {"0", "-1", "36501", "1.5", "\"7\"", "true"}) {
    EXPECT_WORDING(worded("store", std::string("keep_days = ") + wrong));
  }
  EXPECT_WORDING(worded("store", "keep_mib = 0"));
  EXPECT_WORDING(worded("limits", "kept_mib_a_user = 1099511627777"));
  EXPECT_WORDING(worded("limits", "bundle_mib = 0"));
  EXPECT_WORDING(worded("limits", "queued_a_user = 0"));
  for (const char* wrong : {"0", "-2", "24.01", "nan", "inf", "\"2\"", "false"}) {
    EXPECT_WORDING(worded("limits", std::string("running_hours_a_day = ") + wrong));
  }
  for (const char* right : {"24", "0.25", "1e-3"}) {
    EXPECT_TRUE(ParseConfig(std::string("[limits]\nrunning_hours_a_day = ") + right, "benchd.toml"))
        << right;
  }
}

TEST(ConfigTest, AnUnknownKeyOfANewSectionIsNamed) {
  EXPECT_WORDING(ErrorOf("[store]\nkeep_weeks = 3\n"));
  EXPECT_WORDING(ErrorOf("[limits]\nqueued = 3\n"));
}

TEST(ConfigTest, LimitsOfChildrenAreLeftToTheRunner) {
  const Result<Config> config = ParseConfig("[children]\nwhatever = 1\n", "benchd.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, Config{});
}

TEST(ConfigTest, MachineProfilesAreLeftToTheRunner) {
  const Result<Config> config =
      ParseConfig("[machine_profile.quiet]\nsmt = \"off\"\nwhatever = 1\n", "benchd.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, Config{});
  EXPECT_WORDING(ErrorOf("[machine_profiles.quiet]\n"));
}

TEST(ConfigTest, AValueOfTheWrongTypeSaysWhatItShouldBe) {
  EXPECT_WORDING(ErrorOf("[access]\nallow_root = \"yes\"\n"));
  EXPECT_WORDING(ErrorOf("[socket]\ngroup = 7\n"));
  EXPECT_WORDING(ErrorOf("[runner]\nuser = true\n"));
  EXPECT_TRUE(ParseConfig("[runner]\nbenchmark_cpus = 3\n", "benchd.toml"));
  EXPECT_WORDING(ErrorOf("[socket]\ngroup = \"\"\n"));
  EXPECT_WORDING(ErrorOf("[daemon]\nidle_exit = 0\n"));
  EXPECT_WORDING(ErrorOf("[daemon]\nidle_exit = 1.5\n"));
  EXPECT_WORDING(ErrorOf("[log]\nlevel = \"loud\"\n"));
  EXPECT_WORDING(ErrorOf("socket = 1\n"));
}

TEST(ConfigTest, WhatIsNoTomlIsNamedWithItsLine) {
  EXPECT_EQ(ErrorOf("[socket]\ngroup = \n").message.substr(0, 15), "benchd.toml:2: ");
  EXPECT_EQ(ErrorOf("[socket\n").message.substr(0, 15), "benchd.toml:1: ");
  EXPECT_EQ(ErrorOf("x = fal\nse = 1\n").message.find('\n'), std::string::npos);
}

TEST(LoadConfigTest, AMissingFileIsEmptyUnlessItWasAskedFor) {
  const TempFolder dir;
  EXPECT_EQ(LoadConfig(dir / "none.toml", {}).value(), Config{});
  const Result<Config> required = LoadConfig(dir / "none.toml", {.required = true});
  ASSERT_FALSE(required);
  EXPECT_EQ(required.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(required.error(), {{dir.path(), "DIR"}});
}

TEST(LoadConfigTest, ADirectoryIsNoConfig) {
  const TempFolder dir;
  EXPECT_FALSE(LoadConfig(dir / "", {}));
}

TEST(LoadConfigTest, AnErrorNamesTheFile) {
  const TempFolder dir;
  const Result<Config> config = LoadConfig(dir.Put("b.toml", "[x]\n"), {});
  ASSERT_FALSE(config);
  EXPECT_WORDING(config.error(), {{dir.path(), "DIR"}});
}

TEST(LoadConfigTest, ToCheckAFileIncludesWhatIsTheRunners) {
  const TempFolder dir;
  const auto file = dir.Put("b.toml", "[machine_profile.quiet]\nsmt = \"on\"\n");
  EXPECT_TRUE(LoadConfig(file, {}));
  const Result<Config> checked = LoadConfig(file, {.runner_parts = true});
  ASSERT_FALSE(checked);
  EXPECT_WORDING(checked.error(), {{dir.path(), "DIR"}});
  EXPECT_TRUE(LoadConfig(dir.Put("c.toml", "[machine_profile.quiet]\nsmt = \"off\"\n"),
                         {.runner_parts = true}));
}

TEST(LoadConfigTest, InSystemModeAFileThatOthersCanWriteIsRefused) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root: the file has to belong to root first";
  const TempFolder dir;
  const auto file = dir.Put("b.toml", "");
  const ConfigRules rules{.required = true, .system_mode = true};
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  EXPECT_TRUE(LoadConfig(file, rules));
  ASSERT_EQ(::chmod(file.c_str(), 0664), 0);
  const Result<Config> refused = LoadConfig(file, rules);
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error(), {{dir.path(), "DIR"}});
  EXPECT_TRUE(LoadConfig(file, {})) << "user mode does not check it";
}

TEST(LoadConfigTest, InSystemModeAFileOfSomebodyElseIsRefused) {
  const TempFolder dir;
  const auto file = dir.Put("b.toml", "");
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  if (::getuid() == 0) {
    ASSERT_EQ(::chown(file.c_str(), 65534, 65534), 0);
  }
  const Result<Config> config = LoadConfig(file, {.required = true, .system_mode = true});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(config.error(), {{dir.path(), "DIR"}});
}

}  // namespace
}  // namespace benchd
