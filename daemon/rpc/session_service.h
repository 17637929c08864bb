#pragma once

#include "benchd/v1/session.grpc.pb.h"
#include "daemon/ports/ports.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/get_bundle_reactor.h"
#include "daemon/rpc/list_samples_reactor.h"
#include "daemon/rpc/submit_bundle_reactor.h"
#include "daemon/rpc/watch_reactor.h"
#include "daemon/session/event_hub.h"
#include "daemon/store/store.h"

namespace benchd::rpc {

/// benchd.v1.SessionService: converts, asks the queue on the loop's thread, maps.
///
/// gRPC calls the public methods on its threads; the Run* coroutines run on the loop's.
class SessionService final : public v1::SessionService::CallbackService {
 public:
  /// References outlive the server.
  struct Parts {
    Queue& queue;
    EventHub& hub;
    Store& store;
    RandomSource& random;
    const Clock& clock;
    const Audit& audit;
    BundleLimits bundles;
  };
  SessionService(const Endpoint& endpoint, const Parts& parts);

  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const v1::SubmitRequest* request,
                                   v1::SubmitResponse* response) override;
  grpc::ServerReadReactor<v1::SubmitWithBundleRequest>* SubmitWithBundle(
      grpc::CallbackServerContext* context, v1::SubmitResponse* response) override;
  grpc::ServerWriteReactor<v1::GetBundleResponse>* GetBundle(
      grpc::CallbackServerContext* context, const v1::GetBundleRequest* request) override;
  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetSessionRequest* request,
                                v1::Session* response) override;
  grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context,
                                 const v1::ListSessionsRequest* request,
                                 v1::ListSessionsResponse* response) override;
  grpc::ServerWriteReactor<v1::SessionEvent>* Watch(grpc::CallbackServerContext* context,
                                                    const v1::WatchRequest* request) override;
  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const v1::CancelRequest* request,
                                   v1::CancelResponse* response) override;
  grpc::ServerUnaryReactor* Move(grpc::CallbackServerContext* context,
                                 const v1::MoveRequest* request,
                                 v1::MoveResponse* response) override;
  grpc::ServerWriteReactor<v1::ListSamplesResponse>* ListSamples(
      grpc::CallbackServerContext* context, const v1::ListSamplesRequest* request) override;

 private:
  // Requests and responses live until the call is finished, so longer than these coroutines.
  asio::awaitable<Result<SessionSnapshot>> Enqueue(Caller caller, const v1::SubmitRequest* request,
                                                   BundleUpload* bundle);
  asio::awaitable<Result<void>> RunSubmit(Caller caller, const v1::SubmitRequest* request,
                                          BundleUpload* bundle, v1::SubmitResponse* response);
  asio::awaitable<Result<void>> RunGet(Caller caller, const v1::GetSessionRequest* request,
                                       v1::Session* response);
  asio::awaitable<Result<void>> RunList(Caller caller, const v1::ListSessionsRequest* request,
                                        v1::ListSessionsResponse* response);
  asio::awaitable<Result<void>> RunCancel(Caller caller, const v1::CancelRequest* request,
                                          v1::CancelResponse* response);
  asio::awaitable<Result<void>> RunMove(Caller caller, const v1::MoveRequest* request,
                                        v1::MoveResponse* response);

  Endpoint endpoint_;
  Parts parts_;
  WatchSources watch_;
  ListSamplesSources samples_;
  SubmitBundleSources bundles_;
};

}  // namespace benchd::rpc
