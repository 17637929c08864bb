#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "daemon/config/config.h"
#include "daemon/config/toml.h"
#include "daemon/wire/messages.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

bool IsOneOf(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Properties on which the runner relies without further checks.
void CheckProfile(const MachineProfile& profile) {
  FUZZ_CHECK(IsPlainWord(profile.name) && profile.name.size() <= 64);
  FUZZ_CHECK(profile.governor.empty() || IsPlainWord(profile.governor));
  FUZZ_CHECK(profile.energy_preference.empty() || IsPlainWord(profile.energy_preference));
  FUZZ_CHECK(IsOneOf(profile.smt, {"", "idle", "off"}));
  FUZZ_CHECK(IsOneOf(profile.cpuset, {"", "auto", "isolated", "root", "shield"}));
  FUZZ_CHECK(IsOneOf(profile.boost, {"", "on", "off"}));
  FUZZ_CHECK(IsOneOf(profile.timer_migration, {"", "0", "1"}));
  FUZZ_CHECK(IsOneOf(profile.policy, {"", "batch", "fifo"}));
  FUZZ_CHECK(profile.nice >= -20 && profile.nice <= 19);
  FUZZ_CHECK(profile.c_state_latency_us.value_or(0) >= 0);
}

/// With a limit of 0, no program could run.
void CheckLimits(const ChildLimits& limits) {
  FUZZ_CHECK(limits.memory_bytes.value_or(1) > 0 && limits.processes.value_or(1) > 0);
  FUZZ_CHECK(limits.open_files > 0 && limits.cpu_seconds > 0);
}

}  // namespace

void FuzzRunnerConfig(std::string_view input) {
  const auto config = ParseRunnerConfig(input);
  const std::string sent = wire::EncodeRunnerConfig(config);
  if (!config) {
    CheckMessage(config.error().message);
    FUZZ_CHECK(config.error().message.starts_with("line "));
  } else {
    CheckLimits(config->children);
    for (const MachineProfile& profile : config->profiles) CheckProfile(profile);
  }
  // The runner receives the same result, error or not.
  const auto received = wire::DecodeRunnerConfig(sent);
  FUZZ_CHECK(received && wire::EncodeRunnerConfig(*received) == sent);
}

}  // namespace benchd::fuzz
