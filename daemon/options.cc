#include "daemon/options.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdio>
#include <iostream>

#include "core/base/file.h"
#include "core/base/try.h"
#include "daemon/config/config.h"

namespace benchd {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> AbsoluteFromEnv(const GetEnv& env, const std::string& name) {
  const std::optional<std::string> value = env(name);
  if (!value || value->empty() || value->front() != '/') return std::nullopt;
  return fs::path(*value);
}

Result<fs::path> UserDirectory(const GetEnv& env, const std::string& variable,
                               const std::string& below_home, const std::string& option) {
  if (const auto path = AbsoluteFromEnv(env, variable)) return *path / "benchd";
  if (const auto home = AbsoluteFromEnv(env, "HOME")) return *home / below_home / "benchd";
  return Error{ErrorCode::kFailedPrecondition,
               "paths: neither HOME nor " + variable + " is set to an absolute path",
               "set HOME, or give " + option};
}

Result<void> ChooseUserPaths(const PlaceOptions& options, const GetEnv& env, uid_t uid,
                             Paths& paths) {
  if (options.config.empty()) {
    TRY(fs::path directory, UserDirectory(env, "XDG_CONFIG_HOME", ".config", "--config"));
    paths.config = directory / "benchd.toml";
  }
  if (options.state_dir.empty()) {
    TRY(fs::path directory, UserDirectory(env, "XDG_STATE_HOME", ".local/state", "--state-dir"));
    paths.state_dir = directory;
  }
  if (options.runtime_dir.empty()) {
    const auto runtime = AbsoluteFromEnv(env, "XDG_RUNTIME_DIR");
    paths.runtime_dir =
        runtime ? *runtime / "benchd" : fs::path(fmt::format("/tmp/benchd-{}", uid));
    paths.private_runtime_dir = true;
  }
  return {};
}

Error NotPrivate(const fs::path& directory, const std::string& why) {
  return Error{ErrorCode::kPermissionDenied, directory.string() + ": " + why,
               "remove it, or choose another directory with --runtime-dir"};
}

}  // namespace

Result<Paths> ChoosePaths(const PlaceOptions& options, const GetEnv& env, uid_t uid) {
  Paths paths;
  if (options.user) {
    TRY_VOID(ChooseUserPaths(options, env, uid, paths));
  } else {
    paths.config = "/etc/benchd/benchd.toml";
    paths.state_dir = "/var/lib/benchd";
    paths.runtime_dir = fs::path(kSystemSocket).parent_path();
  }
  if (!options.config.empty()) paths.config = options.config;
  if (!options.state_dir.empty()) paths.state_dir = options.state_dir;
  if (!options.runtime_dir.empty()) paths.runtime_dir = options.runtime_dir;
  paths.socket =
      options.socket.empty() ? paths.runtime_dir / "benchd.sock" : fs::path(options.socket);
  paths.database = paths.state_dir / "benchd.db";
  if (paths.socket.native().size() >= sizeof(sockaddr_un::sun_path)) {
    return InvalidArgument("socket", paths.socket.string() + " is longer than 107 bytes",
                           "give a shorter path with --socket");
  }
  return paths;
}

Result<void> EnsurePrivateDirectory(const std::filesystem::path& directory, uid_t uid) {
  if (::mkdir(directory.c_str(), 0700) == 0) {
    // The umask may have removed bits of the mode. The directory is new and belongs to us, so no
    // other user can have opened it.
    if (::chmod(directory.c_str(), 0700) != 0) return SystemError(directory.string(), errno);
  } else if (errno != EEXIST) {
    return SystemError("creating " + directory.string(), errno);
  }
  struct stat info {};
  if (::lstat(directory.c_str(), &info) != 0) return SystemError(directory.string(), errno);
  if (S_ISLNK(info.st_mode)) return NotPrivate(directory, "is a symbolic link");
  if (!S_ISDIR(info.st_mode)) return NotPrivate(directory, "is not a directory");
  if (info.st_uid != uid) {
    return NotPrivate(directory, fmt::format("belongs to uid {}", info.st_uid));
  }
  if ((info.st_mode & 07777U) != 0700) {
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", static_cast<unsigned>(info.st_mode & 07777U));
    return NotPrivate(directory, std::string("has mode ") + mode.data() + " instead of 0700");
  }
  return {};
}

Result<void> EnsureDirectory(const std::filesystem::path& directory) {
  Result<void> made = directory.empty() ? Result<void>() : MakeFolders(directory.string());
  if (!made) made.error().message.insert(0, "creating ");
  return made;
}

namespace {

std::string CheckLevel(const std::string& level) {
  if (IsLogLevel(level)) return {};
  return "should be trace, debug, info, warn, error or off";
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, const char* const* argv) {
  Options options;
  CLI::App app("benchd: queues and runs benchmark comparisons, one at a time", "benchd");
  app.set_version_flag("--version", "benchd " BENCHD_VERSION);
  app.add_flag("--user", options.places.user, "Run for one user, without privileges");
  app.add_option("--config", options.places.config, "Configuration file (TOML)");
  app.add_option("--socket", options.places.socket, "Control socket");
  app.add_option("--state-dir", options.places.state_dir, "Directory of the database");
  app.add_option("--runtime-dir", options.places.runtime_dir, "Directory of the control socket");
  app.add_flag("--check-config", options.check_config, "Read the configuration and exit");
  app.add_option("--log-level", options.log_level, "trace, debug, info, warn, error or off")
      ->check(CheckLevel);
  app.add_option("--log-file", options.log_file, "Append the log to this file instead of stderr");
  app.add_flag("--force", options.force, "Start even if the system daemon is running");
  app.add_option("--idle-exit", options.idle_exit)
      ->check(CLI::Range(1, 365 * 24 * 3600))
      ->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintForExitCode(app.help());
  } catch (const CLI::CallForVersion& version) {
    return PrintForExitCode(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    std::cerr << "error: benchd: " << error.what() << "\nhint: benchd --help lists the options\n";
    return kExitUsage;
  }
  return options;
}

}  // namespace benchd
