#pragma once

#include <string>

#include "benchd/v1/queue.pb.h"
#include "benchd/v1/session.pb.h"
#include "client/caller_context.h"
#include "client/daemon_link.h"
#include "client/outcome.h"
#include "client/spec_input.h"

namespace benchd::client {

/// The message for `input` as its caller means it; says on stderr what their environment has that
/// cannot be sent.
///
/// @errors (exit 2) those of BuildSpec.
Outcome<v1::SessionSpec> BuildCallersSpec(const SpecInput& input, const CapturedContext& caller);

/// Submits a session, once, however often the connection is lost meanwhile.
///
/// @errors (exit 2, 5) what the daemon refuses; the daemon stays away.
Outcome<v1::SubmitResponse> SubmitSession(DaemonLink& link, v1::SessionSpec spec);

/// Who has the machine at the moment, as half a sentence: "session k3x9m2pq runs", "USER has the
/// machine reserved"; empty where it is free.
std::string WhoHasTheMachine(const v1::QueueStatus& status);

}  // namespace benchd::client
