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

/// What benchd.toml says, with the defaults for what it does not say.
///
/// `[runner] user`, `[runner] benchmark_cpus`, `[access] users`, `[children]` and the tables
/// `[machine_profile.NAME]` are benchd-runner's: it reads them from the same file itself, benchd
/// only knows that they may be there.
struct Config {
  std::string socket_group;                               ///< [socket] group, empty = the default
  std::string runner_socket = "/run/benchd/runner.sock";  ///< [runner] socket, system mode only
  bool allow_root = false;                                ///< [access] allow_root
  std::string admin_group = "benchd-admin";               ///< [access] admin_group
  /// [daemon] idle_exit, seconds: a user daemon ends after so long without anything to do.
  std::optional<std::chrono::seconds> idle_exit;
  std::string log_level = "info";  ///< [log] level
  RetentionPolicy keep;            ///< [store] keep_days, keep_mib; not its bytes_per_user
  Budgets limits;                  ///< [limits], all of it
  bool operator==(const Config&) const = default;
};

/// Reads a configuration from its text; `name` stands in front of every error.
///
/// @errors kInvalidArgument "NAME:LINE: ..." for what is no TOML, for a key nobody knows, for a
///         value of the wrong type or out of range.
Result<Config> ParseConfig(std::string_view text, std::string_view name);

/// How LoadConfig treats the file.
struct ConfigRules {
  bool required = false;      ///< given by --config: has to be there
  bool system_mode = false;   ///< has to belong to root and be writable by nobody else
  bool runner_parts = false;  ///< what is benchd-runner's has to be right, too: --check-config
};

/// Reads a configuration file; one that is not there is an empty one unless it is required.
///
/// @errors those of ParseConfig (and ParseRunnerConfig); kPermissionDenied for a file that others
/// than root can write in
///         system mode; those of opening.
Result<Config> LoadConfig(const std::filesystem::path& file, const ConfigRules& rules);

/// True for the words of `[log] level` and `--log-level`: trace, debug, info, warn, error, off.
bool IsLogLevel(std::string_view level);

}  // namespace benchd
