#pragma once

#include <grpcpp/support/status.h>

#include "core/base/result.h"

namespace benchd::rpc {

/// Converts an Error for clients: Error::message becomes the message, and Error::hint the error
/// details. This is the only place where an ErrorCode becomes a grpc::StatusCode.
///
/// The details bytes (`grpc-status-details-bin`) are the hint as plain UTF-8 text, empty if there
/// is none. Both travel in HTTP/2 headers of 8 KiB in total, so a message is cut after 1500 bytes
/// and a hint after 1000.
grpc::Status ToStatus(const Error& error);

/// Returns OK or the error's status.
grpc::Status ToStatus(const Result<void>& result);

}  // namespace benchd::rpc
