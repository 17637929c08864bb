#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/outcome.h"
#include "client/session_options.h"

namespace benchd::client {

/// One arm as it was written, before commands are filled in.
struct ArmInput {
  std::string name;
  std::string role;     ///< "", "reference" or "candidate"
  std::string command;  ///< may be empty when every benchmark brings its own
  std::string dir;      ///< what {dir} stands for, absolute
  std::string origin;   ///< for messages: "BASE", "suite.toml:4: arm"
  bool operator==(const ArmInput&) const = default;
};

/// One benchmark as it was written; an empty command means each arm's own.
struct BenchmarkInput {
  std::string name;  ///< empty: main
  std::string command;
  OptionValues options;  ///< over the session's, per_benchmark ones only
  std::string origin;
  bool operator==(const BenchmarkInput&) const = default;
};

/// Everything that becomes a SessionSpec, from a command line or a file.
struct SpecInput {
  OptionValues options;
  std::vector<ArmInput> arms;
  std::vector<BenchmarkInput> benchmarks;
  bool templates = false;  ///< {name} and {dir} stand in commands (files only)
  bool operator==(const SpecInput&) const = default;
};

/// Where the commands come from, and what they get from the caller's process.
struct CallerContext {
  std::string cwd;  ///< absolute
  std::map<std::string, std::string> environment;
};

/// The arms and the one benchmark of `compare BASE CANDIDATE...`, with -n and --reference.
///
/// @errors no candidate, more names than commands, --reference without NAME=.
Outcome<SpecInput> InputFromCommandLine(const ParsedArguments& arguments);

}  // namespace benchd::client
