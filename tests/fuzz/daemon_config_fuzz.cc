#include <string>

#include "daemon/config/config.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {
namespace {

constexpr std::chrono::hours kYear{24 * 365};

/// Properties on which benchd relies without further checks.
void CheckConfig(const Config& config) {
  FUZZ_CHECK(!config.runner_socket.empty() && !config.admin_group.empty());
  FUZZ_CHECK(IsLogLevel(config.log_level));
  for (const LimitRow& row : LimitRows()) {
    const auto limit = config.limits.Of(row.limit);
    FUZZ_CHECK(!limit || *limit > 0);
  }
  if (config.idle_exit) FUZZ_CHECK(config.idle_exit->count() > 0 && *config.idle_exit <= kYear);
}

}  // namespace

void FuzzDaemonConfig(std::string_view input) {
  const auto config = ParseConfig(input, "benchd.toml");
  // benchd-push accepts every configuration that benchd accepts.
  const auto pushed = ParsePushConfig(input, "benchd.toml");
  FUZZ_CHECK(pushed || !config);
  if (!pushed) CheckMessage(pushed.error().message);
  if (config) {
    CheckConfig(*config);
    return;
  }
  CheckMessage(config.error().message);
  FUZZ_CHECK(config.error().code == ErrorCode::kInvalidArgument);
  FUZZ_CHECK(config.error().message.starts_with("benchd.toml:"));
}

}  // namespace benchd::fuzz
