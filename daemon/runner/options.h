#pragma once

#include <string>

#include "core/base/result.h"

namespace benchd {

/// The command line of benchd-runner.
struct RunnerOptions {
  std::string config;            ///< empty: the default file, if it exists
  std::string socket;            ///< a path, or "fd:N" for an inherited connection; may be empty
  std::string journal;           ///< empty: no journal
  std::string sysfs_root = "/";  ///< replaces "/" in the paths of machine settings
  bool restore = false;
  bool version = false;
  bool help = false;
};

/// Parses the command line.
/// @errors kInvalidArgument for an unknown option or a missing value.
Result<RunnerOptions> ParseRunnerOptions(int argc, char** argv);

/// The text of --help.
extern const char kRunnerHelp[];

}  // namespace benchd
