#include "daemon/helper/profile_keys.h"

#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>

#include "core/base/cpu_list.h"

namespace benchd {
namespace {

using Value = toml::node;
using Profile = MachineProfile;

constexpr std::string_view kLeave = "leave";
// The ranges are those that the runner's journal takes (system/setting_kinds.cc; a test holds the
// two together).
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

/// One of some words, as it is.
bool TakeWord(const Value& value, std::initializer_list<std::string_view> words,
              std::string& field) {
  const auto text = TextOf(value);
  for (const std::string_view word : words) {
    if (text != word) continue;
    field = word;
    return true;
  }
  return false;
}

/// The same, or "leave".
bool TakeWordOrLeave(const Value& value, std::initializer_list<std::string_view> words,
                     std::string& field) {
  if (!IsLeave(value)) return TakeWord(value, words, field);
  field.clear();
  return true;
}

/// A whole number, kept as text, or "leave".
bool TakeNumber(const Value& value, std::int64_t low, std::int64_t high, std::string& field) {
  const auto number = WholeNumber(value, low, high);
  if (!number && !IsLeave(value)) return false;
  field = number ? std::to_string(*number) : "";
  return true;
}

/// A name as the kernel has them, or "leave".
bool TakeName(const Value& value, std::string& field) {
  const auto text = TextOf(value);
  if (!text || text->empty() || text->size() > kMaxValueBytes) return false;
  if (text->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos) {
    return false;
  }
  field = *text == kLeave ? "" : *text;
  return true;
}

/// 0, 1, false, true or "leave".
bool TakeBit(const Value& value, std::string& field) {
  const auto boolean = value.value_exact<bool>();
  if (!boolean) return TakeNumber(value, 0, 1, field);
  field = *boolean ? "1" : "0";
  return true;
}

bool TakeCpus(const Value& value, std::string& field) {
  const auto number = value.value_exact<std::int64_t>();
  const auto text = number ? std::to_string(*number) : TextOf(value);
  if (!text || !ParseCpuList(*text)) return false;
  field = *text;
  return true;
}

bool TakeHold(const Value& value, Profile& profile) {
  const auto text = TextOf(value);
  if (text != "sessions" && text != "daemon") return false;
  profile.hold = text == "daemon" ? HoldSettings::kDaemon : HoldSettings::kSessions;
  return true;
}

bool TakeBoost(const Value& value, Profile& profile) {
  const auto boolean = value.value_exact<bool>();
  if (!boolean) return TakeWordOrLeave(value, {"on", "off"}, profile.boost);
  profile.boost = *boolean ? "on" : "off";
  return true;
}

bool TakeCStateLatency(const Value& value, Profile& profile) {
  const auto microseconds = WholeNumber(value, 0, kMaxInt);
  if (!microseconds && !IsLeave(value)) return false;
  profile.c_state_latency_us.reset();
  if (microseconds) profile.c_state_latency_us = static_cast<std::int32_t>(*microseconds);
  return true;
}

bool TakeNuma(const Value& value, Profile& profile) {
  const auto text = TextOf(value);
  if (text != "local" && text != kLeave) return false;
  profile.numa_local = text == "local";
  return true;
}

/// 1, 1024, ... by a suffix.
std::optional<std::uint64_t> UnitBytes(std::string_view suffix) {
  constexpr std::string_view kUnits[] = {"", "KiB", "MiB", "GiB", "TiB"};
  std::uint64_t bytes = 1;
  for (const std::string_view unit : kUnits) {
    if (suffix == unit) return bytes;
    bytes *= 1024;
  }
  return std::nullopt;
}

bool TakeMemoryLimit(const Value& value, Profile& profile) {
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
  // What the kernel counts bytes with is signed.
  if (!unit || count > std::numeric_limits<std::int64_t>::max() / *unit) return false;
  profile.memory_limit_bytes = count * *unit;
  return true;
}

bool TakeNice(const Value& value, Profile& profile) {
  const auto nice = WholeNumber(value, -20, 19);
  if (nice) profile.nice = static_cast<std::int32_t>(*nice);
  return nice.has_value();
}

bool TakePolicy(const Value& value, Profile& profile) {
  if (!TakeWord(value, {"other", "batch", "fifo"}, profile.policy)) return false;
  if (profile.policy == "other") profile.policy.clear();
  return true;
}

bool TakeDropCaches(const Value& value, Profile& profile) {
  const auto drop = value.value_exact<bool>();
  if (drop) profile.drop_caches = *drop;
  return drop.has_value();
}

bool TakeAslr(const Value& value, Profile& profile) {
  const auto text = TextOf(value);
  const auto boolean = value.value_exact<bool>();
  if (!boolean && text != "on" && text != "off") return false;
  profile.aslr = boolean ? *boolean : text == "on";
  return true;
}

constexpr std::string_view kFrequency = "a whole number of kHz from 1 to 100000000, or leave";
constexpr std::string_view kBit = "0, 1, true, false or leave";
constexpr std::string_view kHousekeeping = "housekeeping or leave";

constexpr ProfileKey kProfileKeys[] = {
    {"benchmark_cpus", "a list of CPUs such as \"1-3,7\", or the number of one",
     [](const Value& v, Profile& p) { return TakeCpus(v, p.benchmark_cpus); }},
    {"hold", "sessions or daemon", TakeHold},
    {"irqs", kHousekeeping,
     [](const Value& v, Profile& p) { return TakeWordOrLeave(v, {"housekeeping"}, p.irqs); }},
    {"workqueues", kHousekeeping,
     [](const Value& v, Profile& p) { return TakeWordOrLeave(v, {"housekeeping"}, p.workqueues); }},
    {"smt", "idle, off or leave",
     [](const Value& v, Profile& p) {
       return TakeWordOrLeave(v, {"idle", "off"}, p.smt);
     }},
    {"cpuset", "isolated, root, shield or leave",
     [](const Value& v, Profile& p) {
       return TakeWordOrLeave(v, {"isolated", "root", "shield"}, p.cpuset);
     }},
    {"governor", "the name of a cpufreq governor such as performance, or leave",
     [](const Value& v, Profile& p) { return TakeName(v, p.governor); }},
    {"min_frequency_khz", kFrequency,
     [](const Value& v, Profile& p) { return TakeNumber(v, 1, kMaxKhz, p.min_frequency_khz); }},
    {"max_frequency_khz", kFrequency,
     [](const Value& v, Profile& p) { return TakeNumber(v, 1, kMaxKhz, p.max_frequency_khz); }},
    {"boost", "on, off or leave", TakeBoost},
    {"energy_preference", "the name of a preference such as performance, or leave",
     [](const Value& v, Profile& p) { return TakeName(v, p.energy_preference); }},
    {"c_state_latency_us", "a whole number of microseconds from 0 on, or leave", TakeCStateLatency},
    {"timer_migration", kBit,
     [](const Value& v, Profile& p) { return TakeBit(v, p.timer_migration); }},
    {"nmi_watchdog", kBit, [](const Value& v, Profile& p) { return TakeBit(v, p.nmi_watchdog); }},
    {"transparent_hugepages", "always, madvise, never or leave",
     [](const Value& v, Profile& p) {
       return TakeWordOrLeave(v, {"always", "madvise", "never"}, p.transparent_hugepages);
     }},
    {"swappiness", "a whole number from 0 to 200, or leave",
     [](const Value& v, Profile& p) { return TakeNumber(v, 0, 200, p.swappiness); }},
    {"perf_sample_rate", "a whole number of samples a second from 1 to 1000000000, or leave",
     [](const Value& v, Profile& p) {
       return TakeNumber(v, 1, kMaxSampleRate, p.perf_sample_rate);
     }},
    {"numa", "local or leave", TakeNuma},
    {"memory_limit", "a number of bytes, a text such as \"4GiB\" (KiB, MiB, GiB, TiB), or leave",
     TakeMemoryLimit},
    {"nice", "a whole number from -20 to 19", TakeNice},
    {"policy", "other, batch or fifo", TakePolicy},
    {"drop_caches", "true or false", TakeDropCaches},
    {"aslr", "on or off", TakeAslr},
};

}  // namespace

std::span<const ProfileKey> ProfileKeys() { return kProfileKeys; }

}  // namespace benchd
