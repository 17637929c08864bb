// The closed list of settings and their values.

#include <gtest/gtest.h>

#include <set>

#include "daemon/settings/setting.h"
#include "tests/settings/setting_machine.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using Kind = SettingKind;

TEST(SettingKindTest, EveryKindHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (Kind kind : AllKinds()) {
    names.insert(SettingKindName(kind));
    EXPECT_EQ(FindSettingKind(SettingKindName(kind)), kind);
  }
  EXPECT_EQ(names.size(), AllKinds().size());
  for (const char* name : {"", "governo", "governors", "Governor", "../governor"}) {
    EXPECT_FALSE(FindSettingKind(name)) << name;
  }
}

TEST(SettingKindTest, DescribesASettingForMessages) {
  EXPECT_WORDING(DescribeSetting({Kind::kGovernor, "3"}));
  EXPECT_WORDING(DescribeSetting({Kind::kIrqAffinity, "24"}));
  EXPECT_WORDING(DescribeSetting({Kind::kBoost, ""}));
  EXPECT_WORDING(DescribeSetting({Kind::kThreadCpus, "42@99"}));
  EXPECT_WORDING(DescribeSetting({Kind::kAllowedCpus, "bench.slice"}));
}

struct Pair {
  SettingKey key;
  const char* value;
};

const Pair kInvalid[] = {
    {{Kind::kIrqAffinity, ""}, "0"},
    {{Kind::kIrqAffinity, "../../etc/passwd"}, "0"},
    {{Kind::kIrqAffinity, "007"}, "0"},
    {{Kind::kIrqAffinity, "-1"}, "0"},
    {{Kind::kIrqAffinity, "1000000"}, "0"},
    {{Kind::kIrqAffinity, "1/../2"}, "0"},
    {{Kind::kIrqAffinity, "1"}, ""},
    {{Kind::kIrqAffinity, "1"}, "0,1"},
    {{Kind::kIrqAffinity, "1"}, "0 "},
    {{Kind::kIrqAffinity, "1"}, "1024"},
    {{Kind::kIrqAffinity, "1"}, "../../etc/passwd"},
    {{Kind::kDefaultIrqAffinity, "x"}, "0"},
    {{Kind::kDefaultIrqAffinity, ""}, ""},
    {{Kind::kWorkqueueCpus, ""}, "ff"},
    {{Kind::kSmt, ""}, "forceoff"},
    {{Kind::kSmt, ""}, ""},
    {{Kind::kAllowedCpus, "sshd.service"}, "0"},
    {{Kind::kAllowedCpus, ""}, "0"},
    {{Kind::kAllowedCpus, "--now"}, "0"},
    {{Kind::kAllowedCpus, "bench.slice"}, "0 1"},
    {{Kind::kCpusetPartition, "bench.slice"}, "isolated invalid (why)"},
    {{Kind::kCpusetPartition, "bench.slice/x"}, "root"},
    {{Kind::kCpusetPartition, "bench.slice"}, ""},
    {{Kind::kGovernor, "1024"}, "ondemand"},
    {{Kind::kGovernor, "0/../../.."}, "ondemand"},
    {{Kind::kGovernor, "0"}, ""},
    {{Kind::kGovernor, "0"}, "../../etc/passwd"},
    {{Kind::kGovernor, "0"}, "On"},
    {{Kind::kGovernor, "0"}, "on demand"},
    {{Kind::kGovernor, "0"}, "abcdefghijklmnopqrstuvwxyz0123456"},
    {{Kind::kMinFrequency, "0"}, "0"},
    {{Kind::kMinFrequency, "0"}, "-5"},
    {{Kind::kMinFrequency, "0"}, "1e6"},
    {{Kind::kMaxFrequency, "0"}, "100000001"},
    {{Kind::kMaxFrequency, "0"}, "99999999999999999999"},
    {{Kind::kMaxFrequency, "0"}, "0800000"},
    {{Kind::kEnergyPreference, "0"}, "a-b"},
    {{Kind::kBoost, ""}, "2"},
    {{Kind::kBoost, "0"}, "1"},
    {{Kind::kNoTurbo, ""}, ""},
    {{Kind::kTimerMigration, ""}, "true"},
    {{Kind::kNmiWatchdog, ""}, "0 1"},
    {{Kind::kTransparentHugepages, ""}, "[never]"},
    {{Kind::kTransparentHugepages, ""}, "defer"},
    {{Kind::kSwappiness, ""}, "201"},
    {{Kind::kSwappiness, ""}, ""},
    {{Kind::kPerfSampleRate, ""}, "0"},
    {{Kind::kThreadCpus, ""}, "0"},
    {{Kind::kThreadCpus, "1"}, "0"},
    {{Kind::kThreadCpus, "0@1"}, "0"},
    {{Kind::kThreadCpus, "1@1"}, "../.."},
};

TEST_F(SettingsTest, WritesNothingButItsOwnKindOfValues) {
  for (const FileCase& one : kFileCases) tree_.Put(one.path, one.text);
  const auto before = tree_.Contents();
  for (const Pair& one : kInvalid) {
    SCOPED_TRACE(std::string(SettingKindName(one.key.kind)) + " of '" + one.key.target + "' = '" +
                 one.value + "'");
    EXPECT_FALSE(IsValidSetting(one.key, one.value));
    // Callers may write lists in another form.
    if (NormalValue(one.key.kind, one.value) != one.value) continue;
    const auto written = settings_.Write(one.key, one.value);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(files_.writes(), 0);
  EXPECT_EQ(tree_.Contents(), before);
  EXPECT_TRUE(units_.allowed.empty());
}

TEST_F(SettingsTest, ReadsNothingBesideItsOwnTargets) {
  for (const SettingKey& key :
       {SettingKey{Kind::kIrqAffinity, "../../etc/passwd"}, SettingKey{Kind::kGovernor, "0/../.."},
        SettingKey{Kind::kAllowedCpus, "sshd.service"}}) {
    const auto value = settings_.Read(key);
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(SettingsTest, TakesTheValuesOfItsOwn) {
  for (const FileCase& one : kFileCases)
    EXPECT_TRUE(IsValidSetting(one.key, one.value)) << one.path;
  for (std::string_view unit : kUnitTargets) {
    EXPECT_TRUE(IsValidSetting({Kind::kAllowedCpus, std::string(unit)}, ""));
    EXPECT_TRUE(IsValidSetting({Kind::kCpusetPartition, std::string(unit)}, "root"));
  }
  EXPECT_TRUE(IsValidSetting({Kind::kSwappiness, ""}, "200"));
}

}  // namespace
}  // namespace benchd
