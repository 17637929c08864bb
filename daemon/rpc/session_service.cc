#include "daemon/rpc/session_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/try.h"
#include "daemon/rpc/queue_proto.h"
#include "daemon/rpc/submission.h"
#include "daemon/store/store.h"
#include "proto/convert/convert.h"

namespace benchd::rpc {
namespace {

Result<BundleClaim> ClaimOf(const v1::SubmitWithBundleRequest& message) {
  BundleClaim claim;
  claim.bytes = message.bundle_bytes();
  if (message.bundle_sha256().size() != claim.sha256.size()) {
    return InvalidArgument("bundle_sha256", "is not 32 bytes long");
  }
  std::copy(message.bundle_sha256().begin(), message.bundle_sha256().end(), claim.sha256.begin());
  return claim;
}

Error IsSilent(std::chrono::milliseconds silence) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(silence);
  return Error{ErrorCode::kDeadlineExceeded,
               fmt::format("bundle: no data received for {} s", seconds.count()),
               "check the network and submit again"};
}

}  // namespace

SubmitBundleReactor::SubmitBundleReactor(const SubmitBundleSources& sources, Entry entry,
                                         grpc::ByteBuffer* response)
    : sources_(sources),
      entry_(std::move(entry)),
      response_(response),
      changed_(sources.endpoint.loop_of(entry_.caller.uid)) {
  if (!entry_.status.ok()) {
    Finish(entry_.status);
    return;
  }
  asio::post(entry_.loop, [this] { asio::co_spawn(entry_.loop, Serve(), asio::detached); });
}

void SubmitBundleReactor::OnReadDone(bool ok) {
  asio::post(entry_.loop, [this, ok] {
    reading_ = false;
    read_ = ok;
    changed_.Notify();
  });
}

// Called after Finish(), which is the coroutine's last step.
void SubmitBundleReactor::OnDone() {
  if (!entry_.status.ok()) return delete this;
  asio::post(entry_.loop, [this] { delete this; });
}

asio::awaitable<void> SubmitBundleReactor::Serve() {
  grpc::Status status = sources_.endpoint.Admit(entry_);
  if (status.ok()) {
    token_ = sources_.endpoint.calls.Begin([this] {
      stopping_ = true;
      changed_.Notify();
    });
    Step take = [this] { return Take(); };
    status = co_await StatusOf(std::move(take));
  }
  Finish(status);
}

asio::awaitable<Result<void>> SubmitBundleReactor::Take() {
  StartSilence();
  CO_TRY(bool next, co_await Next());
  if (!next) co_return InvalidArgument("submit", "missing");
  CO_TRY(v1::SubmitWithBundleRequest first, sources_.parse(entry_.caller, message_));
  // The message counts until the call has ended, like any other request.
  CO_TRY_VOID(entry_.share.Keep(MemoryOf(first)));
  const v1::SubmitRequest submit = std::move(*first.mutable_submit());
  CO_TRY(const bool is_known, co_await sources_.knows(entry_.caller, submit.request_id()));
  v1::SubmitResponse response;
  if (is_known) {
    asio::awaitable<Result<void>> known =
        sources_.submit(entry_.caller, &submit, nullptr, &response);
    CO_TRY_VOID(co_await std::move(known));
    co_return Serialize(response, response_);
  }
  CO_TRY(BundleClaim claim, ClaimOf(first));
  CO_TRY(BundleUpload upload,
         co_await sources_.store.Ask({}, &Records::BeginBundle, entry_.caller.uid, claim,
                                     sources_.limits));
  BundleUpload* const bundle = &upload;
  StartSilence();
  for (;;) {
    CO_TRY(const bool more, co_await Next());
    if (!more) break;
    CO_TRY(std::string data, ParseBundleData(message_));
    const bool silent = data.empty();
    Result<void> taken = co_await sources_.store.Ask(gone_.get_token(), &Records::AppendBundle,
                                                     bundle, std::move(data));
    if (!taken) co_return taken;
    if (!silent) StartSilence();
  }
  Result<void> whole =
      co_await sources_.store.Ask(gone_.get_token(), &Records::FinishBundle, bundle);
  if (!whole) co_return whole;
  asio::awaitable<Result<void>> submitting =
      sources_.submit(entry_.caller, &submit, bundle, &response);
  CO_TRY_VOID(co_await std::move(submitting));
  co_return Serialize(response, response_);
}

asio::awaitable<Result<bool>> SubmitBundleReactor::Next() {
  const auto until = silent_since_ + sources_.max_silence;
  reading_ = true;
  StartRead(&message_);
  while (reading_ && !stopping_) {
    if (asio::steady_timer::clock_type::now() >= until) co_return IsSilent(sources_.max_silence);
    co_await changed_.WaitUntil(until);
  }
  if (stopping_) co_return IsStopping();
  co_return read_;
}

namespace {

/// The size after which a page of a list ends. Clients accept 4 MiB by default, and the loop builds
/// a page without interruption.
constexpr std::size_t kPageBytes = std::size_t{1} << 20;

/// Returns the full ID if it is known, otherwise the ID as the client sent it.
const std::string& IdOf(const Result<SessionSnapshot>& found, const std::string& asked) {
  return found ? found->id.value : asked;
}

/// Refuses a spec that a limit forbids in any case. Its conversion would occupy the loop for half a
/// second, because two bytes of a request can be an empty benchmark, arm, gate or build.
/// @errors kResourceExhausted if it has too many of them
Result<void> CheckCounts(const v1::SessionSpec& spec, std::uint64_t pairs, std::uint64_t metrics) {
  std::uint64_t least_pairs = 0;
  std::uint64_t gates = 0;
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    // There is at least one pair, at most one arm more than pairs, and at most one tree per arm.
    const int phases = spec.confirm() ? 2 : 1;  // each has its own trees
    const int trees = benchmark.hooks().build_plan().trees_size() / phases;
    least_pairs += static_cast<std::uint64_t>(std::max({1, benchmark.arms_size() - 1, trees - 1}));
    gates += static_cast<std::uint64_t>(benchmark.gates_size());
  }
  if (least_pairs > pairs) return TooLarge(Limit::kPairs, least_pairs, pairs);
  if (gates > metrics) return TooLarge(Limit::kMetricsASession, gates, metrics);
  return {};
}

/// Checks the number of pairs. A few bytes of a spec can request thousands of comparisons, and
/// every report contains all of them.
/// @errors kResourceExhausted if there are too many
Result<void> CheckPairs(const SessionSpec& spec, std::uint64_t most) {
  std::uint64_t pairs = 0;
  for (const Benchmark& benchmark : spec.benchmarks) pairs += PairsOf(benchmark);
  if (pairs <= most) return {};
  return TooLarge(Limit::kPairs, pairs, most);
}

FindSession FindIn(Queue& queue) {
  return [&queue](Caller caller, std::string id, std::stop_token gone) {
    return queue.Get(std::move(caller), std::move(id), std::move(gone));
  };
}

}  // namespace

SessionService::SessionService(const Endpoint& endpoint, const Parts& parts)
    : endpoint_(endpoint),
      parts_(parts),
      watch_{endpoint, parts.hub, parts.clock, FindIn(parts.queue)},
      samples_{endpoint, parts.store, FindIn(parts.queue)},
      bundles_{endpoint,
               parts.store,
               parts.bundles,
               parts.max_silence,
               [this](const Caller& caller, const grpc::ByteBuffer& request) {
                 return Parsed(caller, ParseSubmissionWithBundle(request, parts_.spec_bytes));
               },
               [this](Caller caller, std::string request_id) {
                 return parts_.queue.Knows(std::move(caller), std::move(request_id));
               },
               [this](Caller caller, const v1::SubmitRequest* request, BundleUpload* bundle,
                      v1::SubmitResponse* response) {
                 return RunSubmit(std::move(caller), request, bundle, response);
               }} {}

UnaryReactor* SessionService::Submit(Context* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) {
  return Answer(endpoint_, endpoint_.Enter(*context, *request), nullptr,
                [this, request, response](Asker asker) {
                  return SubmitBytes(std::move(asker), request, response);
                });
}

grpc::ServerReadReactor<grpc::ByteBuffer>* SessionService::SubmitWithBundle(
    Context* context, grpc::ByteBuffer* response) {
  // No message has arrived yet: Take() counts the first one.
  return new SubmitBundleReactor(bundles_, endpoint_.Enter(*context, grpc::ByteBuffer()), response);
}

asio::awaitable<Result<void>> SessionService::SubmitBytes(Asker asker,
                                                          const grpc::ByteBuffer* request,
                                                          grpc::ByteBuffer* response) {
  CO_TRY(const v1::SubmitRequest submit,
         Parsed(asker.caller, ParseSubmission(*request, parts_.spec_bytes)));
  CO_TRY_VOID(asker.share->Keep(MemoryOf(submit)));
  v1::SubmitResponse answer;
  CO_TRY_VOID(co_await RunSubmit(std::move(asker.caller), &submit, nullptr, &answer));
  co_return Serialize(answer, response);
}

grpc::ServerWriteReactor<v1::GetBundleResponse>* SessionService::GetBundle(
    Context* context, const v1::GetBundleRequest* request) {
  return new GetBundleReactor(samples_, endpoint_.Enter(*context, *request), request->session());
}

asio::awaitable<Result<SessionSnapshot>> SessionService::Enqueue(Caller caller,
                                                                 const v1::SubmitRequest* request,
                                                                 BundleUpload* bundle) {
  CO_TRY_VOID(CheckCounts(request->spec(), parts_.pairs, parts_.metrics));
  CO_TRY(SessionSpec spec, convert::FromProto(request->spec()));
  CO_TRY_VOID(CheckPairs(spec, parts_.pairs));
  if (!request->spec().has_seed()) spec.seed = parts_.random.Next();
  spec.caller = std::move(caller);
  co_return co_await parts_.queue.Submit(std::move(spec), request->request_id(), bundle,
                                         /*await_disk=*/!request->follows());
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

asio::awaitable<Result<void>> SessionService::RunGet(Asker asker,
                                                     const v1::GetSessionRequest* request,
                                                     v1::Session* response) {
  CO_TRY(SessionDetails details,
         co_await parts_.queue.Show(std::move(asker.caller), request->session(), asker.gone));
  const SessionId& id = details.record.snapshot.id;
  convert::ToProto(details.history, response);
  convert::ToProto(details.record, response);
  if (!request->with_log()) co_return Result<void>();
  Result<LogTail> log = co_await parts_.store.Ask(asker.gone, &Records::LoadLog, id, kMaxLogBytes);
  if (!log) co_return std::move(log).error().Within("reading the log");
  response->set_log(LogToProto(*log));
  co_return Result<void>();
}

asio::awaitable<Result<void>> SessionService::RunList(Asker asker,
                                                      const v1::ListSessionsRequest* request,
                                                      v1::ListSessionsResponse* response) {
  CO_TRY(SessionFilter filter, FromProto(*request));
  const std::size_t page_size = filter.limit++;  // one more, to know whether there is another page
  std::size_t bytes = 0;
  std::string last;
  CO_TRY(const std::vector<SessionView> views,
         co_await parts_.queue.List(asker.caller, filter, asker.gone));
  for (const SessionView& view : views) {
    const auto count = static_cast<std::size_t>(response->sessions_size());
    if (count == page_size || bytes >= kPageBytes) {
      response->set_next_page_token(last);
      co_return Result<void>();
    }
    v1::Session* added = response->add_sessions();
    ToProto(view, added);
    if (MayUse(parts_.queue.access(), asker.caller, view.uid)) {
      Result<SessionRecord> record = co_await parts_.queue.Read(view.id, asker.gone);
      if (record) convert::ToProto(*record, added);
    }
    bytes += added->ByteSizeLong();
    last = std::to_string(view.key);
  }
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::SessionEvent>* SessionService::Watch(Context* context,
                                                                  const v1::WatchRequest* request) {
  return new WatchReactor(watch_, endpoint_.Enter(*context, *request, Limit::kWatchesAUser),
                          request->session());
}

asio::awaitable<Result<void>> SessionService::RunCancel(Caller caller,
                                                        const v1::CancelRequest* request,
                                                        v1::CancelResponse* response) {
  response->set_already_ended(co_await parts_.queue.HasEnded(caller, request->session()));
  Result<SessionSnapshot> ended = co_await parts_.queue.Cancel(caller, request->session());
  parts_.audit.Note(caller, "cancel", IdOf(ended, request->session()), ended);
  if (!ended) co_return std::move(ended).error();
  response->set_state(convert::ToWire<v1::SessionState>(ended->state));
  response->set_session(ended->id.value);
  co_return Result<void>();
}

asio::awaitable<Result<void>> SessionService::RunMove(Caller caller, const v1::MoveRequest* request,
                                                      v1::MoveResponse* response) {
  const bool same =
      co_await parts_.queue.HasPriority(caller, request->session(), request->priority());
  Result<SessionSnapshot> moved =
      co_await parts_.queue.Move(caller, request->session(), request->priority());
  // A move that changes nothing is not logged, however often it is requested.
  if (!same || !moved) parts_.audit.Note(caller, "move", IdOf(moved, request->session()), moved);
  if (!moved) co_return std::move(moved).error();
  response->set_position(moved->position);
  response->set_session(moved->id.value);
  co_return Result<void>();
}

grpc::ServerWriteReactor<v1::ListSamplesResponse>* SessionService::ListSamples(
    Context* context, const v1::ListSamplesRequest* request) {
  return new ListSamplesReactor(samples_, endpoint_.Enter(*context, *request), *request);
}

asio::awaitable<Result<void>> HistoryService::RunList(Asker asker,
                                                      const v1::ListSummariesRequest* request,
                                                      v1::ListSummariesResponse* response) {
  CO_TRY(SummaryQuery query, convert::FromProto(*request));
  if (!request->all()) {
    query.uid = asker.caller.uid;
  } else if (Result<void> may = CheckMayReadAll(access_, asker.caller); !may) {
    co_return std::move(may).error();
  }
  const std::uint64_t page_size = query.limit++;  // one more, to know whether there is another page
  const SummaryQuery asked = query;
  Result<std::vector<GateSummary>> found =
      co_await store_.Ask(asker.gone, &Records::ListSummaries, asked);
  if (!found) co_return std::move(found).error().Within("reading the history");
  const bool more = found->size() > page_size;
  if (more) found->pop_back();
  for (const GateSummary& summary : *found) convert::ToProto(summary, response->add_summaries());
  if (more) response->set_next_page_token(std::to_string(found->back().number));
  co_return Result<void>();
}

}  // namespace benchd::rpc
