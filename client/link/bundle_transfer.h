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

// A bundle's way from the clone to the session that builds it: up by SubmitWithBundle, down by
// GetBundle, which the session's own build command asks for.

/// One submission with a bundle, from its first byte; it may be sent again.
///
/// @param sent  called when everything but the end of the request is on its way
grpc::Status SendWithBundle(v1::SessionService::StubInterface& stub, grpc::ClientContext* context,
                            const v1::SubmitRequest& request, const Bundle& bundle,
                            const std::function<void()>& sent, v1::SubmitResponse* response);

/// Has the commits of a plan in its repository: they are there, or they are taken out of the bundle
/// of this session, which BENCHD_SESSION names and the daemon of `options` has.
///
/// @return whether they had to be
/// @errors (exit 2, 5) no session, no daemon, or what a bundle is refused for; then nothing of it
///         stays.
Result<bool> ReceiveCommits(const LinkOptions& options, const WorktreePlan& plan);

}  // namespace benchd::client
