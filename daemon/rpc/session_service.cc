#include "daemon/rpc/session_service.h"

#include <utility>

#include "daemon/rpc/queue_proto.h"
#include "proto/convert/enum_values.h"
#include "proto/convert/from_proto.h"
#include "proto/convert/to_proto.h"

namespace benchd::rpc {
namespace {

/// What a page of a list holds before the session that ends it: clients take 4 MiB by default, and
/// the loop is busy with a page at a time.
constexpr std::size_t kPageBytes = std::size_t{1} << 20;

/// The whole id where it is known, else what the client wrote.
const std::string& IdOf(const Result<SessionSnapshot>& found, const std::string& asked) {
  return found ? found->id.value : asked;
}

FindSession FindIn(Queue& queue) {
  return [&queue](const Caller& caller, const std::string& id) { return queue.Get(caller, id); };
}

}  // namespace

SessionService::SessionService(const Endpoint& endpoint, const Parts& parts)
    : endpoint_(endpoint),
      parts_(parts),
      watch_{endpoint, parts.hub, parts.clock, FindIn(parts.queue)},
      samples_{endpoint, parts.store, FindIn(parts.queue)},
      bundles_{endpoint, parts.store, parts.bundles,
               [this](const Caller& caller, const std::string& request_id) {
                 return parts_.queue.Knows(caller, request_id);
               },
               [this](Caller caller, const v1::SubmitRequest* request, BundleUpload* bundle,
                      v1::SubmitResponse* response) {
                 return RunSubmit(std::move(caller), request, bundle, response);
               }} {}

grpc::ServerUnaryReactor* SessionService::Submit(grpc::CallbackServerContext* context,
                                                 const v1::SubmitRequest* request,
                                                 v1::SubmitResponse* response) {
  return Answer(endpoint_, context, [this, request, response](Caller caller) {
    return RunSubmit(std::move(caller), request, nullptr, response);
  });
}

grpc::ServerReadReactor<v1::SubmitWithBundleRequest>* SessionService::SubmitWithBundle(
    grpc::CallbackServerContext* context, v1::SubmitResponse* response) {
  return new SubmitBundleReactor(bundles_, endpoint_.Identify(*context), response);
}

grpc::ServerWriteReactor<v1::GetBundleResponse>* SessionService::GetBundle(
    grpc::CallbackServerContext* context, const v1::GetBundleRequest* request) {
  return new GetBundleReactor(samples_, endpoint_.Identify(*context), request->session());
}

asio::awaitable<Result<SessionSnapshot>> SessionService::Enqueue(Caller caller,
                                                                 const v1::SubmitRequest* request,
                                                                 BundleUpload* bundle) {
  Result<SessionSpec> spec = convert::FromProto(request->spec());
  if (!spec) co_return std::move(spec).error();
  if (!request->spec().has_seed()) spec->seed = parts_.random.Next();
  spec->caller = std::move(caller);
  co_return co_await parts_.queue.Submit(std::move(spec).value(), request->request_id(), bundle);
}

asio::awaitable<Result<void>> SessionService::RunSubmit(Caller caller,
                                                        const v1::SubmitRequest* request,
                                                        BundleUpload* bundle,
                                                        v1::SubmitResponse* response) {
  Result<SessionSnapshot> queued = co_await Enqueue(caller, request, bundle);
  parts_.audit.Note(caller, "submit", IdOf(queued, ""), queued);
  if (!queued) co_return std::move(queued).error();
  response->set_session(queued->id.value);
  response->set_position(queued->position);
  response->set_failed(queued->state == SessionState::kFailed);
  if (queued->eta) response->set_eta_seconds(Seconds(*queued->eta));
  co_return Result<void>();
}

grpc::ServerUnaryReactor* SessionService::Get(grpc::CallbackServerContext* context,
                                              const v1::GetSessionRequest* request,
                                              v1::Session* response) {
  return Answer(endpoint_, context, [this, request, response](Caller caller) {
    return RunGet(std::move(caller), request, response);
  });
}

asio::awaitable<Result<void>> SessionService::RunGet(Caller caller,
                                                     const v1::GetSessionRequest* request,
                                                     v1::Session* response) {
  Result<SessionDetails> details =
      co_await parts_.queue.Show(std::move(caller), request->session());
  if (!details) co_return std::move(details).error();
  const SessionId& id = details->record.snapshot.id;
  convert::ToProto(details->history, response);
  convert::ToProto(details->record, response);
  if (!request->with_log()) co_return Result<void>();
  Result<LogTail> log = co_await parts_.store.Do(&Records::LoadLog, id, kMaxLogBytes);
  if (!log) co_return std::move(log).error().Within("reading the log");
  response->set_log(LogToProto(*log));
  co_return Result<void>();
}

grpc::ServerUnaryReactor* SessionService::List(grpc::CallbackServerContext* context,
                                               const v1::ListSessionsRequest* request,
                                               v1::ListSessionsResponse* response) {
  return Answer(endpoint_, context, [this, request, response](Caller caller) {
    return RunList(std::move(caller), request, response);
  });
}

asio::awaitable<Result<void>> SessionService::RunList(Caller caller,
                                                      const v1::ListSessionsRequest* request,
                                                      v1::ListSessionsResponse* response) {
  Result<SessionFilter> filter = FromProto(*request);
  if (!filter) co_return std::move(filter).error();
  const std::size_t page_size = filter->limit++;  // one more tells whether there is another page
  std::size_t bytes = 0;
  std::string last;
  for (const SessionView& view : parts_.queue.List(caller, *filter)) {
    const auto count = static_cast<std::size_t>(response->sessions_size());
    if (count == page_size || bytes >= kPageBytes) {
      response->set_next_page_token(last);
      break;
    }
    v1::Session* added = response->add_sessions();
    ToProto(view, added);
    bytes += added->ByteSizeLong();
    last = std::to_string(view.sequence);
  }
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::SessionEvent>* SessionService::Watch(
    grpc::CallbackServerContext* context, const v1::WatchRequest* request) {
  return new WatchReactor(watch_, endpoint_.Identify(*context), request->session());
}

grpc::ServerUnaryReactor* SessionService::Cancel(grpc::CallbackServerContext* context,
                                                 const v1::CancelRequest* request,
                                                 v1::CancelResponse* response) {
  return Answer(endpoint_, context, [this, request, response](Caller caller) {
    return RunCancel(std::move(caller), request, response);
  });
}

asio::awaitable<Result<void>> SessionService::RunCancel(Caller caller,
                                                        const v1::CancelRequest* request,
                                                        v1::CancelResponse* response) {
  response->set_already_ended(parts_.queue.HasEnded(caller, request->session()));
  Result<SessionSnapshot> ended = co_await parts_.queue.Cancel(caller, request->session());
  parts_.audit.Note(caller, "cancel", IdOf(ended, request->session()), ended);
  if (!ended) co_return std::move(ended).error();
  response->set_state(convert::ToWire<v1::SessionState>(ended->state));
  response->set_session(ended->id.value);
  co_return Result<void>();
}

grpc::ServerUnaryReactor* SessionService::Move(grpc::CallbackServerContext* context,
                                               const v1::MoveRequest* request,
                                               v1::MoveResponse* response) {
  return Answer(endpoint_, context, [this, request, response](Caller caller) {
    return RunMove(std::move(caller), request, response);
  });
}

asio::awaitable<Result<void>> SessionService::RunMove(Caller caller, const v1::MoveRequest* request,
                                                      v1::MoveResponse* response) {
  Result<SessionSnapshot> moved =
      co_await parts_.queue.Move(caller, request->session(), request->priority());
  parts_.audit.Note(caller, "move", IdOf(moved, request->session()), moved);
  if (!moved) co_return std::move(moved).error();
  response->set_position(moved->position);
  response->set_session(moved->id.value);
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::ListSamplesResponse>* SessionService::ListSamples(
    grpc::CallbackServerContext* context, const v1::ListSamplesRequest* request) {
  return new ListSamplesReactor(samples_, endpoint_.Identify(*context), *request);
}

}  // namespace benchd::rpc
