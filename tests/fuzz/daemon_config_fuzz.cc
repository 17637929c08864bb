#include <string>

#include "daemon/config.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr std::chrono::hours kYear{24 * 365};

/// What benchd builds on without a look of its own.
void CheckConfig(const benchd::Config& config) {
  FUZZ_CHECK(!config.runner_socket.empty() && !config.admin_group.empty());
  FUZZ_CHECK(benchd::IsLogLevel(config.log_level));
  if (config.limits.running_a_day) FUZZ_CHECK(config.limits.running_a_day->count() > 0);
  if (config.idle_exit) FUZZ_CHECK(config.idle_exit->count() > 0 && *config.idle_exit <= kYear);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = benchd::ParseConfig(benchd::fuzz::AsText(data, size), "benchd.toml");
  if (config) {
    CheckConfig(*config);
    return 0;
  }
  benchd::fuzz::CheckMessage(config.error().message);
  FUZZ_CHECK(config.error().code == benchd::ErrorCode::kInvalidArgument);
  FUZZ_CHECK(config.error().message.starts_with("benchd.toml:"));
  return 0;
}
