#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/base/cpu_list.h"
#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/helper/config.h"

namespace benchd {
namespace {

constexpr std::size_t kMaxProfiles = 64;
constexpr std::size_t kMaxProfileNameBytes = 64;

std::string Section(std::string_view name) { return "[machine_profile." + ShownKey(name) + "]"; }

/// Creates complete profiles from tables that may refer to each other.
class ProfileReader {
 public:
  explicit ProfileReader(const toml::table& tables) : tables_(tables) {}

  Result<std::vector<MachineProfile>> ReadAll() {
    if (tables_.size() > kMaxProfiles) {
      return InvalidArgument(TomlLine(tables_.source()),
                             "[machine_profile] has more than 64 profiles");
    }
    std::vector<MachineProfile> profiles;
    for (const auto& [key, table] : tables_) {
      TRY_VOID(CheckEntry(key, table));
      TRY(auto profile, Complete(key.str(), *table.as_table()));
      profiles.push_back(std::move(profile));
    }
    return profiles;
  }

 private:
  static Result<void> CheckEntry(const toml::key& key, const toml::node& entry) {
    if (!IsPlainWord(key.str()) || key.str().size() > kMaxProfileNameBytes) {
      return InvalidArgument(TomlLine(key.source()),
                             Section(key.str()) + ": not a valid profile name",
                             "use 1 to 64 letters, digits, _ and -");
    }
    if (entry.is_table()) return {};
    return InvalidArgument(TomlLine(key.source()), Section(key.str()) + " is not a table");
  }

  /// Returns the profile whose values the profile `name` begins with.
  Result<MachineProfile> Base(std::string_view name, const toml::table& table) {
    const toml::node* base = table.get("base");
    if (base == nullptr) return name == "strict" ? StrictProfile() : MachineProfile{};
    const auto wanted = base->value_exact<std::string>();
    const std::string line = TomlLine(base->source());
    if (!wanted) {
      return InvalidArgument(line, Section(name) + " base should be the name of a profile");
    }
    if (const toml::table* other = tables_[*wanted].as_table()) {
      if (under_way_.contains(*wanted)) {
        return InvalidArgument(
            line, Section(name) + " base " + Quoted(*wanted) + " refers back to this profile");
      }
      return Complete(*wanted, *other);
    }
    if (wanted == "default") return MachineProfile{};
    if (wanted == "strict") return StrictProfile();
    return InvalidArgument(line, Section(name) + " base " + Quoted(*wanted) + " is not a profile",
                           "known: " + KnownProfiles());
  }

  Result<MachineProfile> Complete(std::string_view name, const toml::table& table) {
    under_way_.emplace(name);
    auto profile = Base(name, table);
    under_way_.erase(under_way_.find(name));
    if (!profile) return profile;
    profile->name = name;
    for (const auto& [key, value] : table) {
      if (key == "base") continue;
      TRY_VOID(TakeKey(ProfileKeys(), Section(name), key, value, *profile, "base"));
    }
    TRY_VOID(CheckFrequencies(*profile, table));
    return profile;
  }

  static Result<void> CheckFrequencies(const MachineProfile& profile, const toml::table& table) {
    const auto number = [](const std::string& text) {
      std::int64_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    if (profile.min_frequency_khz.empty() || profile.max_frequency_khz.empty()) return {};
    if (number(profile.min_frequency_khz) <= number(profile.max_frequency_khz)) return {};
    return InvalidArgument(TomlLine(table.source()),
                           Section(profile.name) + " min_frequency_khz is above max_frequency_khz");
  }

  std::string KnownProfiles() const {
    std::string known = "default, strict";
    for (const auto& [key, table] : tables_) {
      if (key != "default" && key != "strict") known += ", " + ShownKey(key.str());
    }
    return known;
  }

  const toml::table& tables_;
  std::set<std::string, std::less<>> under_way_;
};

}  // namespace

Result<std::vector<MachineProfile>> ParseProfiles(const toml::table& root) {
  const toml::node* section = root.get("machine_profile");
  if (section == nullptr) return std::vector<MachineProfile>{};
  if (const toml::table* tables = section->as_table()) return ProfileReader(*tables).ReadAll();
  return InvalidArgument(TomlLine(section->source()), "[machine_profile] is not a table",
                         "write each profile as a table [machine_profile.NAME]");
}

namespace {

using Value = toml::node;
using Profile = MachineProfile;

constexpr std::string_view kLeave = "leave";
// These ranges must equal those of the runner's journal (settings/setting.cc). A test compares
// them.
constexpr std::size_t kMaxValueBytes = 32;
constexpr std::int64_t kMaxKhz = 100'000'000;
constexpr std::int64_t kMaxSampleRate = 1'000'000'000;
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();

std::optional<std::string> TextOf(const Value& value) { return value.value_exact<std::string>(); }

bool IsLeave(const Value& value) { return TextOf(value) == kLeave; }

std::optional<std::int64_t> WholeNumber(const Value& value, std::int64_t low, std::int64_t high) {
  const auto number = value.value_exact<std::int64_t>();
  return number && *number >= low && *number <= high ? number : std::nullopt;
}

/// Removes the first word from a list separated by "|", and returns it.
std::string_view NextAllowed(std::string_view& words) {
  const std::string_view word = words.substr(0, words.find('|'));
  words.remove_prefix(std::min(words.size(), word.size() + 1));
  return word;
}

/// Stores one of the allowed words. "leave" and "other" become the empty value.
template <auto field>
bool TakeWord(const Value& value, std::string_view allowed, Profile& profile) {
  const auto text = TextOf(value);
  while (!allowed.empty()) {
    const std::string_view word = NextAllowed(allowed);
    if (text != word) continue;
    profile.*field = word == kLeave || word == "other" ? "" : word;
    return true;
  }
  return false;
}

/// Stores a whole number as text, or "leave".
template <auto field, std::int64_t low, std::int64_t high>
bool TakeNumber(const Value& value, std::string_view, Profile& profile) {
  const auto number = WholeNumber(value, low, high);
  if (!number && !IsLeave(value)) return false;
  profile.*field = number ? std::to_string(*number) : "";
  return true;
}

/// Stores a name that consists of a to z, digits and _ like the kernel's names, or "leave".
template <auto field>
bool TakeName(const Value& value, std::string_view, Profile& profile) {
  const auto text = TextOf(value);
  if (!text || text->empty() || text->size() > kMaxValueBytes) return false;
  if (text->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
    return false;
  }
  profile.*field = *text == kLeave ? "" : *text;
  return true;
}

/// Stores 0, 1, false, true or "leave".
template <auto field>
bool TakeBit(const Value& value, std::string_view allowed, Profile& profile) {
  const auto boolean = value.value_exact<bool>();
  if (!boolean) return TakeNumber<field, 0, 1>(value, allowed, profile);
  profile.*field = *boolean ? "1" : "0";
  return true;
}

bool TakeCpus(const Value& value, std::string_view, Profile& profile) {
  const auto number = value.value_exact<std::int64_t>();
  const auto text = number ? std::to_string(*number) : TextOf(value);
  if (!text || !ParseCpuList(*text)) return false;
  profile.benchmark_cpus = *text;
  return true;
}

bool TakeHold(const Value& value, std::string_view, Profile& profile) {
  const auto text = TextOf(value);
  const auto hold = text ? ValueOf<HoldSettings>(*text) : std::nullopt;
  if (!hold) return false;
  profile.hold = *hold;
  return true;
}

bool TakeBoost(const Value& value, std::string_view allowed, Profile& profile) {
  const auto boolean = value.value_exact<bool>();
  if (!boolean) return TakeWord<&Profile::boost>(value, allowed, profile);
  profile.boost = *boolean ? "on" : "off";
  return true;
}

bool TakeCStateLatency(const Value& value, std::string_view, Profile& profile) {
  const auto microseconds = WholeNumber(value, 0, kMaxInt);
  if (!microseconds && !IsLeave(value)) return false;
  profile.c_state_latency_us.reset();
  if (microseconds) profile.c_state_latency_us = static_cast<std::int32_t>(*microseconds);
  return true;
}

bool TakeNuma(const Value& value, std::string_view, Profile& profile) {
  const auto text = TextOf(value);
  if (text != "local" && text != kLeave) return false;
  profile.numa_local = text == "local";
  return true;
}

/// Returns the number of bytes in a unit: 1 for "", 1024 for "KiB" and so on.
std::optional<std::uint64_t> UnitBytes(std::string_view suffix) {
  constexpr std::string_view kUnits[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::uint64_t bytes = 1;
  for (const std::string_view unit : kUnits) {
    if (suffix == unit) return bytes;
    bytes *= 1024;
  }
  return std::nullopt;
}

bool TakeMemoryLimit(const Value& value, std::string_view, Profile& profile) {
  std::uint64_t count = 0;
  std::optional<std::uint64_t> unit = 1;
  if (const auto number = WholeNumber(value, 0, std::numeric_limits<std::int64_t>::max())) {
    count = static_cast<std::uint64_t>(*number);
  } else if (!IsLeave(value)) {
    const std::string text = TextOf(value).value_or("");
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, count);
    if (read.ec != std::errc()) return false;
    std::string_view suffix(read.ptr, static_cast<std::size_t>(end - read.ptr));
    if (suffix.starts_with(' ')) suffix.remove_prefix(1);
    unit = UnitBytes(suffix);
  }
  // The kernel stores the number of bytes in a signed integer.
  if (!unit || count > std::numeric_limits<std::int64_t>::max() / *unit) return false;
  profile.memory_limit_bytes = count * *unit;
  return true;
}

bool TakeNice(const Value& value, std::string_view, Profile& profile) {
  const auto nice = WholeNumber(value, -20, 19);
  if (nice) profile.nice = static_cast<std::int32_t>(*nice);
  return nice.has_value();
}

bool TakeDropCaches(const Value& value, std::string_view, Profile& profile) {
  const auto drop = value.value_exact<bool>();
  if (drop) profile.drop_caches = *drop;
  return drop.has_value();
}

bool TakeAslr(const Value& value, std::string_view, Profile& profile) {
  const auto text = TextOf(value);
  const auto boolean = value.value_exact<bool>();
  if (!boolean && text != "on" && text != "off") return false;
  profile.aslr = boolean ? *boolean : text == "on";
  return true;
}

constexpr std::string_view kFrequency = "a whole number of kHz from 1 to 100000000, or leave";
constexpr std::string_view kBit = "0, 1, true, false or leave";

constexpr ConfigKey<Profile> kProfileKeys[] = {
    {"benchmark_cpus", "a list of CPUs such as \"1-3,7\", or a single number", TakeCpus},
    {"hold", "sessions|daemon", TakeHold},
    {"irqs", "housekeeping|leave", TakeWord<&Profile::irqs>},
    {"workqueues", "housekeeping|leave", TakeWord<&Profile::workqueues>},
    {"smt", "idle|off|leave", TakeWord<&Profile::smt>},
    {"cpuset", "auto|isolated|root|shield|leave", TakeWord<&Profile::cpuset>},
    {"governor", "the name of a cpufreq governor such as performance, or leave",
     TakeName<&Profile::governor>},
    {"min_frequency_khz", kFrequency, TakeNumber<&Profile::min_frequency_khz, 1, kMaxKhz>},
    {"max_frequency_khz", kFrequency, TakeNumber<&Profile::max_frequency_khz, 1, kMaxKhz>},
    {"boost", "on|off|leave", TakeBoost},
    {"energy_preference", "the name of a preference such as performance, or leave",
     TakeName<&Profile::energy_preference>},
    {"c_state_latency_us", "a whole number of microseconds >= 0, or leave", TakeCStateLatency},
    {"timer_migration", kBit, TakeBit<&Profile::timer_migration>},
    {"nmi_watchdog", kBit, TakeBit<&Profile::nmi_watchdog>},
    {"transparent_hugepages", "always|madvise|never|leave",
     TakeWord<&Profile::transparent_hugepages>},
    {"swappiness", "a whole number from 0 to 200, or leave",
     TakeNumber<&Profile::swappiness, 0, 200>},
    {"perf_sample_rate", "a whole number of samples per second from 1 to 1000000000, or leave",
     TakeNumber<&Profile::perf_sample_rate, 1, kMaxSampleRate>},
    {"numa", "local|leave", TakeNuma},
    {"memory_limit", "a number of bytes, a string such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave",
     TakeMemoryLimit},
    {"nice", "a whole number from -20 to 19", TakeNice},
    {"policy", "other|batch|fifo", TakeWord<&Profile::policy>},
    {"drop_caches", "true or false", TakeDropCaches},
    {"aslr", "on|off", TakeAslr},
};

}  // namespace

std::span<const ConfigKey<MachineProfile>> ProfileKeys() { return kProfileKeys; }

std::string AllowedText(std::string_view allowed) {
  std::string text(NextAllowed(allowed));
  while (!allowed.empty()) {
    const std::string_view word = NextAllowed(allowed);
    text.append(allowed.empty() ? " or " : ", ").append(word);
  }
  return text;
}

}  // namespace benchd
