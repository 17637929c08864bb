#pragma once

#include <string>
#include <vector>

namespace benchd::client {

/// A file that the build makes of the tables behind `--help`, so that there is one source of what
/// benchctl says about itself.
struct GeneratedFile {
  std::string name;  ///< below the folder for all of them, such as "man1/benchctl.1"
  std::string text;
};

/// benchctl.1 and one page for each command that is not hidden (benchctl-machine-status.1), in
/// groff's man macros.
std::vector<GeneratedFile> ManualPages();

/// What completes command lines in bash, zsh and fish, each file at the place below
/// CMAKE_INSTALL_DATADIR where Debian's shells look for it.
std::vector<GeneratedFile> Completions();

}  // namespace benchd::client
