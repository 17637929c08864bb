#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "core/base/result.h"

namespace benchd {

/// Reads one environment variable; nothing when it is not set.
using GetEnv = std::function<std::optional<std::string>(const std::string& name)>;

/// What the command line said about places; empty = the default.
struct PlaceOptions {
  bool user = false;
  std::string config;
  std::string socket;
  std::string state_dir;
  std::string runtime_dir;
};

/// Where benchd keeps its things.
struct Paths {
  std::filesystem::path config;
  std::filesystem::path socket;
  std::filesystem::path state_dir;
  std::filesystem::path runtime_dir;
  std::filesystem::path database;  ///< in state_dir
  /// The runtime directory is our own choice: it has to be ours alone (EnsurePrivateDirectory).
  bool private_runtime_dir = false;
};

/// The control socket of the daemon of the whole machine.
inline constexpr const char* kSystemSocket = "/run/benchd/benchd.sock";

/// Chooses every place. Pure: looks at nothing but its arguments.
///
/// As the XDG base directory specification wants it, a variable that is empty or no absolute path
/// is treated as not set. Without XDG_RUNTIME_DIR the runtime directory is /tmp/benchd-UID.
/// @errors kFailedPrecondition when user mode knows neither HOME nor the XDG variable it needs;
///         kInvalidArgument for a socket path longer than the kernel takes.
Result<Paths> ChoosePaths(const PlaceOptions& options, const GetEnv& env, uid_t uid);

/// Makes `directory` (mode 0700) or checks that it is ours alone, so that nobody else can put a
/// socket or a database there: a directory, no link, owned by `uid`, mode exactly 0700.
///
/// @errors kPermissionDenied naming what is wrong with it; those of mkdir.
Result<void> EnsurePrivateDirectory(const std::filesystem::path& directory, uid_t uid);

/// Makes `directory` and its parents where they are missing, mode 0700; leaves existing ones alone.
Result<void> EnsureDirectory(const std::filesystem::path& directory);

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
