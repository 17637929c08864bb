#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <functional>

#include "benchd/v1/session.grpc.pb.h"
#include "client/app/exit_code.h"
#include "client/git/bundle.h"
#include "client/git/worktree_plan.h"
#include "client/link/daemon_link.h"

namespace benchd::client {

// Transfers a bundle from the clone to the session that builds it. SubmitWithBundle uploads it; the
// build command of the session downloads it with GetBundle.

/// Submits a session with its whole bundle. The call may be repeated.
///
/// @param sent  called when everything but the end of the request has been written
grpc::Status SendWithBundle(v1::SessionService::StubInterface& stub, grpc::ClientContext* context,
                            const v1::SubmitRequest& request, const Bundle& bundle,
                            const std::function<void()>& sent, v1::SubmitResponse* response);

/// Ensures that the commits of a plan are in its repository. Missing commits are taken from the
/// bundle of this session (BENCHD_SESSION), which is downloaded from the daemon of `options`.
///
/// @return whether the bundle was needed
/// @errors (exit 2, 5) BENCHD_SESSION is not set, the daemon cannot be reached, or the bundle is
///         refused; no part of the bundle is then kept.
Result<bool> ReceiveCommits(const LinkOptions& options, const WorktreePlan& plan);

}  // namespace benchd::client
