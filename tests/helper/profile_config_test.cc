#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "daemon/helper/config.h"
#include "daemon/settings/setting.h"
#include "tests/support/places.h"

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
Error ErrorOf(const std::string& text) {
  const auto config = ParseRunnerConfig(text);
  EXPECT_FALSE(config) << text;
  return config ? Error{} : config.error();
}
MachineProfile Named(MachineProfile profile, const std::string& name) {
  profile.name = name;
  return profile;
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

struct Bad {
  const char* line;
  const char* should_be;
};

const Bad kBad[] = {
    {"benchmark_cpus = true", "a list of CPUs such as \"1-3,7\", or a single number"},
    {"benchmark_cpus = \"all\"", "a list of CPUs such as \"1-3,7\", or a single number"},
    {"benchmark_cpus = -1", "a list of CPUs such as \"1-3,7\", or a single number"},
    {"benchmark_cpus = \"3-1\"", "a list of CPUs such as \"1-3,7\", or a single number"},
    {"benchmark_cpus = 1024", "a list of CPUs such as \"1-3,7\", or a single number"},
    {"benchmark_cpus = [1, 2]", "a list of CPUs such as \"1-3,7\", or a single number"},
    {"hold = \"ever\"", "sessions or daemon"},
    {"hold = \"leave\"", "sessions or daemon"},
    {"irqs = \"all\"", "housekeeping or leave"},
    {"workqueues = 0", "housekeeping or leave"},
    {"smt = \"on\"", "idle, off or leave"},
    {"smt = false", "idle, off or leave"},
    {"cpuset = \"member\"", "auto, isolated, root, shield or leave"},
    {"governor = \"\"", "the name of a cpufreq governor such as performance, or leave"},
    {"governor = \"../x\"", "the name of a cpufreq governor such as performance, or leave"},
    {"governor = \"Performance\"", "the name of a cpufreq governor such as performance, or leave"},
    {"min_frequency_khz = 0", "a whole number of kHz from 1 to 100000000, or leave"},
    {"min_frequency_khz = 1.5", "a whole number of kHz from 1 to 100000000, or leave"},
    {"max_frequency_khz = \"2000000\"", "a whole number of kHz from 1 to 100000000, or leave"},
    {"max_frequency_khz = 100000001", "a whole number of kHz from 1 to 100000000, or leave"},
    {"boost = 1", "on, off or leave"},
    {"energy_preference = 128", "the name of a preference such as performance, or leave"},
    {"c_state_latency_us = -1", "a whole number of microseconds >= 0, or leave"},
    {"c_state_latency_us = 2147483648", "a whole number of microseconds >= 0, or leave"},
    {"timer_migration = 2", "0, 1, true, false or leave"},
    {"nmi_watchdog = \"off\"", "0, 1, true, false or leave"},
    {"transparent_hugepages = \"on\"", "always, madvise, never or leave"},
    {"transparent_hugepages = true", "always, madvise, never or leave"},
    {"swappiness = 201", "a whole number from 0 to 200, or leave"},
    {"swappiness = -1", "a whole number from 0 to 200, or leave"},
    {"perf_sample_rate = 0", "a whole number of samples per second from 1 to 1000000000, or leave"},
    {"numa = true", "local or leave"},
    {"memory_limit = -1",
     "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave"},
    {"memory_limit = \"4GB\"",
     "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave"},
    {"memory_limit = \"GiB\"",
     "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave"},
    {"memory_limit = \"8388608TiB\"",
     "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave"},
    {"memory_limit = \"18446744073709551616\"",
     "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave"},
    {"nice = 20", "a whole number from -20 to 19"},
    {"nice = \"leave\"", "a whole number from -20 to 19"},
    {"policy = \"rr\"", "other, batch or fifo"},
    {"drop_caches = 3", "true or false"},
    {"aslr = \"leave\"", "on or off"},
    {"aslr = 0", "on or off"},
};

TEST(ProfileKeysTest, EveryBadValueIsNamedWithWhatItShouldBe) {
  for (const Bad& bad : kBad) {
    const Error error = ErrorOf(std::string("[machine_profile.x]\n\n") + bad.line + "\n");
    const std::string line = bad.line;
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.message, "line 3: [machine_profile.x] " + line.substr(0, line.find(' ')) +
                                 " should be " + bad.should_be);
  }
}

TEST(ProfileKeysTest, EachHasGoodAndBadExamplesHere) {
  const auto is_about = [](const ConfigKey<MachineProfile>& key) {
    return [name = std::string(key.name) + " "](const auto& example) {
      return std::string(example.line).starts_with(name);
    };
  };
  for (const ConfigKey<MachineProfile>& key : ProfileKeys()) {
    EXPECT_TRUE(std::any_of(std::begin(kGood), std::end(kGood), is_about(key))) << key.name;
    EXPECT_TRUE(std::any_of(std::begin(kBad), std::end(kBad), is_about(key))) << key.name;
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
  for (const ConfigKey<MachineProfile>& key : ProfileKeys()) {
    EXPECT_NE(text.find("`" + std::string(key.name)), std::string::npos) << key.name;
  }
}

TEST(ProfileKeysTest, AMisspeltOneGetsTheNearestOneAndAnotherTheList) {
  EXPECT_EQ(ErrorOf("[machine_profile.x]\ngovernour = \"performance\"\n").hint,
            "did you mean governor?");
  const Error error = ErrorOf("[machine_profile.x]\ncolour = \"red\"\n");
  EXPECT_EQ(error.message, "line 2: [machine_profile.x] colour: unknown key");
  EXPECT_EQ(error.hint.substr(0, 34), "known: base, benchmark_cpus, hold,");
  for (const ConfigKey<MachineProfile>& key : ProfileKeys()) {
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
  EXPECT_EQ(ErrorOf("[machine_profile.x]\nbase = \"x\"\n").message,
            "line 2: [machine_profile.x] base 'x' refers back to this profile");
  EXPECT_EQ(ErrorOf("[machine_profile.a]\nbase = \"b\"\n[machine_profile.b]\nbase = \"c\"\n"
                    "[machine_profile.c]\nbase = \"b\"\n")
                .message,
            "line 6: [machine_profile.c] base 'b' refers back to this profile");
  EXPECT_EQ(ErrorOf("[machine_profile.default]\nbase = \"strict\"\n"
                    "[machine_profile.strict]\nbase = \"default\"\n")
                .message,
            "line 4: [machine_profile.strict] base 'default' refers back to this profile");
}

TEST(ParseProfilesTest, ABaseThatIsNoneIsAnErrorWithTheKnownOnes) {
  const Error error =
      ErrorOf("[machine_profile.quiet]\n[machine_profile.x]\n\nbase = \"strickt\"\n");
  EXPECT_EQ(error.message, "line 4: [machine_profile.x] base 'strickt' is not a profile");
  EXPECT_EQ(error.hint, "known: default, strict, quiet, x");
  EXPECT_EQ(ErrorOf("[machine_profile.x]\nbase = 1\n").message,
            "line 2: [machine_profile.x] base should be the name of a profile");
}

TEST(ParseProfilesTest, ALowestFrequencyAboveTheHighestIsAnErrorWhereverTheyComeFrom) {
  EXPECT_EQ(
      ErrorOf("[machine_profile.x]\nmin_frequency_khz = 3000000\nmax_frequency_khz = 2999999\n")
          .message,
      "line 1: [machine_profile.x] min_frequency_khz is above max_frequency_khz");
  EXPECT_EQ(ErrorOf("[machine_profile.a]\nmin_frequency_khz = 10\n[machine_profile.b]\n"
                    "base = \"a\"\nmax_frequency_khz = 9\n")
                .message,
            "line 3: [machine_profile.b] min_frequency_khz is above max_frequency_khz");
  EXPECT_EQ(ProfileOf("[machine_profile.x]\nmin_frequency_khz = 9\nmax_frequency_khz = 9\n")
                .max_frequency_khz,
            "9");
}

TEST(ParseProfilesTest, ANameHasOneToSixtyFourPlainLetters) {
  const std::string longest(64, 'n');
  EXPECT_EQ(ProfileOf("[machine_profile." + longest + "]\n", longest).name, longest);
  EXPECT_EQ(ProfileOf("[machine_profile.A-b_9]\n", "A-b_9").name, "A-b_9");
  EXPECT_EQ(ErrorOf("[machine_profile." + longest + "n]\n").message,
            "line 1: [machine_profile." + longest + "n]: not a valid profile name");
  EXPECT_EQ(ErrorOf("[machine_profile.\"a b\"]\n").message,
            "line 1: [machine_profile.'a b']: not a valid profile name");
  EXPECT_EQ(ErrorOf("[machine_profile.\"\"]\n").message,
            "line 1: [machine_profile.'']: not a valid profile name");
  EXPECT_EQ(ErrorOf("[machine_profile]\nx = 1\n").message,
            "line 2: [machine_profile.x] is not a table");
}

TEST(ParseProfilesTest, ThereMayBeSixtyFour) {
  std::string text;
  for (int i = 0; i < 64; ++i) text += "[machine_profile.p" + std::to_string(i) + "]\n";
  EXPECT_EQ(ProfilesOf(text).size(), 64U);
  EXPECT_EQ(ErrorOf(text + "[machine_profile.q]\n").message,
            "line 1: [machine_profile] has more than 64 profiles");
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
