#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd::push {

/// [push] in benchd.toml: what is sent, and where.
struct PushConfig {
  std::string url;        ///< for libpq; empty: nothing is sent
  bool commands = false;  ///< also sends the candidates' command lines
  bool labels = false;
  std::vector<std::string> benchmarks;  ///< patterns such as "parse*"; empty: all

  bool Sends(const std::string& benchmark) const;
  bool operator==(const PushConfig&) const = default;
};

/// @errors kInvalidArgument for invalid TOML, an unknown key of [push], or a value of the wrong
///         type. benchd reads the other tables.
Result<PushConfig> ParsePushConfig(std::string_view text, std::string_view name);

}  // namespace benchd::push
