#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/daemon_link.h"
#include "client/exit_code.h"
#include "client/interrupts.h"
#include "client/result_options.h"
#include "core/analysis/arm_pairs.h"

namespace benchd::client {

/// How long a daemon that went away is waited for.
inline constexpr int kReconnectSeconds = 30;

/// What SIGINT and SIGTERM do to the watched session.
enum class OnInterrupt {
  kCancel,  ///< `compare`: cancel it and wait for its end
  kLeave,   ///< `watch`: leave it running
};

/// How a watched session ended for us.
struct Followed {
  v1::Session
      session;  ///< id, state and, as far as there were events, started, report, failed, cancelled
  bool interrupted = false;
};

/// Watches a session to its end: JSON lines on stdout with `json`, else progress on stderr; a
/// daemon that goes away is waited for 30 s and the watching goes on with its snapshot.
///
/// @param watched  its id, limits (for the progress bar) and arms, as far as they are known
/// @param quiet    no progress, only what is out of the ordinary
/// @errors (exit 5) the daemon stays away; (2, 5) it refuses to let us watch.
Result<Followed> FollowSession(DaemonLink& link, const v1::Session& watched, bool json,
                               Interrupts& interrupts, OnInterrupt on_interrupt,
                               bool quiet = false);

/// Prints the result (stdout) or failure (stderr) of a session that was followed, unless JSON lines
/// have said it already, and gives the exit code of the contract.
///
/// @param pairs  the candidates among each other, where there are several
ExitCode ReportEnd(const Followed& followed, bool json, const ResultChoice& choice = {},
                   std::span<const ArmPairs> pairs = {});

/// Prints the JSON line `commits` (stdout) where arms are commits, else nothing.
void PrintCommits(const v1::Session& session);

/// The contract's exit code for a verdict.
ExitCode ExitFor(const v1::Update& verdict);

/// The contract's exit code for a session in its final state.
ExitCode ExitFor(const v1::Session& session);

}  // namespace benchd::client
