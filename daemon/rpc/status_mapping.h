#pragma once

#include <grpcpp/support/status.h>

#include "core/base/result.h"

namespace benchd::rpc {

/// Converts an Error for clients: its code, Error::message as the message, Error::hint as the error
/// details. The only place where ErrorCode becomes grpc::StatusCode.
///
/// The details bytes (`grpc-status-details-bin`) are the hint as plain UTF-8 text, empty if there
/// is none. Both travel in HTTP/2 headers of 8 KiB in total, so a message is cut after 1500 bytes
/// and a hint after 1000.
grpc::Status ToStatus(const Error& error);

/// OK or the error's status.
grpc::Status ToStatus(const Result<void>& result);

}  // namespace benchd::rpc
