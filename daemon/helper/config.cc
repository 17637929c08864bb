#include "daemon/helper/config.h"

#include <string>

#include "daemon/base/error.h"
#include "daemon/helper/children_config.h"
#include "daemon/helper/profile_config.h"
#include "daemon/helper/toml.h"

namespace benchd {
namespace {

/// The value as text: users and CPU lists may be written as a bare number.
Result<std::string> Text(std::string_view key, const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  return InvalidArgument(TomlLine(node.source()),
                         "[runner] " + std::string(key) + " is neither a text nor a number");
}

Result<void> ReadRunnerSection(const toml::table& section, wire::RunnerConfig& config) {
  for (const auto& [key, node] : section) {
    if (key == "socket") continue;  // where benchd looks for us
    if (key == "counters") {
      const auto value = node.value_exact<bool>();
      if (!value) {
        return InvalidArgument(TomlLine(node.source()),
                               "[runner] counters is neither true nor false");
      }
      config.counters = *value;
      continue;
    }
    std::string* target = nullptr;
    if (key == "user") target = &config.user;
    if (key == "benchmark_cpus") target = &config.benchmark_cpus;
    if (target == nullptr) {
      return InvalidArgument(TomlLine(key.source()),
                             "[runner] " + ShownKey(key.str()) + " is no known key",
                             "known are socket, user, benchmark_cpus and counters");
    }
    auto value = Text(key.str(), node);
    if (!value) return std::move(value).error();
    *target = std::move(*value);
  }
  return {};
}

}  // namespace

Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return InvalidArgument(TomlLine(parsed.error().source()),
                           OnOneLine(parsed.error().description()));
  }
  wire::RunnerConfig config;
  if (const toml::node* section = parsed.table().get("runner")) {
    if (!section->is_table()) {
      return InvalidArgument(TomlLine(section->source()), "[runner] is no table");
    }
    if (auto read = ReadRunnerSection(*section->as_table(), config); !read) {
      return std::move(read).error();
    }
  }
  auto profiles = ParseProfiles(parsed.table());
  if (!profiles) return std::move(profiles).error();
  config.profiles = std::move(*profiles);
  auto children = ParseChildLimits(parsed.table());
  if (!children) return std::move(children).error();
  config.children = *children;
  return config;
}

}  // namespace benchd
