#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "daemon/config/config.h"
#include "daemon/settings/setting.h"
#include "daemon/wire/messages.h"
#include "tests/support/places.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// The profiles in a text, or the one with a given name, after a round trip through the wire
/// format.
std::vector<MachineProfile> ProfilesOf(const std::string& text) {
  const auto config = ParseRunnerConfig(text);
  EXPECT_TRUE(config) << text << ": " << config.error().message;
  if (!config) return {};
  const auto decoded = wire::DecodeRunnerConfig(wire::EncodeRunnerConfig(*config));
  EXPECT_TRUE(decoded && *decoded) << text;
  if (!decoded || !*decoded) return {};
  EXPECT_EQ((*decoded)->profiles, config->profiles) << text;
  return (*decoded)->profiles;
}
MachineProfile ProfileOf(const std::string& text, const std::string& name = "x") {
  for (MachineProfile& profile : ProfilesOf(text)) {
    if (profile.name == name) return std::move(profile);
  }
  ADD_FAILURE() << "no profile " << name << " in: " << text;
  return {};
}
Error ProfileErrorOf(const std::string& text) {
  const auto config = ParseRunnerConfig(text);
  EXPECT_FALSE(config) << text;
  return config ? Error{} : config.error();
}
MachineProfile Named(MachineProfile profile, const std::string& name) {
  profile.name = name;
  return profile;
}

/// The keys of a profile, except `base`.
std::vector<ConfigKey> ProfileKeys() {
  std::vector<ConfigKey> keys;
  for (const ConfigKey& key : ConfigKeys()) {
    if (key.table == "machine_profile" && key.name != "base") keys.push_back(key);
  }
  return keys;
}

/// A line with a key, and its effect on a profile.
struct Good {
  const char* line;
  void (*set)(MachineProfile& profile);
};

// Every field starts with another value, so that setting it to its default is visible.
constexpr char kOther[] =
    "[machine_profile.other]\nbenchmark_cpus = 9\nhold = \"daemon\"\nirqs = \"leave\"\n"
    "workqueues = \"leave\"\nsmt = \"leave\"\ncpuset = \"leave\"\ngovernor = \"powersave\"\n"
    "min_frequency_khz = 7\nmax_frequency_khz = 99999999\nboost = \"leave\"\n"
    "energy_preference = \"power\"\nc_state_latency_us = 77\ntimer_migration = \"leave\"\n"
    "nmi_watchdog = \"leave\"\ntransparent_hugepages = \"always\"\nswappiness = 77\n"
    "perf_sample_rate = 77\nnuma = \"local\"\nmemory_limit = 77\nnice = 7\npolicy = \"batch\"\n"
    "drop_caches = true\naslr = \"off\"\n[machine_profile.x]\nbase = \"other\"\n";

MachineProfile Other() {
  return {.name = "x",
          .benchmark_cpus = "9",
          .hold = HoldSettings::kDaemon,
          .irqs = "",
          .workqueues = "",
          .smt = "",
          .cpuset = "",
          .governor = "powersave",
          .min_frequency_khz = "7",
          .max_frequency_khz = "99999999",
          .boost = "",
          .energy_preference = "power",
          .c_state_latency_us = 77,
          .timer_migration = "",
          .nmi_watchdog = "",
          .transparent_hugepages = "always",
          .swappiness = "77",
          .perf_sample_rate = "77",
          .numa_local = true,
          .memory_limit_bytes = 77,
          .nice = 7,
          .policy = "batch",
          .drop_caches = true,
          .aslr = false};
}

const Good kGood[] = {
    {"benchmark_cpus = \"1-3,7\"", [](auto& p) { p.benchmark_cpus = "1-3,7"; }},
    {"benchmark_cpus = 3", [](auto& p) { p.benchmark_cpus = "3"; }},
    {"benchmark_cpus = \"\"", [](auto& p) { p.benchmark_cpus = ""; }},
    {"hold = \"sessions\"", [](auto& p) { p.hold = HoldSettings::kSessions; }},
    {"irqs = \"housekeeping\"", [](auto& p) { p.irqs = "housekeeping"; }},
    {"workqueues = \"housekeeping\"", [](auto& p) { p.workqueues = "housekeeping"; }},
    {"smt = \"idle\"", [](auto& p) { p.smt = "idle"; }},
    {"smt = \"off\"", [](auto& p) { p.smt = "off"; }},
    {"cpuset = \"isolated\"", [](auto& p) { p.cpuset = "isolated"; }},
    {"cpuset = \"root\"", [](auto& p) { p.cpuset = "root"; }},
    {"cpuset = \"shield\"", [](auto& p) { p.cpuset = "shield"; }},
    {"governor = \"schedutil\"", [](auto& p) { p.governor = "schedutil"; }},
    {"governor = \"leave\"", [](auto& p) { p.governor = ""; }},
    {"min_frequency_khz = 1", [](auto& p) { p.min_frequency_khz = "1"; }},
    {"min_frequency_khz = \"leave\"", [](auto& p) { p.min_frequency_khz = ""; }},
    {"max_frequency_khz = 2400000", [](auto& p) { p.max_frequency_khz = "2400000"; }},
    {"max_frequency_khz = \"leave\"", [](auto& p) { p.max_frequency_khz = ""; }},
    {"boost = \"on\"", [](auto& p) { p.boost = "on"; }},
    {"boost = \"off\"", [](auto& p) { p.boost = "off"; }},
    {"boost = true", [](auto& p) { p.boost = "on"; }},
    {"boost = false", [](auto& p) { p.boost = "off"; }},
    {"energy_preference = \"balance_performance\"",
     [](auto& p) { p.energy_preference = "balance_performance"; }},
    {"energy_preference = \"leave\"", [](auto& p) { p.energy_preference = ""; }},
    {"c_state_latency_us = 0", [](auto& p) { p.c_state_latency_us = 0; }},
    {"c_state_latency_us = 2147483647", [](auto& p) { p.c_state_latency_us = 2147483647; }},
    {"c_state_latency_us = \"leave\"", [](auto& p) { p.c_state_latency_us.reset(); }},
    {"timer_migration = 0", [](auto& p) { p.timer_migration = "0"; }},
    {"timer_migration = 1", [](auto& p) { p.timer_migration = "1"; }},
    {"nmi_watchdog = false", [](auto& p) { p.nmi_watchdog = "0"; }},
    {"nmi_watchdog = true", [](auto& p) { p.nmi_watchdog = "1"; }},
    {"transparent_hugepages = \"madvise\"", [](auto& p) { p.transparent_hugepages = "madvise"; }},
    {"transparent_hugepages = \"never\"", [](auto& p) { p.transparent_hugepages = "never"; }},
    {"transparent_hugepages = \"leave\"", [](auto& p) { p.transparent_hugepages = ""; }},
    {"swappiness = 0", [](auto& p) { p.swappiness = "0"; }},
    {"swappiness = 200", [](auto& p) { p.swappiness = "200"; }},
    {"swappiness = \"leave\"", [](auto& p) { p.swappiness = ""; }},
    {"perf_sample_rate = 1", [](auto& p) { p.perf_sample_rate = "1"; }},
    {"perf_sample_rate = \"leave\"", [](auto& p) { p.perf_sample_rate = ""; }},
    {"numa = \"leave\"", [](auto& p) { p.numa_local = false; }},
    {"memory_limit = 1000", [](auto& p) { p.memory_limit_bytes = 1000; }},
    {"memory_limit = 0", [](auto& p) { p.memory_limit_bytes = 0; }},
    {"memory_limit = \"leave\"", [](auto& p) { p.memory_limit_bytes = 0; }},
    {"memory_limit = \"12\"", [](auto& p) { p.memory_limit_bytes = 12; }},
    {"memory_limit = \"3KiB\"", [](auto& p) { p.memory_limit_bytes = 3072; }},
    {"memory_limit = \"512MiB\"", [](auto& p) { p.memory_limit_bytes = 536870912; }},
    {"memory_limit = \"4 GiB\"", [](auto& p) { p.memory_limit_bytes = 4294967296; }},
    {"memory_limit = \"1TiB\"", [](auto& p) { p.memory_limit_bytes = 1099511627776; }},
    {"nice = -20", [](auto& p) { p.nice = -20; }},
    {"nice = 19", [](auto& p) { p.nice = 19; }},
    {"policy = \"other\"", [](auto& p) { p.policy = ""; }},
    {"policy = \"fifo\"", [](auto& p) { p.policy = "fifo"; }},
    {"drop_caches = false", [](auto& p) { p.drop_caches = false; }},
    {"aslr = \"on\"", [](auto& p) { p.aslr = true; }},
    {"aslr = true", [](auto& p) { p.aslr = true; }},
};

TEST(ProfileKeysTest, EveryGoodValueChangesItsFieldAndNoOther) {
  EXPECT_EQ(ProfileOf(kOther), Other());
  for (const Good& good : kGood) {
    MachineProfile expected = Other();
    good.set(expected);
    EXPECT_NE(expected, Other()) << good.line << ": a test that cannot fail";
    EXPECT_EQ(ProfileOf(kOther + std::string(good.line) + "\n"), expected) << good.line;
  }
}

const char* const kBad[] = {
    "benchmark_cpus = true",
    "benchmark_cpus = \"all\"",
    "benchmark_cpus = -1",
    "benchmark_cpus = \"3-1\"",
    "benchmark_cpus = 1024",
    "benchmark_cpus = [1, 2]",
    "hold = \"ever\"",
    "hold = \"leave\"",
    "irqs = \"all\"",
    "workqueues = 0",
    "smt = \"on\"",
    "smt = false",
    "cpuset = \"member\"",
    "governor = \"\"",
    "governor = \"../x\"",
    "governor = \"Performance\"",
    "min_frequency_khz = 0",
    "min_frequency_khz = 1.5",
    "max_frequency_khz = \"2000000\"",
    "max_frequency_khz = 100000001",
    "boost = 1",
    "energy_preference = 128",
    "c_state_latency_us = -1",
    "c_state_latency_us = 2147483648",
    "timer_migration = 2",
    "nmi_watchdog = \"off\"",
    "transparent_hugepages = \"on\"",
    "transparent_hugepages = true",
    "swappiness = 201",
    "swappiness = -1",
    "perf_sample_rate = 0",
    "numa = true",
    "memory_limit = -1",
    "memory_limit = \"4GB\"",
    "memory_limit = \"GiB\"",
    "memory_limit = \"8388608TiB\"",
    "memory_limit = \"18446744073709551616\"",
    "nice = 20",
    "nice = \"leave\"",
    "policy = \"rr\"",
    "drop_caches = 3",
    "aslr = \"leave\"",
    "aslr = 0",
};

TEST(ProfileKeysTest, EveryBadValueIsNamedWithWhatItShouldBe) {
  for (const char* bad : kBad) {
    const std::string line = bad;
    const Error error = ProfileErrorOf("[machine_profile.x]\n\n" + line + "\n");
    const std::string where = "line 3: [machine_profile.x] " + line.substr(0, line.find(' ') + 1);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(error.message.starts_with(where)) << error.message;
    EXPECT_WORDING(line + " => " + error.message);
  }
}

TEST(ProfileKeysTest, EachHasGoodAndBadExamplesHere) {
  const auto is_about = [](const ConfigKey& key) {
    return [name = std::string(key.name) + " "](std::string_view line) {
      return line.starts_with(name);
    };
  };
  for (const ConfigKey& key : ProfileKeys()) {
    EXPECT_TRUE(std::ranges::any_of(kGood, is_about(key), &Good::line)) << key.name;
    EXPECT_TRUE(std::ranges::any_of(kBad, is_about(key))) << key.name;
  }
}

// Otherwise, a valid profile that the runner cannot apply would fail only in the first session.
TEST(ProfileKeysTest, TheEndsOfEveryRangeAreSettingsThatTheRunnerWrites) {
  const std::string name(32, 'n');
  const auto widest =
      ProfileOf("[machine_profile.x]\ngovernor = \"" + name + "\"\nenergy_preference = \"" + name +
                "\"\nmin_frequency_khz = 1\nmax_frequency_khz = 100000000\n"
                "swappiness = 200\nperf_sample_rate = 1000000000\n");
  using Kind = SettingKind;
  EXPECT_TRUE(IsValidSetting({Kind::kGovernor, "0"}, widest.governor));
  EXPECT_TRUE(IsValidSetting({Kind::kEnergyPreference, "0"}, widest.energy_preference));
  EXPECT_TRUE(IsValidSetting({Kind::kMinFrequency, "0"}, widest.min_frequency_khz));
  EXPECT_TRUE(IsValidSetting({Kind::kMaxFrequency, "0"}, widest.max_frequency_khz));
  EXPECT_TRUE(IsValidSetting({Kind::kSwappiness, ""}, widest.swappiness));
  EXPECT_TRUE(IsValidSetting({Kind::kPerfSampleRate, ""}, widest.perf_sample_rate));
  for (const char* word : {"always", "madvise", "never"}) {
    EXPECT_TRUE(IsValidSetting({Kind::kTransparentHugepages, ""}, word));
  }
}

TEST(ProfileKeysTest, EachIsDescribedWithTheSettings) {
  std::ifstream file(test::TestFile("../daemon/settings/README.md"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const ConfigKey& key : ProfileKeys()) {
    EXPECT_NE(text.find("`" + std::string(key.name)), std::string::npos) << key.name;
  }
}

TEST(ProfileKeysTest, AMisspeltOneGetsTheNearestOneAndAnotherTheList) {
  EXPECT_WORDING(ProfileErrorOf("[machine_profile.x]\ngovernour = \"performance\"\n"));
  const Error error = ProfileErrorOf("[machine_profile.x]\ncolour = \"red\"\n");
  EXPECT_WORDING(error);
  for (const ConfigKey& key : ProfileKeys()) {
    EXPECT_NE(error.hint.find(key.name), std::string::npos) << key.name;
  }
}

TEST(ParseProfilesTest, TheBuiltInOnesBeginWithTheirOwnValuesAndOthersWithThoseOfDefault) {
  EXPECT_EQ(ProfileOf("[machine_profile.default]\n", "default"), MachineProfile{});
  EXPECT_EQ(ProfileOf("[machine_profile.strict]\n", "strict"), StrictProfile());
  EXPECT_EQ(ProfileOf("[machine_profile.x]\n"), Named({}, "x"));

  MachineProfile strict = StrictProfile();
  strict.swappiness = "10";
  EXPECT_EQ(ProfileOf("[machine_profile.strict]\nswappiness = 10\n", "strict"), strict);
}

TEST(ParseProfilesTest, WithoutABaseTheTableDefaultDoesNotMatter) {
  const std::string text = "[machine_profile.default]\nnice = -5\n[machine_profile.x]\n";
  EXPECT_EQ(ProfileOf(text), Named({}, "x"));
  EXPECT_EQ(ProfileOf(text + "base = \"default\"\n").nice, -5);
}

TEST(ParseProfilesTest, ABaseMayBeBuiltIn) {
  EXPECT_EQ(ProfileOf("[machine_profile.x]\nbase = \"strict\"\n"), Named(StrictProfile(), "x"));
  EXPECT_EQ(ProfileOf("[machine_profile.x]\nbase = \"default\"\n"), Named({}, "x"));
  EXPECT_EQ(ProfileOf("[machine_profile.default]\nbase = \"strict\"\n", "default"),
            Named(StrictProfile(), "default"));
}

TEST(ParseProfilesTest, ABaseMayStandAnywhereInTheFileAndHaveABaseItself) {
  const std::string text =
      "[machine_profile.a]\nbase = \"b\"\nnice = 1\n"
      "[machine_profile.c]\nbase = \"strict\"\nnice = 3\nboost = \"on\"\nswappiness = 30\n"
      "[machine_profile.b]\nbase = \"c\"\nnice = 2\nswappiness = 20\n";
  MachineProfile expected = Named(StrictProfile(), "a");
  expected.boost = "on";
  expected.swappiness = "20";
  expected.nice = 1;
  EXPECT_EQ(ProfileOf(text, "a"), expected);
  EXPECT_EQ(ProfileOf(text, "c").swappiness, "30");
}

TEST(ParseProfilesTest, ABaseThatLeadsBackIsAnError) {
  EXPECT_WORDING(ProfileErrorOf("[machine_profile.x]\nbase = \"x\"\n"));
  EXPECT_WORDING(
      ProfileErrorOf("[machine_profile.a]\nbase = \"b\"\n[machine_profile.b]\nbase = \"c\"\n"
                     "[machine_profile.c]\nbase = \"b\"\n"));
  EXPECT_WORDING(
      ProfileErrorOf("[machine_profile.default]\nbase = \"strict\"\n"
                     "[machine_profile.strict]\nbase = \"default\"\n"));
}

TEST(ParseProfilesTest, ABaseThatIsNoneIsAnErrorWithTheKnownOnes) {
  const Error error =
      ProfileErrorOf("[machine_profile.quiet]\n[machine_profile.x]\n\nbase = \"strickt\"\n");
  EXPECT_WORDING(error);
  EXPECT_WORDING(ProfileErrorOf("[machine_profile.x]\nbase = 1\n"));
}

TEST(ParseProfilesTest, ALowestFrequencyAboveTheHighestIsAnErrorWhereverTheyComeFrom) {
  EXPECT_WORDING(ProfileErrorOf(
      "[machine_profile.x]\nmin_frequency_khz = 3000000\nmax_frequency_khz = 2999999\n"));
  EXPECT_WORDING(
      ProfileErrorOf("[machine_profile.a]\nmin_frequency_khz = 10\n[machine_profile.b]\n"
                     "base = \"a\"\nmax_frequency_khz = 9\n"));
  EXPECT_EQ(ProfileOf("[machine_profile.x]\nmin_frequency_khz = 9\nmax_frequency_khz = 9\n")
                .max_frequency_khz,
            "9");
}

TEST(ParseProfilesTest, ANameHasOneToSixtyFourPlainLetters) {
  const std::string longest(64, 'n');
  EXPECT_EQ(ProfileOf("[machine_profile." + longest + "]\n", longest).name, longest);
  EXPECT_EQ(ProfileOf("[machine_profile.A-b_9]\n", "A-b_9").name, "A-b_9");
  EXPECT_WORDING(ProfileErrorOf("[machine_profile." + longest + "n]\n"));
  EXPECT_WORDING(ProfileErrorOf("[machine_profile.\"a b\"]\n"));
  EXPECT_WORDING(ProfileErrorOf("[machine_profile.\"\"]\n"));
  EXPECT_WORDING(ProfileErrorOf("[machine_profile]\nx = 1\n"));
}

TEST(ParseProfilesTest, ThereMayBeSixtyFour) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += "[machine_profile.p" + std::to_string(i) + "]\n";
  EXPECT_EQ(ProfilesOf(text).size(), 64U);
  EXPECT_WORDING(ProfileErrorOf(text + "[machine_profile.q]\n"));
}

TEST(ParseProfilesTest, AChainOfSixtyFourBasesIsFollowed) {
  std::string text = "[machine_profile.p63]\nnice = 7\n";
  for (int i = 0; i < 63; ++i) {
    text +=
        "[machine_profile.p" + std::to_string(i) + "]\nbase = \"p" + std::to_string(i + 1) + "\"\n";
  }
  EXPECT_EQ(ProfileOf(text, "p0").nice, 7);
}

}  // namespace
}  // namespace benchd
