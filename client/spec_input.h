#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/exit_code.h"
#include "client/session_options.h"

namespace benchd::client {

/// The state of a repository that an arm is built from.
struct CommitInput {
  std::string id;
  std::string description;
  bool operator==(const CommitInput&) const = default;
};

/// One arm as it was written, before commands are filled in.
struct ArmInput {
  std::string name;
  std::string role;                   ///< "", "reference" or "candidate"
  std::string command;                ///< may be empty when every benchmark brings its own
  std::string dir;                    ///< what {dir} stands for, absolute
  std::string origin;                 ///< for messages: "BASE", "suite.toml:4: arm"
  std::optional<CommitInput> commit;  ///< then it runs in `dir`
  bool operator==(const ArmInput&) const = default;
};

/// One benchmark as it was written; an empty command means each arm's own.
struct BenchmarkInput {
  std::string name;  ///< empty: main
  std::string command;
  OptionValues options;  ///< over the session's, per_benchmark ones only
  std::string origin;
  std::vector<ArmInput> arms;  ///< its own ones; empty: the session's
  std::string family;          ///< its name without the values of parameters (suite.h)
  bool operator==(const BenchmarkInput&) const = default;
};

/// Everything that becomes a SessionSpec, from a command line or a file.
struct SpecInput {
  OptionValues options;
  std::vector<ArmInput> arms;
  std::vector<BenchmarkInput> benchmarks;
  bool templates = false;  ///< {name} and {dir} stand in commands (files and --git only)
  std::string build;       ///< every benchmark's build command; empty: none
  std::string origin;      ///< the file's name; empty: the command line
  bool operator==(const SpecInput&) const = default;
};

/// Where the commands come from, and what they get from the caller's process.
struct CallerContext {
  std::string cwd;  ///< absolute
  std::map<std::string, std::string> environment;
};

/// The arms and the one benchmark of `compare BASE CANDIDATE...`, with -n and --reference; with
/// --git one command for two arms, which have no folders yet (git/git_arms.h).
///
/// @errors no candidate, more names than commands, --reference without NAME=, --reference with
/// --git.
Result<SpecInput> InputFromCommandLine(const ParsedArguments& arguments);

}  // namespace benchd::client
