#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "daemon/config/config.h"
#include "tests/support/places.h"

namespace benchd {
namespace {

std::string Page(const std::string& page) {
  std::ifstream file(test::TestFile("../" + page));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An entry of benchd.toml(5).
struct Entry {
  std::string value;  ///< the default, or an example
  std::string help;   ///< on one line
};

std::string WithoutRoff(std::string text) {
  for (const char* mark : {"\\fB", "\\fR"}) {
    for (std::size_t at; (at = text.find(mark)) != std::string::npos;) text.erase(at, 3);
  }
  for (std::size_t at; (at = text.find("\\-")) != std::string::npos;) text.erase(at, 1);
  return text;
}

/// Returns what the manual says about a key.
std::optional<Entry> EntryOf(const ConfigKey& key, const std::string& manual) {
  const std::string table(key.table);
  const std::string section = table == "machine_profile" ? table + ".NAME" : table;
  const std::size_t from = manual.find("\n.SH [" + section + "]\n");
  if (from == std::string::npos) return std::nullopt;
  const std::string body = manual.substr(from, manual.find("\n.SH ", from + 1) - from);
  const std::string tag = "\n.TP\n\\fB" + std::string(key.name) + "\\fR = ";
  std::size_t at = body.find(tag);
  if (at == std::string::npos) return std::nullopt;
  at += tag.size();
  const std::size_t end = body.find('\n', at);
  Entry entry{WithoutRoff(body.substr(at, end - at)), {}};
  std::string text = body.substr(end + 1);
  for (const char* next : {"\n.TP", "\n.PP"}) text.resize(std::min(text.size(), text.find(next)));
  std::replace(text.begin(), text.end(), '\n', ' ');
  entry.help = WithoutRoff(text);
  return entry;
}

TEST(ConfigManualTest, HasEveryKeyWithItsDefaultAndItsHelp) {
  const std::string manual = Page("docs/man/benchd.toml.5.in");
  for (const ConfigKey& key : ConfigKeys()) {
    SCOPED_TRACE(std::string(key.table) + " " + std::string(key.name));
    const auto entry = EntryOf(key, manual);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->help, key.help);
    EXPECT_TRUE(key.standard.empty() || key.standard == entry->value) << entry->value;
  }
}

std::string TableOf(const ConfigKey& key) {
  return key.table == "machine_profile" ? "[machine_profile.default]"
                                        : "[" + std::string(key.table) + "]";
}

TEST(ConfigManualTest, EveryValueIsTaken) {
  const std::string manual = Page("docs/man/benchd.toml.5.in");
  for (const ConfigKey& key : ConfigKeys()) {
    const auto entry = EntryOf(key, manual);
    ASSERT_TRUE(entry) << key.name;
    const auto values =
        ReadConfig(TableOf(key) + "\n" + std::string(key.name) + " = " + entry->value, "",
                   kForBenchd | kForRunner | kForPush);
    EXPECT_TRUE(values) << values.error().message;
  }
}

TEST(ConfigKeysTest, TheDefaultInARowIsTheValueOfAMissingKey) {
  for (const ConfigKey& key : ConfigKeys()) {
    if (key.standard.empty()) continue;
    const std::string line = std::string(key.name) + " = " + std::string(key.standard);
    const auto values =
        ReadConfig(TableOf(key) + "\n" + line, "", kForBenchd | kForRunner | kForPush);
    ASSERT_TRUE(values) << values.error().message;
    EXPECT_EQ(std::get<Config>(*values), Config{}) << line;
    EXPECT_EQ(std::get<PushConfig>(*values), PushConfig{}) << line;
    const RunnerConfig& runner = std::get<RunnerConfig>(*values);
    EXPECT_EQ(runner.counters, RunnerConfig{}.counters) << line;
    EXPECT_EQ(runner.children, ChildLimits{}) << line;
    for (const MachineProfile& profile : runner.profiles) {
      EXPECT_EQ(profile, MachineProfile{}) << line;
    }
  }
}

TEST(ConfigKeysTest, EveryKeyStandsInAKnownTableAndHasAReader) {
  for (const ConfigKey& key : ConfigKeys()) {
    EXPECT_NE(std::ranges::find(kConfigTables, key.table, &ConfigTable::name),
              std::end(kConfigTables))
        << key.name;
    EXPECT_NE(key.readers, 0U) << key.name;
    EXPECT_EQ(std::ranges::count_if(ConfigKeys(),
                                    [&key](const ConfigKey& other) {
                                      return other.table == key.table && other.name == key.name;
                                    }),
              1)
        << key.name;
  }
}

TEST(ConfigKeysTest, TheInstalledExampleNamesKnownKeysOnly) {
  std::string text = Page("systemd/benchd.toml");
  // A comment sign at the beginning of a line, without a space after it, hides a key.
  for (std::size_t at = 0; (at = text.find("\n#", at)) != std::string::npos; ++at) {
    if (text[at + 2] != ' ' && text[at + 2] != '\n') text.erase(at + 1, 1);
  }
  const auto values = ReadConfig(text, "", kForBenchd | kForRunner | kForPush);
  EXPECT_TRUE(values) << values.error().message;
}

TEST(ReadConfigTest, EachProgramRefusesWhatItChecksAndIgnoresTheRest) {
  EXPECT_FALSE(ReadConfig("[push]\nurl = 1\n", "", kForBenchd));
  EXPECT_FALSE(ReadConfig("[push]\nurl = 1\n", "", kForPush));
  EXPECT_TRUE(ReadConfig("[push]\nurl = 1\n", "", kForRunner));
  EXPECT_FALSE(ReadConfig("[access]\nusers = 1\n", "", kForBenchd));
  EXPECT_FALSE(ReadConfig("[access]\nusers = 1\n", "", kForRunner));
  EXPECT_TRUE(ReadConfig("[access]\nunknown = 1\n", "", kForRunner));
  EXPECT_TRUE(ReadConfig("[children]\nunknown = 1\n", "", kForBenchd));
  EXPECT_FALSE(ReadConfig("[children]\nunknown = 1\n", "", kForBenchd | kForRunner));
}

}  // namespace
}  // namespace benchd
