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

/// `entries` are "NAME=VALUE" as in environ; of a name that is there twice the first counts, as for
/// getenv.
CapturedContext CaptureEnvironment(const char* const* entries);

/// The process' environment and working directory. Call before anything changes the environment.
///
/// @errors the working directory is gone or has a name that is not UTF-8.
Result<CapturedContext> CaptureCaller();

/// The same of whom a session belongs to: with --host of the login over there, which `*link` is
/// then connected with already.
///
/// @errors DaemonLink::Open's, too.
Result<CapturedContext> CaptureCaller(const LinkOptions& options,
                                      std::unique_ptr<DaemonLink>* link);

/// Whether folders and input files of a session are there now; what a build or setup command may
/// still make is left to the session.
///
/// @errors the first that is missing, or is a folder where a file has to be and the reverse.
Result<void> CheckPlaces(const v1::SessionSpec& spec);

/// The message for `input` as its caller means it; says on stderr what their environment has that
/// cannot be sent.
///
/// @param remote  the caller is on another machine: whether files are there is not known
/// @errors (exit 2) those of BuildSpec.
Result<v1::SessionSpec> BuildCallersSpec(const SpecInput& input, const CapturedContext& caller,
                                         bool remote);

/// Submits a session, once, however often the connection is lost meanwhile.
///
/// @param bundle  what its build needs of this machine; null: nothing
/// @param sent    called, once or again, when no more than an answer is waited for
/// @errors (exit 2, 5) what the daemon refuses; the daemon stays away.
Result<v1::SubmitResponse> SubmitSession(
    DaemonLink& link, v1::SessionSpec spec, const Bundle* bundle = nullptr,
    const std::function<void()>& sent = [] {});

/// With --shell: says on stderr how long a shell takes here that has nothing to do, since every run
/// has that in it. Measures nothing, and says nothing, while somebody else uses the machine.
void WarnOfShellCost(const v1::SessionSpec& spec, const v1::QueueStatus& status);

/// Who has the machine at the moment, as half a sentence: "session k3x9m2pq is running", "USER has
/// reserved the machine"; empty where it is free.
std::string WhoHasTheMachine(const DaemonLink& link);

}  // namespace benchd::client
