#pragma once

#include <span>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/app/output.h"
#include "client/link/daemon_link.h"
#include "client/session/follow.h"

namespace benchd::client {

// How a session is watched and what is said of its end, by every command that watches one.

Progress ProgressOf(bool json, const ResultChoice& choice);

Result<void> WriteExports(const ExportFiles& files, const v1::Session& session,
                          std::span<const v1::Run> runs);

/// Says the end, of several candidates with their order, and writes the exports that were asked
/// for. What cannot be had or written takes nothing of the result back.
ExitCode ConcludeWatch(DaemonLink& link, const ExportFiles& files, const Followed& followed,
                       bool json, const ResultChoice& choice);

}  // namespace benchd::client
