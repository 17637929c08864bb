#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/model/caller.h"
#include "daemon/model/program.h"
#include "daemon/runner/child.h"
#include "daemon/runner/host.h"

namespace benchd {

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
  /// What is executed, and must still be the same file; absent = benchd-helper.
  std::optional<ProgramIdentity> program;
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

  /// The plan with its streams. A variable BENCHD_PADDING of `padding_bytes` characters moves the
  /// program's stack (none for 0). A file of output_path is emptied first with `truncate_output`.
  ChildPlan& Prepare(int in, int out, int err, std::uint32_t padding_bytes, bool truncate_output);

 private:
  void SetIdentity(const ProgramIdentity& program);

  const LaunchSpec spec_;
  std::vector<ChildLimit> limits_;
  std::vector<char*> argv_;
  std::vector<char*> envp_;  ///< the last but one is the padding's place, or already the end
  std::size_t env_count_ = 0;
  std::string padding_;
  ChildPlan plan_;
};

}  // namespace benchd
