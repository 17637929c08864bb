#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/render/csv.h"
#include "client/render/json.h"

namespace benchd::client {
namespace {

// "csv" or "json"; --json is another way to say the latter.
Outcome<std::string> ReadFormat(const CommandContext& context) {
  const std::string* format = LastValue(context.arguments, "format");
  if (format == nullptr) return std::string(context.json ? "json" : "csv");
  if (*format != "csv" && *format != "json") {
    return UsageError("--format " + *format + ": unknown format", "write csv or json");
  }
  if (*format == "csv" && context.json) return UsageError("--format csv: --json says otherwise");
  return *format;
}

Outcome<std::vector<v1::Run>> ReadRuns(v1::SessionService::Stub& stub, const std::string& id,
                                       bool with_warmup) {
  v1::ListSamplesRequest request;
  request.set_session(id);
  request.set_with_warmup(with_warmup);
  grpc::ClientContext context;
  const auto reader = stub.ListSamples(&context, request);
  std::vector<v1::Run> runs;
  for (v1::ListSamplesResponse chunk; reader->Read(&chunk);) {
    for (v1::Run& run : *chunk.mutable_runs()) {
      if (run.phase() == v1::RUN_PHASE_WARMUP && !with_warmup) continue;
      runs.push_back(std::move(run));
    }
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return FromStatus(status);
  return runs;
}

}  // namespace

Outcome<ExitCode> RunExport(const CommandContext& context) {
  auto id = OneSession(context, "export");
  if (!id) return std::move(id).error();
  auto format = ReadFormat(context);
  if (!format) return std::move(format).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  v1::GetSessionRequest request;
  request.set_session(*id);
  auto session = CallDaemon(*stub, &v1::SessionService::Stub::Get, request);
  if (!session) return std::move(session).error();
  auto runs = ReadRuns(*stub, session->session(), IsGiven(context.arguments, "with-warmup"));
  if (!runs) return std::move(runs).error();
  std::cout << (*format == "csv" ? RunsToCsv(*runs, *session) : ExportJson(*session, *runs) + "\n");
  return ExitCode::kPass;
}

}  // namespace benchd::client
