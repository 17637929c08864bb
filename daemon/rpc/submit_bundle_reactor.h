#pragma once

#include <grpcpp/support/server_callback.h>

#include <functional>
#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "daemon/queue/side_turns.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/store/store.h"

namespace benchd::rpc {

/// What a submission with a bundle needs. The references outlive the server.
struct SubmitBundleSources {
  Endpoint endpoint;
  Store& store;
  BundleLimits limits;
  /// Whether that request is a session already.
  std::function<bool(const Caller&, const std::string& request_id)> knows;
  /// Submits; the pointers outlive the coroutine.
  std::function<asio::awaitable<Result<void>>(Caller, const v1::SubmitRequest*, BundleUpload*,
                                              v1::SubmitResponse*)>
      submit;
};

/// SessionService.SubmitWithBundle: one coroutine from the first message to the session.
///
/// The next message is asked for when the last one is in its file, so that a fast sender waits for
/// the disk. All state lives on the loop's thread; gRPC's reactions only post there.
class SubmitBundleReactor final : public grpc::ServerReadReactor<v1::SubmitWithBundleRequest> {
 public:
  SubmitBundleReactor(const SubmitBundleSources& sources, std::optional<Caller> caller,
                      v1::SubmitResponse* response);

  void OnReadDone(bool ok) override;
  void OnDone() override;

 private:
  asio::awaitable<void> Serve();
  asio::awaitable<Result<void>> Take();
  /// False at the end of what the client sends, also when it is gone or benchd stops.
  asio::awaitable<bool> Next();

  const SubmitBundleSources& sources_;
  const std::optional<Caller> caller_;
  v1::SubmitResponse* const response_;
  LiveCalls::Token token_;
  Signal changed_;
  v1::SubmitWithBundleRequest message_;
  bool reading_ = false;
  bool read_ = false;  ///< the last one has a message
  bool stopping_ = false;
};

}  // namespace benchd::rpc
