#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "core/base/result.h"

namespace benchd {

/// Returns the value of an environment variable; empty if it is not set.
using GetEnv = std::function<std::optional<std::string>(const std::string& name)>;

/// The paths given on the command line; an empty path means the default.
struct PlaceOptions {
  bool user = false;
  std::string config;
  std::string socket;
  std::string state_dir;
  std::string runtime_dir;
};

/// The paths of benchd's files.
struct Paths {
  std::filesystem::path config;
  std::filesystem::path socket;
  std::filesystem::path state_dir;
  std::filesystem::path runtime_dir;
  std::filesystem::path database;  ///< inside state_dir
  /// Set if benchd has chosen the runtime directory, which must then belong only to its user
  /// (EnsurePrivateDirectory).
  bool private_runtime_dir = false;
};

/// The control socket of the system daemon.
inline constexpr const char* kSystemSocket = "/run/benchd/benchd.sock";

/// Chooses all paths. Pure: the result depends only on the arguments.
///
/// As the XDG base directory specification requires, a variable that is empty or not an absolute
/// path counts as not set. Without XDG_RUNTIME_DIR the runtime directory is /tmp/benchd-UID.
/// @errors kFailedPrecondition if user mode needs a path that neither HOME nor an XDG variable
/// gives;
///         kInvalidArgument for a socket path longer than the kernel accepts
Result<Paths> ChoosePaths(const PlaceOptions& options, const GetEnv& env, uid_t uid);

/// Creates `directory` with mode 0700, or checks that only our user can write to an existing one.
/// It must be a directory, not a link, owned by `uid`, with mode exactly 0700.
///
/// @errors kPermissionDenied naming the problem; those of mkdir
Result<void> EnsurePrivateDirectory(const std::filesystem::path& directory, uid_t uid);

/// Creates `directory` and missing parents with mode 0700; does not change existing ones.
Result<void> EnsureDirectory(const std::filesystem::path& directory);

/// The command line of benchd.
struct Options {
  PlaceOptions places;
  bool check_config = false;
  bool force = false;
  std::string log_level;  ///< if empty, the level of the configuration applies
  std::string log_file;   ///< if empty, the log goes to stderr
  /// The idle time in seconds after which the daemon exits. benchctl sets it for the daemons it
  /// starts.
  std::optional<int> idle_exit;
};

/// Exit codes of benchd.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// Parses the command line. Returns the options, or the exit code if the program has printed its
/// message and is done (--help, --version, wrong usage).
std::variant<Options, int> ParseOptions(int argc, const char* const* argv);

}  // namespace benchd
