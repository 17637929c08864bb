#pragma once

#include <optional>
#include <string>
#include <variant>

#include "daemon/paths.h"

namespace benchd {

/// The command line of benchd.
struct Options {
  PlaceOptions places;
  bool check_config = false;
  bool force = false;
  std::string log_level;  ///< empty = the config's
  std::string log_file;   ///< empty = stderr
  /// Seconds; what benchctl gives to a daemon that it starts by itself.
  std::optional<int> idle_exit;
};

/// Exit codes of benchd.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// The options, or the exit code of a program that is done (--help, --version, wrong usage) and has
/// said so.
std::variant<Options, int> ParseOptions(int argc, const char* const* argv);

}  // namespace benchd
