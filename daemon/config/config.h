#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "daemon/config/keys.h"

namespace benchd {

/// Reads the values of some programs from a configuration (TOML).
///
/// For benchd-runner, the profiles are complete and sorted by name. `default` and `strict` begin
/// with their built-in values, and all other profiles begin with those of the built-in `default`.
/// With the key `base`, a profile begins with the values of another profile, which is taken from
/// this file if the file defines it. benchmark_cpus remains empty unless it is set; the runner
/// fills it in later. "leave" and its synonyms ("other", 0 bytes) become the empty value.
///
/// @param readers  the programs, kForBenchd and so on. Only their keys have the values of the file.
/// @param name  the file, for errors; may be empty
/// @errors kInvalidArgument "NAME:3: ..." ("line 3: ..." without a name) if the text is not TOML,
///         or one of the programs refuses a key or a value (ConfigTable::checkers). For the runner
///         also for an invalid name of a profile, a base that does not exist or refers back to the
///         profile, a minimum frequency above the maximum, and more than 64 profiles.
Result<ConfigValues> ReadConfig(std::string_view text, std::string_view name, unsigned readers);

/// Returns what benchd reads; errors are those of ReadConfig().
Result<Config> ParseConfig(std::string_view text, std::string_view name);
/// Returns what benchd-push reads; errors are those of ReadConfig().
Result<PushConfig> ParsePushConfig(std::string_view text, std::string_view name);
/// Returns what benchd-runner reads; errors are those of ReadConfig() without a name.
Result<RunnerConfig> ParseRunnerConfig(std::string_view text);

/// The rules that LoadConfig() applies to the file.
struct ConfigRules {
  bool required = false;      ///< the file must exist, because --config names it
  bool system_mode = false;   ///< must belong to root and be writable by root only
  bool runner_parts = false;  ///< --check-config: also check the parts of benchd-runner
};

/// Reads benchd's values from a file. A missing file is empty unless it is required.
///
/// @errors those of ReadConfig(); kPermissionDenied in system mode if users other than root can
///         write to the file; those of opening it
Result<Config> LoadConfig(const std::filesystem::path& file, const ConfigRules& rules);

}  // namespace benchd
