#pragma once

#include <functional>
#include <memory>
#include <string>

#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/git/bundle.h"
#include "client/link/daemon_link.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// Captures an environment. `entries` are "NAME=VALUE" as in environ. If a name occurs twice, the
/// first value counts, as in getenv().
CapturedContext CaptureEnvironment(const char* const* entries);

/// Captures the environment and working directory of this process. Call it before the environment
/// changes.
///
/// @errors the working directory was deleted, or its path is not UTF-8.
Result<CapturedContext> CaptureCaller();

/// Captures the context of the session's owner. With --host, this is the login on the other
/// machine, and `*link` is connected to that machine.
///
/// @errors also those of DaemonLink::Open.
Result<CapturedContext> CaptureCaller(const LinkOptions& options,
                                      std::unique_ptr<DaemonLink>* link);

/// Checks that the folders and input files of a session exist, except those that a build or setup
/// command may still create.
///
/// @errors the first path that is missing, or that is a folder instead of a file or the reverse.
Result<void> CheckPlaces(const v1::SessionSpec& spec);

/// Builds the spec of `input` for its caller. Reports on stderr which environment variables
/// cannot be sent.
///
/// @param remote  whether the caller is on another machine, so that files cannot be checked
/// @errors (exit 2) those of BuildSpec and CheckPlaces.
Result<v1::SessionSpec> BuildCallersSpec(const SpecInput& input, const CapturedContext& caller,
                                         bool remote);

/// How a session is submitted.
struct Sending {
  /// The commits that the build needs from this machine; null: none.
  const Bundle* bundle = nullptr;
  /// Called once per attempt, when only the reply is outstanding.
  std::function<void()> sent = [] {};
  /// Whether this process watches the session until its end. On the daemon's machine, the reply
  /// then does not wait until the session would survive a power loss.
  bool follows = false;
};

/// Submits a session exactly once, even if the connection is lost meanwhile.
///
/// @errors (exit 2, 5) the daemon refuses the session or does not come back.
Result<v1::SubmitResponse> SubmitSession(DaemonLink& link, v1::SessionSpec spec,
                                         const Sending& sending = {});

/// With --shell, reports on stderr how long a shell that does nothing takes on this machine,
/// because every run includes that time. Does nothing while the machine is busy.
void WarnOfShellCost(const v1::SessionSpec& spec, const v1::QueueStatus& status);

/// Describes the current use of the machine: "session k3x9m2pq is running" or "USER has reserved
/// the machine"; empty if the machine is free.
std::string WhoHasTheMachine(const DaemonLink& link);

}  // namespace benchd::client
