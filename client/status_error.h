#pragma once

#include <grpcpp/support/status.h>

#include "client/outcome.h"

namespace benchd::client {

/// A refused call as error: the daemon's sentence, its hint (Status::error_details, plain text) and
/// the exit code of the contract: 2 for what was asked wrongly, 5 for everything that the daemon or
/// the connection refused.
ClientError FromStatus(const grpc::Status& status);

/// True when the connection broke, as opposed to an answer of the daemon's that says "unavailable".
bool IsConnectionLoss(const grpc::Status& status);

/// True when the daemon takes no more calls of this user at the moment; other limits do not pass.
bool IsTooManyRequests(const grpc::Status& status);

}  // namespace benchd::client
