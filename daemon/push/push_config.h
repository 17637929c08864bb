#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd::push {

/// `[push]` of benchd.toml: what is sent, and where.
struct PushConfig {
  std::string url;        ///< of libpq; empty: nothing is sent
  bool commands = false;  ///< the candidates' command lines, too
  bool labels = false;
  std::vector<std::string> benchmarks;  ///< patterns such as "parse*"; none: all

  bool Sends(const std::string& benchmark) const;
  bool operator==(const PushConfig&) const = default;
};

/// @errors kInvalidArgument for what is no TOML, a key of [push] that nobody knows, or a value of
///         the wrong type. The other tables are benchd's.
Result<PushConfig> ParsePushConfig(std::string_view text, std::string_view name);

}  // namespace benchd::push
