#pragma once

#include <string>

#include "core/base/result.h"
#include "daemon/runner/host.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Reads the [runner] section of the configuration through a short-lived benchd-helper: a TOML
/// parser in this process would stay in its memory, which is the floor of every child's max_rss.
///
/// An empty `path` is the default place, where the file may be missing. When we are root the file
/// must be root's and writable by nobody else.
/// @errors kNotFound, kPermissionDenied, kInvalidArgument with the file's name, line and key.
Result<wire::RunnerConfig> LoadRunnerConfig(const Host& host, const std::string& path);

/// The uid of a user named in the configuration: a number, or a name of /etc/passwd (the only
/// source that a static program can ask). @errors kNotFound.
Result<uid_t> FindUser(const std::string& user);

/// What the command line of benchd-runner says.
struct RunnerOptions {
  std::string config;            ///< empty = the default place, if there is a file
  std::string socket;            ///< a path, or "fd:N" for an inherited connection; may be empty
  std::string journal;           ///< empty = none
  std::string sysfs_root = "/";  ///< stands in for "/" when the machine is described
  bool restore = false;
  bool version = false;
  bool help = false;
};

/// @errors kInvalidArgument for an unknown option or a missing value.
Result<RunnerOptions> ParseRunnerOptions(int argc, char** argv);

/// The text of --help.
extern const char kRunnerHelp[];

}  // namespace benchd
