#include "daemon/push/push_config.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/base/toml.h"

namespace benchd::push {
namespace {

Error Refuse(std::string_view key, std::string_view why) {
  return InvalidArgument("[push] " + std::string(key), why);
}

Result<void> TakeFlag(const toml::node& node, std::string_view key, bool& into) {
  const auto value = node.value_exact<bool>();
  if (!value) return Refuse(key, "should be true or false");
  into = *value;
  return {};
}

Result<void> TakePatterns(const toml::node& node, std::vector<std::string>& into) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) return Refuse("benchmarks", "should be a list of patterns");
  for (const toml::node& one : *list) {
    const auto pattern = one.value_exact<std::string>();
    if (!pattern || pattern->empty()) return Refuse("benchmarks", "should be a list of patterns");
    into.push_back(*pattern);
  }
  return {};
}

Result<void> Take(std::string_view key, const toml::node& node, PushConfig& config) {
  if (key == "commands") return TakeFlag(node, key, config.commands);
  if (key == "labels") return TakeFlag(node, key, config.labels);
  if (key == "benchmarks") return TakePatterns(node, config.benchmarks);
  if (key != "url") {
    return InvalidArgument("[push] " + OnOneLine(Quoted(key)), "unknown key",
                           "known: url, commands, labels, benchmarks");
  }
  const auto url = node.value_exact<std::string>();
  if (!url || url->empty()) return Refuse(key, "should be a string in quotes");
  config.url = *url;
  return {};
}

}  // namespace

bool PushConfig::Sends(const std::string& benchmark) const {
  return benchmarks.empty() ||
         std::any_of(benchmarks.begin(), benchmarks.end(), [&](const std::string& pattern) {
           return ::fnmatch(pattern.c_str(), benchmark.c_str(), 0) == 0;
         });
}

Result<PushConfig> ParsePushConfig(std::string_view text, std::string_view name) {
  PushConfig config;
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return InvalidArgument(name, "line " + std::to_string(error.source().begin.line) + ": " +
                                     OnOneLine(error.description()));
  }
  const toml::node* const section = parsed.table().get("push");
  if (section == nullptr) return config;
  if (!section->is_table()) return Refuse("", "is not a table").Within(std::string(name));
  for (const auto& [key, node] : *section->as_table()) {
    if (Result<void> taken = Take(key.str(), node, config); !taken) {
      return std::move(taken).error().Within(std::string(name));
    }
  }
  return config;
}

}  // namespace benchd::push
