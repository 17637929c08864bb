#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd::push {

/// The section [push] of benchd.toml, which specifies the data to send and its destination.
struct PushConfig {
  std::string url;        ///< connection URL for libpq; empty: nothing is sent
  bool commands = false;  ///< whether to send the candidates' command lines
  bool labels = false;
  std::vector<std::string> benchmarks;  ///< patterns such as "parse*"; empty: all

  bool Sends(const std::string& benchmark) const;
  bool operator==(const PushConfig&) const = default;
};

/// Reads the section [push] of a configuration. benchd checks all other sections.
/// @errors kInvalidArgument for invalid TOML, an unknown key in [push], or a value of the wrong
///         type.
Result<PushConfig> ParsePushConfig(std::string_view text, std::string_view name);

}  // namespace benchd::push
