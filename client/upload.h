#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <cstddef>
#include <utility>

#include "client/outcome.h"
#include "client/table_file.h"

namespace benchd::client {

/// What the contract sends at once.
inline constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;

/// Sends a file as chunks of a client stream; the options are in the first request only.
///
/// One chunk is in memory at a time: Write waits until the daemon has taken the last one. It fails
/// when the daemon has answered before the end, which is what the status then tells.
/// @errors those of reading the file; the call is cancelled then.
template <typename Request>
Outcome<grpc::Status> Upload(Request request, TableFile& file, grpc::ClientContext& context,
                             grpc::ClientWriter<Request>& writer) {
  while (writer.Write(request)) {
    request.clear_options();
    auto read = file.Read(kChunkBytes, request.mutable_chunk());
    if (!read) {
      context.TryCancel();
      writer.Finish();
      return std::move(read).error();
    }
    if (request.chunk().empty()) {
      writer.WritesDone();
      break;
    }
  }
  return writer.Finish();
}

}  // namespace benchd::client
