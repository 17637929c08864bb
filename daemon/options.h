#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "core/base/result.h"

namespace benchd {

/// Reads an environment variable; empty if it is not set.
using GetEnv = std::function<std::optional<std::string>(const std::string& name)>;

/// Places given on the command line; empty: the default.
struct PlaceOptions {
  bool user = false;
  std::string config;
  std::string socket;
  std::string state_dir;
  std::string runtime_dir;
};

/// The places of benchd's files.
struct Paths {
  std::filesystem::path config;
  std::filesystem::path socket;
  std::filesystem::path state_dir;
  std::filesystem::path runtime_dir;
  std::filesystem::path database;  ///< in state_dir
  /// The runtime directory is our own choice and must belong to us alone (EnsurePrivateDirectory).
  bool private_runtime_dir = false;
};

/// The control socket of the system daemon.
inline constexpr const char* kSystemSocket = "/run/benchd/benchd.sock";

/// Chooses every place. Pure: depends only on its arguments.
///
/// As the XDG base directory specification requires, a variable that is empty or not an absolute
/// path counts as not set. Without XDG_RUNTIME_DIR the runtime directory is /tmp/benchd-UID.
/// @errors kFailedPrecondition if user mode knows neither HOME nor the XDG variable that it needs;
///         kInvalidArgument for a socket path longer than the kernel accepts
Result<Paths> ChoosePaths(const PlaceOptions& options, const GetEnv& env, uid_t uid);

/// Creates `directory` (mode 0700), or checks that only we can put a socket or a database there: it
/// must be a directory and not a link, owned by `uid`, with mode exactly 0700.
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
  std::string log_level;  ///< empty: from the configuration
  std::string log_file;   ///< empty: stderr
  /// Seconds; benchctl sets it for daemons that it starts.
  std::optional<int> idle_exit;
};

/// Exit codes of benchd.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// The options, or the exit code if the program is done (--help, --version, wrong usage) and has
/// printed its message.
std::variant<Options, int> ParseOptions(int argc, const char* const* argv);

}  // namespace benchd
