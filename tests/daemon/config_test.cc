#include "daemon/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

namespace benchd {
namespace {

std::string ErrorOf(const std::string& text) {
  const Result<Config> config = ParseConfig(text, "benchd.toml");
  EXPECT_FALSE(config) << text;
  if (config) return {};
  EXPECT_EQ(config.error().code, ErrorCode::kInvalidArgument);
  return config.error().message;
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
    const std::string should = "benchd.toml:2: [limits] " + key + " should be a " +
                               (row.whole ? "whole " : "") + "number of " + std::string(row.unit);
    for (const char* wrong : {"0", "-1", "1e300", "nan", "\"2\"", "true", "[1]"}) {
      const Result<Config> refused = with(wrong);
      ASSERT_FALSE(refused) << key << " = " << wrong;
      EXPECT_TRUE(refused.error().message.starts_with(should)) << refused.error().message;
    }
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
  EXPECT_EQ(ErrorOf("[socket]\ngroup = \"a\"\ngruop = \"b\"\n"),
            "benchd.toml:3: unknown key 'gruop' in [socket]");
  EXPECT_EQ(ErrorOf("\n[scoket]\n"), "benchd.toml:2: unknown section [scoket]");
  EXPECT_EQ(ErrorOf("level = 1\n"), "benchd.toml:1: unknown key [level]");
}

TEST(ConfigTest, AnUnknownKeyComesWithTheNearestOneOrWithAll) {
  const auto hint = [](std::string_view text) { return ParseConfig(text, "x").error().hint; };
  EXPECT_EQ(hint("[socket]\ngruop = \"b\"\n"), "did you mean group?");
  EXPECT_EQ(hint("[scoket]\n"), "did you mean socket?");
  EXPECT_EQ(hint("[machine_profil]\n"), "did you mean machine_profile?");
  EXPECT_EQ(hint("[store]\ncolour = 1\n"), "known: keep_days, keep_mib");
}

TEST(ConfigTest, NumbersOutOfRangeSayWhatTheyShouldBe) {
  const auto store = [](const std::string& line) { return ErrorOf("[store]\n" + line + "\n"); };
  const auto limits = [](const std::string& line) { return ErrorOf("[limits]\n" + line + "\n"); };
  const std::string days = "should be a whole number of days from 1 to 36500";
  for (const char* wrong : {"0", "-1", "36501", "1.5", "\"7\"", "true"}) {
    EXPECT_EQ(store(std::string("keep_days = ") + wrong),
              "benchd.toml:2: [store] keep_days " + days);
  }
  EXPECT_EQ(store("keep_mib = 0"),
            "benchd.toml:2: [store] keep_mib should be a whole number of MiB from 1 to "
            "1099511627776");
  EXPECT_EQ(limits("kept_mib_a_user = 1099511627777"),
            "benchd.toml:2: [limits] kept_mib_a_user should be a whole number of MiB from 1 to "
            "1099511627776");
  EXPECT_EQ(limits("bundle_mib = 0"),
            "benchd.toml:2: [limits] bundle_mib should be a whole number of MiB from 1 to 1048576");
  EXPECT_EQ(limits("queued_a_user = 0"),
            "benchd.toml:2: [limits] queued_a_user should be a whole number of sessions from 1 to "
            "1000000");
  for (const char* wrong : {"0", "-2", "24.01", "nan", "inf", "\"2\"", "false"}) {
    EXPECT_EQ(limits(std::string("running_hours_a_day = ") + wrong),
              "benchd.toml:2: [limits] running_hours_a_day should be a number of hours above 0 and "
              "at most 24");
  }
  for (const char* right : {"24", "0.25", "1e-3"}) {
    EXPECT_TRUE(ParseConfig(std::string("[limits]\nrunning_hours_a_day = ") + right, "benchd.toml"))
        << right;
  }
}

TEST(ConfigTest, AnUnknownKeyOfANewSectionIsNamed) {
  EXPECT_EQ(ErrorOf("[store]\nkeep_weeks = 3\n"),
            "benchd.toml:2: unknown key 'keep_weeks' in [store]");
  EXPECT_EQ(ErrorOf("[limits]\nqueued = 3\n"), "benchd.toml:2: unknown key 'queued' in [limits]");
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
  EXPECT_EQ(ErrorOf("[machine_profiles.quiet]\n"),
            "benchd.toml:1: unknown section [machine_profiles]");
}

TEST(ConfigTest, AValueOfTheWrongTypeSaysWhatItShouldBe) {
  EXPECT_EQ(ErrorOf("[access]\nallow_root = \"yes\"\n"),
            "benchd.toml:2: [access] allow_root should be true or false");
  EXPECT_EQ(ErrorOf("[socket]\ngroup = 7\n"),
            "benchd.toml:2: [socket] group should be a string in quotes");
  EXPECT_EQ(ErrorOf("[runner]\nuser = true\n"),
            "benchd.toml:2: [runner] user should be a string in quotes or a number");
  EXPECT_TRUE(ParseConfig("[runner]\nbenchmark_cpus = 3\n", "benchd.toml"));
  EXPECT_EQ(ErrorOf("[socket]\ngroup = \"\"\n"),
            "benchd.toml:2: [socket] group should be a string in quotes");
  EXPECT_EQ(
      ErrorOf("[daemon]\nidle_exit = 0\n"),
      "benchd.toml:2: [daemon] idle_exit should be a whole number of seconds from 1 to a year");
  EXPECT_EQ(
      ErrorOf("[daemon]\nidle_exit = 1.5\n"),
      "benchd.toml:2: [daemon] idle_exit should be a whole number of seconds from 1 to a year");
  EXPECT_EQ(ErrorOf("[log]\nlevel = \"loud\"\n"),
            "benchd.toml:2: [log] level should be trace, debug, info, warn, error or off");
  EXPECT_EQ(ErrorOf("socket = 1\n"), "benchd.toml:1: socket should be a section");
}

TEST(ConfigTest, WhatIsNoTomlIsNamedWithItsLine) {
  EXPECT_EQ(ErrorOf("[socket]\ngroup = \n").substr(0, 15), "benchd.toml:2: ");
  EXPECT_EQ(ErrorOf("[socket\n").substr(0, 15), "benchd.toml:1: ");
  EXPECT_EQ(ErrorOf("x = fal\nse = 1\n").find('\n'), std::string::npos);
}

TEST(LoadConfigTest, AMissingFileIsEmptyUnlessItWasAskedFor) {
  const TempFolder dir;
  EXPECT_EQ(LoadConfig(dir / "none.toml", {}).value(), Config{});
  const Result<Config> required = LoadConfig(dir / "none.toml", {.required = true});
  ASSERT_FALSE(required);
  EXPECT_EQ(required.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(required.error().message, dir / "none.toml" + ": No such file or directory");
}

TEST(LoadConfigTest, ADirectoryIsNoConfig) {
  const TempFolder dir;
  EXPECT_FALSE(LoadConfig(dir / "", {}));
}

TEST(LoadConfigTest, AnErrorNamesTheFile) {
  const TempFolder dir;
  const Result<Config> config = LoadConfig(dir.Put("b.toml", "[x]\n"), {});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message, dir / "b.toml" + ":1: unknown section [x]");
}

TEST(LoadConfigTest, ToCheckAFileIncludesWhatIsTheRunners) {
  const TempFolder dir;
  const auto file = dir.Put("b.toml", "[machine_profile.quiet]\nsmt = \"on\"\n");
  EXPECT_TRUE(LoadConfig(file, {}));
  const Result<Config> checked = LoadConfig(file, {.runner_parts = true});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            file + ": line 2: [machine_profile.quiet] smt should be idle, off or leave");
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
  EXPECT_EQ(LoadConfig(file, rules).error().message,
            file + ": is writable by users other than root");
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
  EXPECT_EQ(config.error().message, file + ": does not belong to root");
}

}  // namespace
}  // namespace benchd
