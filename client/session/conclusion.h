#pragma once

#include <span>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/app/output.h"
#include "client/link/daemon_link.h"
#include "client/session/follow.h"

namespace benchd::client {

// Functions for the commands that watch a session. They show progress and report the end.

Progress ProgressOf(bool json, const ResultChoice& choice);

Result<void> WriteExports(const ExportFiles& files, const v1::Session& session,
                          std::span<const v1::Run> runs);

/// Reports the end of a session, with the order of the candidates if there are several, and writes
/// the requested exports. The result is printed even if the exports cannot be written.
ExitCode ConcludeWatch(DaemonLink& link, const ExportFiles& files, const Followed& followed,
                       bool json, const ResultChoice& choice);

}  // namespace benchd::client
