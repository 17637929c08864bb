#pragma once

#include <string>

#include "core/base/result.h"

namespace benchd {

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
