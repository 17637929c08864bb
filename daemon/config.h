#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/model/limits.h"
#include "core/model/session.h"

namespace benchd {

/// The contents of benchd.toml, with defaults for missing keys.
///
/// benchd-runner reads `[runner] user`, `[runner] benchmark_cpus`, `[access] users`, `[children]`
/// and the tables `[machine_profile.NAME]` from the same file. benchd only accepts their presence.
struct Config {
  std::string socket_group;                               ///< [socket] group; empty for the default
  std::string runner_socket = "/run/benchd/runner.sock";  ///< [runner] socket, system mode only
  bool allow_root = false;                                ///< [access] allow_root
  std::string admin_group = "benchd-admin";               ///< [access] admin_group
  /// [daemon] idle_exit, seconds: a user daemon ends after being idle for this long.
  std::optional<std::chrono::seconds> idle_exit;
  std::string log_level = "info";  ///< [log] level
  RetentionPolicy keep;            ///< [store] keep_days and keep_mib; without bytes_per_user
  Budgets limits;                  ///< the section [limits]
  bool operator==(const Config&) const = default;
};

/// Parses a configuration; `name` precedes every error.
///
/// @errors kInvalidArgument "NAME:LINE: ..." if the text is not TOML, or has an unknown key, or a
///         value of the wrong type or out of range
Result<Config> ParseConfig(std::string_view text, std::string_view name);

/// The rules that LoadConfig() applies to the file.
struct ConfigRules {
  bool required = false;      ///< the file must exist, because --config names it
  bool system_mode = false;   ///< must belong to root and be writable by root only
  bool runner_parts = false;  ///< --check-config: also check the parts of benchd-runner
};

/// Reads a configuration file. A missing file is empty unless it is required.
///
/// @errors those of ParseConfig (and ParseRunnerConfig); kPermissionDenied in system mode if users
///         other than root can write to the file; those of opening it
Result<Config> LoadConfig(const std::filesystem::path& file, const ConfigRules& rules);

/// Returns whether `level` is valid for `[log] level` and `--log-level`: trace, debug, info, warn,
/// error or off.
bool IsLogLevel(std::string_view level);

}  // namespace benchd
