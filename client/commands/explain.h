#pragma once

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/app/output.h"
#include "client/link/daemon_link.h"
#include "client/session/follow.h"
#include "client/terminal/interrupts.h"

namespace benchd::client {

/// Explains the change that a comparison found, within the time that it has left (`compare
/// --explain`): submits the session that samples its arms, watches it and prints the explanation.
/// Does nothing if no gate regressed or improved. Errors are only printed, to keep the verdict.
///
/// @param submitted  the spec of the comparison as it was submitted, with its environment
/// @param code       the exit code of the comparison
/// @return `code`, or the exit code of an interrupt
ExitCode ExplainAfter(DaemonLink& link, const v1::Session& session,
                      const v1::SessionSpec& submitted, bool json, const ResultChoice& choice,
                      Interrupts& interrupts, ExitCode code);

}  // namespace benchd::client
