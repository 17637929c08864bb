#pragma once

#include <map>
#include <string>
#include <vector>

namespace benchd::client {

// Whom a session belongs to, on this machine or on that of --host.

/// Where the commands come from, and what they get from the caller's process.
struct CallerContext {
  std::string cwd;  ///< absolute
  std::map<std::string, std::string> environment;
};

/// What the children inherit from the process that calls benchctl, and what was left out.
struct CapturedContext {
  CallerContext context;
  std::vector<std::string> skipped;  ///< names of variables that are not UTF-8
};

/// Where commits are checked out and built: on this machine, or on that of --host.
struct BuildPlace {
  std::string program;                    ///< benchctl there, absolute
  std::string root;                       ///< of the worktrees, absolute
  std::string socket;                     ///< of the daemon there, absolute; empty: here
  std::vector<std::string> commits = {};  ///< that have been received there, with their history
  bool operator==(const BuildPlace&) const = default;
};

}  // namespace benchd::client
