#include "client/session/session_runs.h"

#include <grpcpp/client_context.h>

#include <functional>
#include <utility>

#include "benchd/v1/session.grpc.pb.h"
#include "client/link/daemon_link.h"
#include "core/base/try.h"

namespace benchd::client {

Result<v1::Session> GetSession(DaemonLink& link, const std::string& id, bool with_log) {
  v1::GetSessionRequest request;
  request.set_session(id);
  request.set_with_log(with_log);
  return CallDaemon(link, &v1::SessionService::Stub::Get, request);
}

Result<std::string> NewestSession(DaemonLink& link) {
  v1::ListSessionsRequest request;
  request.set_all(true);
  do {
    TRY(auto page, CallDaemon(link, &v1::SessionService::Stub::List, request));
    for (const v1::Session& session : page.sessions()) {
      if (session.uid() == link.uid()) return session.session();  // newest first
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return UsageError("no session: you have none yet",
                    "start one with benchctl compare; benchctl list --all shows all sessions");
}

Result<v1::Session> NamedSession(DaemonLink& link, const CommandContext& context, bool with_log) {
  if (!context.word.empty()) return GetSession(link, context.word, with_log);
  TRY(auto newest, NewestSession(link));
  return GetSession(link, newest, with_log);
}

Error NotEnded(const v1::Session& session) {
  return UsageError("export: session " + session.session() + " has not ended: no result yet",
                    "wait for it: benchctl watch " + session.session());
}

Result<void> ReadRuns(DaemonLink& link, const v1::ListSamplesRequest& request,
                      const std::function<void(v1::Run&&)>& take) {
  grpc::ClientContext context;
  const auto reader = v1::SessionService::NewStub(link.channel())->ListSamples(&context, request);
  for (v1::ListSamplesResponse chunk; reader->Read(&chunk);) {
    for (v1::Run& run : *chunk.mutable_runs()) take(std::move(run));
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return FromStatus(status);
  return {};
}

namespace {

bool IsWanted(const v1::Run& run, const RunsWanted& wanted) {
  const bool measured = run.phase() != v1::RUN_PHASE_WARMUP && run.phase() != v1::RUN_PHASE_DROPPED;
  return wanted.measured && (measured || wanted.warmup);
}

}  // namespace

Result<RunsOfSession> ReadRunsOf(DaemonLink& link, const v1::Session& session, RunsWanted wanted) {
  RunsOfSession found;
  const bool learns = wanted.columns && session.has_ended_at();
  if (!wanted.measured && !learns) return found;
  v1::ListSamplesRequest request;
  request.set_session(session.session());
  request.set_with_warmup(wanted.warmup || learns);
  request.set_with_metrics(learns);
  request.set_with_stacks(wanted.stacks);
  ParsedMetrics metrics;
  TRY_VOID(ReadRuns(link, request, [&](v1::Run&& run) {
    if (learns) metrics.Learn(run);
    if (!IsWanted(run, wanted)) return;
    run.clear_metrics();  // descriptions, not measurements
    found.measured.push_back(std::move(run));
  }));
  found.columns = metrics.columns();
  return found;
}

}  // namespace benchd::client
