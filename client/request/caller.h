#pragma once

#include <map>
#include <string>
#include <vector>

namespace benchd::client {

// The caller of a session, on this machine or on the machine of --host.

/// The working directory and environment of the caller's process, which commands inherit.
struct CallerContext {
  std::string cwd;  ///< absolute
  std::map<std::string, std::string> environment;
};

/// The context that children inherit from the caller of benchctl, and the variables left out of it.
struct CapturedContext {
  CallerContext context;
  std::vector<std::string> skipped;  ///< names of variables that are not valid UTF-8
};

/// The place where commits are checked out and built: this machine or the machine of --host.
struct BuildPlace {
  std::string program;                    ///< absolute path of benchctl there
  std::string root;                       ///< absolute path of the folder of worktrees
  std::string socket;                     ///< the daemon's socket, absolute; empty: this machine
  std::vector<std::string> commits = {};  ///< already received there, with their history
  bool operator==(const BuildPlace&) const = default;
};

}  // namespace benchd::client
