#include "daemon/helper/config.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include <string>

#include "daemon/base/error.h"

namespace benchd {
namespace {

std::string Line(const toml::source_region& source) {
  return "line " + std::to_string(source.begin.line);
}

/// The value as text: users and CPU lists may be written as a bare number.
Result<std::string> Text(std::string_view key, const toml::node& node) {
  if (const auto text = node.value<std::string>(); text && node.is_string()) return *text;
  if (const auto number = node.value<std::int64_t>(); number && node.is_integer()) {
    return std::to_string(*number);
  }
  return InvalidArgument(Line(node.source()),
                         "[runner] " + std::string(key) + " is neither a text nor a number");
}

}  // namespace

Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return InvalidArgument(Line(parsed.error().source()), parsed.error().description());
  }
  wire::RunnerConfig config;
  const toml::node* section = parsed.table().get("runner");
  if (section == nullptr) return config;
  if (!section->is_table()) return InvalidArgument(Line(section->source()), "[runner] is no table");
  for (const auto& [key, node] : *section->as_table()) {
    if (key == "socket") continue;  // where benchd looks for us
    std::string* target = nullptr;
    if (key == "user") target = &config.user;
    if (key == "benchmark_cpus") target = &config.benchmark_cpus;
    if (target == nullptr) {
      return InvalidArgument(Line(node.source()),
                             "[runner] " + std::string(key.str()) + " is no known key",
                             "known are socket, user and benchmark_cpus");
    }
    auto value = Text(key.str(), node);
    if (!value) return std::move(value).error();
    *target = std::move(*value);
  }
  return config;
}

}  // namespace benchd
