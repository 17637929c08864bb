#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/runner/child.h"
#include "daemon/runner/host.h"

namespace benchd {

/// What a machine profile gives to each child.
struct ChildSettings {
  std::int32_t nice = 0;
  std::string policy;           ///< empty or other, batch, fifo
  std::vector<int> numa_nodes;  ///< memory from these only; empty = from all
  bool fixed_layout = false;    ///< no address space randomisation
  bool drop_caches = false;     ///< the page cache is emptied before each run
};

/// What is to be started, in values.
struct LaunchSpec {
  Caller caller;
  bool as_caller = true;  ///< false: with our own ids, whatever they are
  std::vector<std::string> argv;
  std::vector<std::string> env;  ///< NAME=VALUE
  std::string cwd;               ///< empty = ours
  std::string input;             ///< opened as the caller; empty = the stream given
  std::string output_path;       ///< opened as the caller; empty = the stream given
  std::vector<int> cpus;         ///< empty = every CPU
  ChildSettings settings;
  /// What is executed, and must still be the same file; absent = benchd-helper.
  std::optional<ProgramIdentity> program;
};

/// What one started child needs of its own beside the plan it shares with others; unchanged until
/// it has been reaped.
struct LaunchMemory {
  ChildPlan plan;
  std::vector<std::string> variables;  ///< NAME=VALUE, of this one start
  std::vector<char*> envp;
  std::string padding;
};

/// Descriptors that become a child's streams 0, 1 and 2; each above 2.
struct LaunchStreams {
  int in = -1;
  int out = -1;
  int err = -1;
};

/// A LaunchSpec as the plain memory that the child needs: made once, started many times.
///
/// Neither copied nor moved: the plan points into it.
class LaunchPlan {
 public:
  /// @errors kInvalidArgument for what no process can be given (a NUL byte, no argv, a CPU that is
  ///         not there); kPermissionDenied when we may not become the caller.
  static Result<void> Check(const Host& host, const LaunchSpec& spec);

  /// `spec` must have passed Check().
  LaunchPlan(const Host& host, LaunchSpec spec);
  LaunchPlan(const LaunchPlan&) = delete;
  LaunchPlan& operator=(const LaunchPlan&) = delete;

  const LaunchSpec& spec() const { return spec_; }

  /// The plan of one child in `memory`. A variable BENCHD_PADDING of `padding_bytes` characters
  /// moves the program's stack (none for 0).
  ChildPlan& Prepare(LaunchMemory& memory, LaunchStreams streams,
                     std::uint32_t padding_bytes) const;

 private:
  void Apply(const Host& host, const ChildSettings& settings);
  void SetIdentity(const ProgramIdentity& program);

  const LaunchSpec spec_;
  std::vector<ChildLimit> limits_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;  ///< without the closing nullptr
  ChildPlan plan_;
};

/// What a child that never became its program reported, as a sentence that names the step and the
/// file. Always kFailedPrecondition: the request was right, the machine was not as it assumed.
Error DescribeLaunchFailure(const ChildReport& report, const LaunchSpec& spec);

/// Why a child that was killed before it became its program was not there yet: it hung in `what` it
/// opened as the user (a FIFO, a dead server).
Error DescribeHungLaunch(const LaunchSpec& spec);

}  // namespace benchd
