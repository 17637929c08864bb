#include "client/session/session_runs.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "benchd/v1/session.grpc.pb.h"
#include "client/link/daemon_link.h"
#include "client/present/sentence.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

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
                    "start one with benchctl compare; benchctl list --all shows everybody's");
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

// The gate as it was in the end, with the direction that its metric turned out to have.
std::optional<Gate> FirstGateOf(const v1::Update& report, const std::string& benchmark) {
  for (const v1::Comparison* gate : GatesOf(report)) {
    if (gate->benchmark() != benchmark) continue;
    const bool absolute = gate->margin_case() == v1::Comparison::kMarginAbsolute;
    return Gate{gate->metric(), absolute ? MarginKind::kAbsolute : MarginKind::kRatio,
                absolute ? gate->margin_absolute() : gate->margin_ratio(),
                convert::ToModel<Better>(gate->better())};
  }
  return std::nullopt;
}

// A run as the analysis takes it; absent for one of a benchmark or arm that the spec does not have.
std::optional<Run> ToModelRun(const v1::Run& proto, const SessionSpec& spec) {
  const auto benchmark = std::ranges::find(spec.benchmarks, proto.benchmark(), &Benchmark::name);
  if (benchmark == spec.benchmarks.end()) return std::nullopt;
  const auto arm = std::ranges::find(benchmark->arms, proto.arm(), &Arm::name);
  if (arm == benchmark->arms.end()) return std::nullopt;
  Run run;
  run.benchmark = static_cast<std::uint32_t>(benchmark - spec.benchmarks.begin());
  run.arm = static_cast<std::uint32_t>(arm - benchmark->arms.begin());
  run.block = proto.block();
  run.position = proto.position();
  for (const v1::Sample& sample : proto.samples()) {
    run.samples.push_back(
        {sample.metric(), sample.inner_benchmark(), sample.iteration(), sample.value()});
  }
  for (const v1::MetricInfo& metric : proto.metrics()) {
    run.metrics.push_back({metric.name(), metric.unit(), convert::ToModel<Better>(metric.better()),
                           metric.resolution(), metric.by_name_only()});
  }
  return run;
}

// Runs one after the other, put together to their blocks.
class Blocks {
 public:
  explicit Blocks(std::vector<ArmPairsAnalysis>* analyses) : analyses_(analyses) {}

  void Take(Run run, bool warmup) {
    const bool same = !block_.empty() && block_.front().benchmark == run.benchmark &&
                      block_.front().block == run.block && warmup_ == warmup;
    if (!same) HandOn();
    warmup_ = warmup;
    block_.push_back(std::move(run));
  }

  Result<void> Finish() {
    HandOn();
    return std::move(failed_);
  }

 private:
  void HandOn() {
    for (ArmPairsAnalysis& one : *analyses_) {
      if (block_.empty() || !failed_) continue;
      if (warmup_) {
        one.AddWarmup(block_);
      } else {
        failed_ = one.Add(block_);
      }
    }
    block_.clear();
  }

  std::vector<ArmPairsAnalysis>* analyses_;
  std::vector<Run> block_;
  bool warmup_ = false;
  Result<void> failed_;
};

// One analysis for each benchmark whose candidates can be ordered.
std::vector<ArmPairsAnalysis> AnalysesOf(const v1::Session& session, const SessionSpec& spec) {
  std::vector<ArmPairsAnalysis> analyses;
  for (std::size_t i = 0; i < spec.benchmarks.size(); ++i) {
    const auto gate = FirstGateOf(session.report(), spec.benchmarks[i].name);
    if (!gate) continue;
    // What has no interval at so small a level has no order.
    auto made = ArmPairsAnalysis::Create(spec, i, *gate, DataSource::kSession);
    if (made && *made) analyses.push_back(**std::move(made));
  }
  return analyses;
}

bool CanBeJudged(const v1::Session& session) {
  constexpr std::uint64_t kMostRuns = 100'000;
  std::uint64_t runs = 0;
  for (const v1::ArmRuns& arm : session.report().runs()) runs += arm.runs();
  return session.state() == v1::SESSION_STATE_DONE && runs <= kMostRuns;
}

bool IsWanted(const v1::Run& run, const RunsWanted& wanted) {
  const bool measured = run.phase() != v1::RUN_PHASE_WARMUP && run.phase() != v1::RUN_PHASE_DROPPED;
  return wanted.measured && (measured || wanted.warmup);
}

}  // namespace

Result<RunsOfSession> ReadRunsOf(DaemonLink& link, const v1::Session& session, RunsWanted wanted) {
  RunsOfSession found;
  const Result<SessionSpec> spec = convert::FromProto(session.spec());
  const bool orders = wanted.pairs && session.state() == v1::SESSION_STATE_DONE && spec;
  std::vector<ArmPairsAnalysis> analyses;
  if (orders) analyses = AnalysesOf(session, *spec);
  // Runs describe the metrics of a harness, and the step of user and system time.
  const bool learns = wanted.columns && session.has_ended_at();
  const bool describes = learns || !analyses.empty();
  if (wanted.worst && CanBeJudged(session)) found.worst.emplace(session.report());
  if (!wanted.measured && !describes && !found.worst) return found;
  v1::ListSamplesRequest request;
  request.set_session(session.session());
  request.set_with_warmup(wanted.warmup || describes);
  request.set_with_metrics(describes);
  Blocks blocks(&analyses);
  ParsedMetrics metrics;
  auto read = ReadRuns(link, request, [&](v1::Run&& run) {
    if (!analyses.empty() && run.phase() != v1::RUN_PHASE_DROPPED) {
      auto taken = ToModelRun(run, *spec);
      if (taken) blocks.Take(*std::move(taken), run.phase() == v1::RUN_PHASE_WARMUP);
    }
    if (learns) metrics.Learn(run);
    if (found.worst) found.worst->Take(run);
    if (!IsWanted(run, wanted)) return;
    run.clear_metrics();  // no part of what was measured
    found.measured.push_back(std::move(run));
  });
  if (!read) return std::move(read).error();
  found.columns = metrics.columns();
  if (!blocks.Finish()) return found;
  for (ArmPairsAnalysis& one : analyses) found.pairs.push_back(one.Conclude());
  return found;
}

}  // namespace benchd::client
