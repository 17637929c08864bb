#pragma once

#include <grpcpp/support/status.h>

#include "core/base/result.h"

namespace benchd::rpc {

/// An Error as clients see it: its code, message = Error::message, error details = Error::hint.
///
/// The details bytes (`grpc-status-details-bin`) are the hint as plain UTF-8 text, empty when there
/// is none. Both travel in HTTP/2 headers of 8 KiB in all, so a message is cut after 1500 bytes and
/// a hint after 1000. The one place where ErrorCode becomes grpc::StatusCode.
grpc::Status ToStatus(const Error& error);

/// OK or the error's status.
grpc::Status ToStatus(const Result<void>& result);

}  // namespace benchd::rpc
