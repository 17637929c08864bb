#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/launch/child.h"
#include "daemon/launch/host.h"

namespace benchd {

/// Settings of a machine profile that apply to each child.
struct ChildSettings {
  std::int32_t nice = 0;
  std::string policy;           ///< empty, "other", "batch" or "fifo"
  std::vector<int> numa_nodes;  ///< the nodes that memory is restricted to; empty: all nodes
  bool fixed_layout = false;    ///< disable address space randomisation
  bool drop_caches = false;     ///< empty the page cache before each run
};

/// Describes a program to start.
struct LaunchSpec {
  Caller caller;
  bool as_caller = true;  ///< false: run with the runner's own ids
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< NAME=VALUE
  std::string cwd;               ///< empty: the runner's
  std::string input;             ///< opened as the caller; empty: the given stream
  std::string output_path;       ///< opened as the caller; empty: the given stream
  std::vector<int> cpus;         ///< empty: all
  ChildSettings settings;
  /// The program to execute, which must still be the same file. Absent: execute benchd-helper.
  std::optional<ProgramIdentity> program;
};

/// The memory that each started child needs in addition to the shared plan. It must not change
/// until the child is reaped.
struct LaunchMemory {
  ChildPlan plan;
  std::vector<std::string> variables;  ///< NAME=VALUE, for this start only
  std::vector<char*> envp;
  std::string padding;
};

/// Descriptors that become the child's streams 0, 1 and 2. Each must be above 2.
struct LaunchStreams {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// A LaunchSpec, converted to the plain memory that a child needs. Created once and used for many
/// starts.
///
/// Not copyable or movable, because the plan points into it.
class LaunchPlan {
 public:
  /// Checks whether a process can be started from `spec`.
  /// @errors kInvalidArgument for an impossible value (a string with a NUL byte, an empty argv, a
  ///         CPU that does not exist); kPermissionDenied if the runner cannot change to the caller.
  static Result<void> Check(const Host& host, const LaunchSpec& spec);

  /// Creates the plan from `spec`, which must have passed Check().
  LaunchPlan(const Host& host, LaunchSpec spec);
  LaunchPlan(const LaunchPlan&) = delete;
  LaunchPlan& operator=(const LaunchPlan&) = delete;

  const LaunchSpec& spec() const { return spec_; }

  /// Writes the plan of one child into `memory`. If `padding_bytes` is above 0, adds the variable
  /// BENCHD_PADDING with that many characters, which moves the program's stack.
  ChildPlan& Prepare(LaunchMemory& memory, LaunchStreams streams,
                     std::uint32_t padding_bytes) const;

 private:
  void Apply(const Host& host, const ChildSettings& settings);
  void SetIdentity(const ProgramIdentity& program);

  const LaunchSpec spec_;
  std::vector<ChildLimit> limits_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;  ///< without the final nullptr
  ChildPlan plan_;
};

/// Describes why a child did not reach execve, naming the step and the file. The code is always
/// kFailedPrecondition, because the request was valid when it was submitted.
Error DescribeLaunchFailure(const ChildReport& report, const LaunchSpec& spec);

/// Describes why a child was killed before execve: opening a file as the user blocked (a FIFO, a
/// dead server).
Error DescribeHungLaunch(const LaunchSpec& spec);

}  // namespace benchd
