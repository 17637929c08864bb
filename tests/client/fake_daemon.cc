#include "tests/client/fake_daemon.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "core/model/limits.h"
#include "tests/client/explanation_samples.h"
#include "tests/client/samples.h"

namespace benchd::client {
namespace {

bool IsFinal(const v1::SessionEvent& event) {
  return event.has_verdict() || event.has_failed() || event.has_cancelled();
}

}  // namespace

FakeDaemon::FakeDaemon(const std::string& socket_path) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket_path, grpc::InsecureServerCredentials());
  builder.RegisterService(static_cast<v1::SessionService::Service*>(this));
  builder.RegisterService(static_cast<v1::QueueService::Service*>(this));
  builder.RegisterService(&machine_);
  server_ = builder.BuildAndStart();
}

FakeDaemon::~FakeDaemon() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  machine_.Stop();
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
}

void FakeDaemon::SetScript(std::vector<v1::SessionEvent> script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

void FakeDaemon::RefuseSubmit(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  submit_status_ = std::move(status);
}

void FakeDaemon::HoldOffSubmits(int count) {
  const std::lock_guard lock(mutex_);
  hold_offs_ = count;
}

void FakeDaemon::BreakWatches(int count) {
  const std::lock_guard lock(mutex_);
  breaks_ = count;
}

void FakeDaemon::RefuseWatches(int count, grpc::Status status) {
  const std::lock_guard lock(mutex_);
  refused_watches_ = count;
  watch_status_ = std::move(status);
}

void FakeDaemon::SetSampledScript(std::vector<v1::SessionEvent> script) {
  const std::lock_guard lock(mutex_);
  sampled_script_ = std::move(script);
}

void FakeDaemon::AddSession(v1::Session session) {
  const std::lock_guard lock(mutex_);
  sessions_.push_back(std::move(session));
}

void FakeDaemon::SetRunning(std::string session) {
  const std::lock_guard lock(mutex_);
  running_ = std::move(session);
}

void FakeDaemon::SetReservedBy(std::uint32_t uid) {
  const std::lock_guard lock(mutex_);
  reserved_by_ = uid;
}

void FakeDaemon::AwaitWatcher() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_ > 0; });
}

v1::SubmitRequest FakeDaemon::last_submit() const {
  const std::lock_guard lock(mutex_);
  return submits_.empty() ? v1::SubmitRequest() : submits_.back();
}

v1::MoveRequest FakeDaemon::last_move() const {
  const std::lock_guard lock(mutex_);
  return move_;
}

std::vector<std::string> FakeDaemon::request_ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const v1::SubmitRequest& submit : submits_) ids.push_back(submit.request_id());
  return ids;
}

bool FakeDaemon::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

grpc::Status FakeDaemon::Submit(grpc::ServerContext* context, const v1::SubmitRequest* request,
                                v1::SubmitResponse* response) {
  const std::lock_guard lock(mutex_);
  submits_.push_back(*request);
  if (hold_offs_ > 0) {
    --hold_offs_;
    context->AddTrailingMetadata(kRetryAfterKey, "300");
    return {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many requests: uid 1000 makes too many"};
  }
  response->set_session("k3x9m2pq");
  response->set_position(1);
  return submit_status_;
}

grpc::Status FakeDaemon::Get(grpc::ServerContext*, const v1::GetSessionRequest* request,
                             v1::Session* session) {
  {
    const std::lock_guard lock(mutex_);
    for (const v1::Session& one : sessions_) {
      if (!one.session().starts_with(request->session())) continue;
      *session = one;
      return grpc::Status::OK;
    }
  }
  if (!std::string("k3x9m2pq").starts_with(request->session())) {
    return {grpc::StatusCode::NOT_FOUND, "no session matches '" + request->session() + "'",
            "benchctl list --all shows the IDs"};
  }
  *session = SampleSession();
  if (request->with_log()) session->set_log("== base, block 0\nhello\x1b[31m\n");
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::List(grpc::ServerContext*, const v1::ListSessionsRequest* request,
                              v1::ListSessionsResponse* response) {
  {
    const std::lock_guard lock(mutex_);
    for (const v1::Session& one : sessions_) *response->add_sessions() = one;
    if (!sessions_.empty()) return grpc::Status::OK;
  }
  const std::uint32_t most = request->page_size() == 0 ? 12 : std::min(request->page_size(), 12U);
  int next = request->page_token().empty() ? 0 : std::stoi(request->page_token());
  for (std::uint32_t i = 0; i < most && next < listed_; ++i, ++next) {
    v1::Session& session = *response->add_sessions();
    session = SampleSession();
    if (next + 1 == listed_) {
      session.set_uid(oldest_owner_);
    } else {
      session.set_session("other");
    }
  }
  if (next < listed_) response->set_next_page_token(std::to_string(next));
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::Watch(grpc::ServerContext* context, const v1::WatchRequest*,
                               grpc::ServerWriter<v1::SessionEvent>* writer) {
  std::vector<v1::SessionEvent> script;
  {
    const std::lock_guard lock(mutex_);
    const bool sampled = !submits_.empty() && submits_.back().spec().has_profile();
    script = sampled && !sampled_script_.empty() ? sampled_script_ : script_;
    if (refused_watches_ > 0) {
      --refused_watches_;
      return watch_status_;
    }
    if (breaks_ > 0) {
      --breaks_;
      if (!script.empty()) writer->Write(script.front());
      return {grpc::StatusCode::UNAVAILABLE, "Socket closed"};
    }
  }
  for (const v1::SessionEvent& event : script) writer->Write(event);
  if (!script.empty() && IsFinal(script.back())) return grpc::Status::OK;
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  // A disconnecting client wakes no thread here, so check for it periodically.
  while (!cancelled_ && !stopping_ && !context->IsCancelled()) {
    changed_.wait_for(lock, std::chrono::milliseconds(20));
  }
  --waiting_;
  if (cancelled_) {
    writer->Write(Event([](v1::SessionEvent& e) { e.mutable_cancelled()->set_by("uid 0"); }));
  }
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::Cancel(grpc::ServerContext*, const v1::CancelRequest*,
                                v1::CancelResponse* response) {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
  response->set_session("k3x9m2pq");
  response->set_already_ended(already_ended_);
  response->set_state(v1::SESSION_STATE_CANCELLED);
  already_ended_ = true;
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::Move(grpc::ServerContext*, const v1::MoveRequest* request,
                              v1::MoveResponse* response) {
  const std::lock_guard lock(mutex_);
  move_ = *request;
  if (request->priority() > 0) {
    return {grpc::StatusCode::PERMISSION_DENIED, "priority: only admins may raise it",
            "ask root or the group benchd-admin"};
  }
  response->set_position(3);
  response->set_session("k3x9m2pq");
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::ListSamples(grpc::ServerContext*, const v1::ListSamplesRequest* request,
                                     grpc::ServerWriter<v1::ListSamplesResponse>* writer) {
  for (const v1::Run& run : request->with_stacks() ? SampledRuns() : SampleRuns()) {
    if (run.phase() == v1::RUN_PHASE_WARMUP && !request->with_warmup()) continue;
    v1::ListSamplesResponse chunk;
    *chunk.add_runs() = run;
    writer->Write(chunk);
  }
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::Get(grpc::ServerContext*, const v1::GetQueueRequest*,
                             v1::QueueStatus* status) {
  status->set_version("9.9.9");
  status->set_pid(77);
  {
    const std::lock_guard lock(mutex_);
    status->set_running(running_);
    if (reserved_by_) status->set_reserved_by(*reserved_by_);
  }
  for (const int cpu : cpus_) status->add_housekeeping_cpus(cpu);
  return grpc::Status::OK;
}

grpc::Status FakeDaemon::Pause(grpc::ServerContext*, const v1::PauseRequest*, v1::QueueStatus*) {
  return {grpc::StatusCode::PERMISSION_DENIED, "pause: only admins may",
          "ask root or the group benchd-admin"};
}

}  // namespace benchd::client
