#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "benchd/v1/history.grpc.pb.h"
#include "benchd/v1/session.grpc.pb.h"
#include "benchd/v1/session.pb.h"
#include "daemon/queue/exclusive_slot.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/session_registry.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/stored_reactors.h"
#include "daemon/rpc/watch_reactor.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/ports.h"
#include "daemon/store/store.h"

namespace benchd::rpc {

/// The dependencies of a submission with a bundle. The references must outlive the server.
struct SubmitBundleSources {
  Endpoint endpoint;
  Store& store;
  BundleLimits limits;
  std::chrono::milliseconds max_silence;  ///< longest time without data for a bundle
  /// Parses the first message.
  std::function<Result<v1::SubmitWithBundleRequest>(const Caller&, const grpc::ByteBuffer&)> parse;
  /// Returns whether the request has already become a session.
  std::function<asio::awaitable<Result<bool>>(Caller, std::string request_id)> knows;
  /// Submits the session; the pointers must outlive the coroutine.
  std::function<asio::awaitable<Result<void>>(Caller, const v1::SubmitRequest*, BundleUpload*,
                                              v1::SubmitResponse*)>
      submit;
};

/// The stream of SessionService.SubmitWithBundle. One coroutine reads it from the first message
/// until the session is submitted.
///
/// The next message is requested when the last one has been written to the file, so that a fast
/// sender waits for the disk. An upload without data for too long is ended, because it occupies
/// disk space and one of its user's upload slots. All state lives on the loop's thread; gRPC's
/// callbacks only post.
class SubmitBundleReactor final : public grpc::ServerReadReactor<grpc::ByteBuffer> {
 public:
  SubmitBundleReactor(const SubmitBundleSources& sources, Entry entry, grpc::ByteBuffer* response);

  void OnReadDone(bool ok) override;
  void OnCancel() override { gone_.request_stop(); }
  void OnDone() override;

 private:
  asio::awaitable<void> Serve();
  asio::awaitable<Result<void>> Take();
  /// Waits for the next message. Returns false at the end of the client's data or if the client has
  /// disconnected.
  /// @errors kUnavailable if benchd is stopping; kDeadlineExceeded if no data has come for too long
  asio::awaitable<Result<bool>> Next();
  void StartSilence() { silent_since_ = asio::steady_timer::clock_type::now(); }

  const SubmitBundleSources& sources_;
  Entry entry_;
  std::stop_source gone_;
  grpc::ByteBuffer* const response_;
  LiveCalls::Token token_;
  Signal changed_;
  grpc::ByteBuffer message_;
  asio::steady_timer::time_point silent_since_{};  ///< time of the last data
  bool reading_ = false;
  bool read_ = false;  ///< the last read returned a message
  bool stopping_ = false;
};

/// The service, with submissions as bytes: see ParseSubmission().
using SessionServiceBase = v1::SessionService::WithRawCallbackMethod_Submit<
    v1::SessionService::WithRawCallbackMethod_SubmitWithBundle<
        v1::SessionService::CallbackService>>;

/// benchd.v1.SessionService: converts messages and calls the queue on the loop's thread.
///
/// gRPC calls the public methods on its threads; the Run* coroutines run on the loop's thread.
class SessionService final : public SessionServiceBase {
 public:
  /// References must outlive the server.
  struct Parts {
    Queue& queue;
    EventHub& hub;
    Store& store;
    RandomSource& random;
    const Clock& clock;
    const Audit& audit;
    BundleLimits bundles;
    std::chrono::milliseconds max_silence;  ///< longest time without data for a bundle
    std::uint64_t spec_bytes;               ///< maximum size of a submission without environment
    std::uint64_t pairs;                    ///< maximum per session, of a reference and a candidate
    std::uint64_t metrics;                  ///< maximum per session
  };
  SessionService(const Endpoint& endpoint, const Parts& parts);

  UnaryReactor* Submit(Context* context, const grpc::ByteBuffer* request,
                       grpc::ByteBuffer* response) override;
  grpc::ServerReadReactor<grpc::ByteBuffer>* SubmitWithBundle(Context* context,
                                                              grpc::ByteBuffer* response) override;
  grpc::ServerWriteReactor<v1::GetBundleResponse>* GetBundle(
      Context* context, const v1::GetBundleRequest* request) override;
  UnaryReactor* Get(Context* context, const v1::GetSessionRequest* request,
                    v1::Session* response) override {
    return Answer(endpoint_, context, request, this, &SessionService::RunGet, request, response);
  }
  UnaryReactor* List(Context* context, const v1::ListSessionsRequest* request,
                     v1::ListSessionsResponse* response) override {
    return Answer(endpoint_, context, request, this, &SessionService::RunList, request, response);
  }
  grpc::ServerWriteReactor<v1::SessionEvent>* Watch(Context* context,
                                                    const v1::WatchRequest* request) override;
  UnaryReactor* Cancel(Context* context, const v1::CancelRequest* request,
                       v1::CancelResponse* response) override {
    return Answer(endpoint_, context, request, this, &SessionService::RunCancel, request, response);
  }
  UnaryReactor* Move(Context* context, const v1::MoveRequest* request,
                     v1::MoveResponse* response) override {
    return Answer(endpoint_, context, request, this, &SessionService::RunMove, request, response);
  }
  grpc::ServerWriteReactor<v1::ListSamplesResponse>* ListSamples(
      Context* context, const v1::ListSamplesRequest* request) override;

 private:
  /// Logs a refusal, which is an attempt to submit like any other.
  template <typename Request>
  Result<Request> Parsed(const Caller& caller, Result<Request> request) const {
    if (!request) parts_.audit.Note(caller, "submit", "", request);
    return request;
  }
  asio::awaitable<Result<void>> SubmitBytes(Asker asker, const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response);
  asio::awaitable<Result<SessionSnapshot>> Enqueue(Caller caller, const v1::SubmitRequest* request,
                                                   BundleUpload* bundle);
  asio::awaitable<Result<void>> RunSubmit(Caller caller, const v1::SubmitRequest* request,
                                          BundleUpload* bundle, v1::SubmitResponse* response);
  asio::awaitable<Result<void>> RunGet(Asker asker, const v1::GetSessionRequest* request,
                                       v1::Session* response);
  asio::awaitable<Result<void>> RunList(Asker asker, const v1::ListSessionsRequest* request,
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

/// benchd.v1.HistoryService: queries the store. gRPC calls the public method on its threads; the
/// coroutine runs on the loop's thread.
class HistoryService final : public v1::HistoryService::CallbackService {
 public:
  /// The store must outlive the server.
  HistoryService(const Endpoint& endpoint, Store& store, AccessPolicy access)
      : endpoint_(endpoint), store_(store), access_(access) {}

  UnaryReactor* ListSummaries(Context* context, const v1::ListSummariesRequest* request,
                              v1::ListSummariesResponse* response) override {
    return Answer(endpoint_, context, request, this, &HistoryService::RunList, request, response);
  }

 private:
  asio::awaitable<Result<void>> RunList(Asker asker, const v1::ListSummariesRequest* request,
                                        v1::ListSummariesResponse* response);

  Endpoint endpoint_;
  Store& store_;
  const AccessPolicy access_;
};

}  // namespace benchd::rpc
