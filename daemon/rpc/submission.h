#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <string>

#include "benchd/v1/session.pb.h"
#include "core/base/result.h"

namespace benchd::rpc {

/// Parses a request that contains a submission, after its size was checked.
///
/// gRPC would parse it before any check, and two bytes of a spec can become 250 bytes in memory.
/// The limit applies to the data that is stored with the session permanently, which is everything
/// but the names and values of the environment.
///
/// @param most  bytes allowed beside the environment
/// @errors kResourceExhausted if it is larger; kInvalidArgument if it cannot be parsed
Result<v1::SubmitRequest> ParseSubmission(const grpc::ByteBuffer& request, std::uint64_t most);
Result<v1::SubmitWithBundleRequest> ParseSubmissionWithBundle(const grpc::ByteBuffer& request,
                                                              std::uint64_t most);

/// Returns SubmitWithBundleRequest.data and ignores all other fields.
/// @errors kInvalidArgument if the request is malformed
Result<std::string> ParseBundleData(const grpc::ByteBuffer& request);

/// @errors kInternal if it cannot be serialized
Result<void> Serialize(const v1::SubmitResponse& response, grpc::ByteBuffer* to);

}  // namespace benchd::rpc
