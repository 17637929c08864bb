#include "client/render/json.h"

#include <map>

#include "client/render/json_parts.h"
#include "client/render/words.h"

namespace benchd::client {
namespace {

void AddQueued(Json& json, const v1::Queued& queued) {
  json["position"] = queued.position();
  if (queued.has_eta_seconds()) Put(json, "eta_s", queued.eta_seconds());
}

void AddStarted(Json& json, const v1::Started& started, bool with_end) {
  json["environment"] = FactsJson(started.environment());
  json["isolation"] = SettingsJson(started.isolation(), with_end);
  json["seed"] = std::to_string(started.seed());  // JavaScript and jq round 64 bits
}

void AddFailed(Json& json, const v1::Failed& failed) {
  json["error"] = failed.error();
  PutText(json, "hint", failed.hint());
  if (!failed.has_run()) return;
  const v1::FailedRun& run = failed.run();
  Json& entry = json["run"];
  entry["benchmark"] = run.benchmark();
  // A hook of the whole session has neither.
  PutText(entry, "arm", run.arm());
  if (!run.arm().empty()) entry["block"] = run.block();
  if (run.warmup()) entry["warmup"] = true;
  if (run.has_exit_code()) entry["exit_code"] = run.exit_code();
  if (run.has_signal()) entry["signal"] = run.signal();
  PutText(entry, "stderr_tail", run.stderr_tail());
}

Json ToJson(const v1::Commit& commit) {
  Json json;
  json["id"] = commit.id();
  PutText(json, "description", commit.description());
  return json;
}

// Of all benchmarks alike: an arm's commit does not change between them.
void AddCommitsJson(Json& json, const v1::SessionSpec& spec) {
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.has_commit()) json["commits"][arm.name()] = ToJson(arm.commit());
    }
  }
}

Json ToJson(const v1::Arm& arm) {
  Json json;
  json["name"] = arm.name();
  PutText(json, "role", RoleWord(arm.role()));
  json["command"] = arm.command();
  if (arm.shell()) json["shell"] = true;
  // Values are never exported: names only.
  for (const auto& [name, ignored] : arm.env()) json["env"].push_back(name);
  PutText(json, "cwd", arm.cwd());
  if (arm.has_commit()) json["commit"] = ToJson(arm.commit());
  return json;
}

Json ToJson(const v1::Benchmark& benchmark) {
  Json json;
  json["name"] = benchmark.name();
  json["arms"] = Json::array();
  for (const v1::Arm& arm : benchmark.arms()) json["arms"].push_back(ToJson(arm));
  Json hooks;
  PutText(hooks, "cwd", benchmark.hooks().cwd());
  PutText(hooks, "build", benchmark.hooks().build());
  PutText(hooks, "setup", benchmark.hooks().setup());
  PutText(hooks, "prepare", benchmark.hooks().prepare());
  PutText(hooks, "conclude", benchmark.hooks().conclude());
  PutText(hooks, "cleanup", benchmark.hooks().cleanup());
  if (!hooks.empty()) json["hooks"] = std::move(hooks);
  PutText(json, "parse", benchmark.parse());
  json["gates"] = Json::array();
  for (const v1::Gate& gate : benchmark.gates()) {
    Json entry;
    entry["metric"] = gate.metric();
    if (gate.margin_case() == v1::Gate::kRatio) {
      Put(entry, "margin", gate.ratio());
      entry["kind"] = "ratio";
    } else if (gate.margin_case() == v1::Gate::kAbsolute) {
      Put(entry, "margin", gate.absolute());
      entry["kind"] = "absolute";
    }
    PutText(entry, "better", BetterWord(gate.better()));
    json["gates"].push_back(std::move(entry));
  }
  PutText(json, "input", benchmark.input());
  json["output"] = benchmark.output() == v1::OUTPUT_KIND_FILE
                       ? benchmark.output_path()
                       : std::string(OutputWord(benchmark.output()));
  if (benchmark.has_margin()) Put(json, "margin", benchmark.margin());
  if (benchmark.ignore_failure()) json["ignore_failure"] = true;
  return json;
}

Json ToJson(const v1::Limits& limits) {
  Json json;
  if (limits.has_min_runs()) json["min_runs"] = limits.min_runs();
  if (limits.has_max_runs()) json["max_runs"] = limits.max_runs();
  if (limits.has_runs()) json["runs"] = limits.runs();
  if (limits.has_max_time_seconds()) Put(json, "max_time_s", limits.max_time_seconds());
  if (limits.has_timeout_seconds()) Put(json, "timeout_s", limits.timeout_seconds());
  json["at_limit"] = AtLimitWord(limits.at_limit());
  json["fail_fast"] = limits.fail_fast();
  return json;
}

Json ToJson(const v1::SessionSpec& spec) {
  Json json;
  json["benchmarks"] = Json::array();
  for (const v1::Benchmark& benchmark : spec.benchmarks())
    json["benchmarks"].push_back(ToJson(benchmark));
  json["method"] = MethodWord(spec.method());
  json["estimator"] = EstimatorWord(spec.estimator());
  json["rule"] = "margin";
  if (spec.rule().precision_width() > 0) {
    json["rule"] = "precision";
    Put(json, "precision_width", spec.rule().precision_width());
  }
  if (spec.has_alpha()) Put(json, "alpha", spec.alpha());
  if (spec.has_margin()) Put(json, "margin", spec.margin());
  json["sided"] = SidedWord(spec.sided());
  json["limits"] = ToJson(spec.limits());
  json["schedule"] = ScheduleWord(spec.schedule());
  if (spec.has_warmup()) json["warmup"] = spec.warmup();
  if (spec.has_seed()) json["seed"] = std::to_string(spec.seed());
  PutText(json, "machine_profile", spec.machine_profile());
  json["isolation"] = IsolationWord(spec.isolation());
  PutText(json, "cpus", spec.cpus());
  json["placebo"] = spec.placebo();
  json["priority"] = spec.priority();
  Json labels = Json::object();
  for (const auto& [name, value] :
       std::map<std::string, std::string>(spec.labels().begin(), spec.labels().end())) {
    labels[name] = value;
  }
  if (!labels.empty()) json["labels"] = std::move(labels);
  return json;
}

// What became of a session, whatever it is.
Json Result(const v1::Session& session) {
  Json json;
  json["state"] = StateWord(session.state());
  if (session.has_submitted_at()) json["submitted_at"] = Rfc3339(session.submitted_at());
  if (session.has_started_at()) json["started_at"] = Rfc3339(session.started_at());
  if (session.has_ended_at()) json["ended_at"] = Rfc3339(session.ended_at());
  if (session.has_queued() && session.state() == v1::SESSION_STATE_QUEUED) {
    AddQueued(json["queued"] = Json::object(), session.queued());
  }
  if (session.has_started()) AddStarted(json["started"] = Json::object(), session.started(), true);
  if (session.has_report()) AddUpdate(json["report"] = Json::object(), session.report());
  if (session.has_failed()) AddFailed(json["failed"] = Json::object(), session.failed());
  if (session.has_cancelled()) json["cancelled"]["by"] = session.cancelled().by();
  return json;
}

}  // namespace

std::string EventJson(const v1::SessionEvent& event) {
  const auto named = [&event](const char* name) {
    return Named(name, event.session(), event.time());
  };
  Json json;
  switch (event.event_case()) {
    case v1::SessionEvent::kQueued:
      json = named("queued");
      AddQueued(json, event.queued());
      break;
    case v1::SessionEvent::kStarted:
      json = named("started");
      AddStarted(json, event.started(), /*with_end=*/false);
      break;
    case v1::SessionEvent::kUpdate:
      json = named("update");
      AddUpdate(json, event.update());
      break;
    case v1::SessionEvent::kVerdict:
      json = named("verdict");
      AddUpdate(json, event.verdict());
      break;
    case v1::SessionEvent::kFailed:
      json = named("failed");
      AddFailed(json, event.failed());
      break;
    case v1::SessionEvent::kCancelled:
      json = named("cancelled");
      PutText(json, "by", event.cancelled().by());
      break;
    case v1::SessionEvent::EVENT_NOT_SET:
      json = named("unknown");  // a newer daemon's
      break;
  }
  return Line(json);
}

std::string SessionJson(const v1::Session& session, const google::protobuf::Timestamp& now) {
  Json json = Named("session", session.session(), now);
  json["uid"] = session.uid();
  json.update(Result(session));
  if (session.has_spec()) json["spec"] = ToJson(session.spec());
  for (const std::string& name : session.environment_names())
    json["environment_names"].push_back(name);
  for (const v1::HistoryEntry& entry : session.history()) {
    json["history"].push_back({{"time", Rfc3339(entry.time())}, {"what", entry.what()}});
  }
  PutText(json, "log", session.log());
  return Line(json);
}

std::string SubmittedJson(const v1::SubmitResponse& response, const v1::SessionSpec& spec,
                          const google::protobuf::Timestamp& now) {
  Json json = Named("queued", response.session(), now);
  json["position"] = response.position();
  if (response.has_eta_seconds()) Put(json, "eta_s", response.eta_seconds());
  AddCommitsJson(json, spec);
  return Line(json);
}

std::string CommitsJson(const std::string& session, const v1::SessionSpec& spec,
                        const google::protobuf::Timestamp& now) {
  Json json = Named("commits", session, now);
  AddCommitsJson(json, spec);
  return json.contains("commits") ? Line(json) : "";
}

std::string CancelJson(const std::string& session, v1::SessionState state,
                       const google::protobuf::Timestamp& now) {
  Json json = Named("cancel", session, now);
  PutText(json, "state", StateWord(state));
  return Line(json);
}

std::string MoveJson(const v1::MoveRequest& request, const v1::MoveResponse& response,
                     const google::protobuf::Timestamp& now) {
  Json json = Named("move", request.session(), now);
  json["priority"] = request.priority();
  json["position"] = response.position();
  return Line(json);
}

std::string QueueJson(const v1::QueueStatus& status, const google::protobuf::Timestamp& now) {
  Json json = Named("queue", "", now);
  json["paused"] = status.paused();
  json["draining"] = status.draining();
  json["queued"] = status.queued();
  PutText(json, "running", status.running());
  if (status.has_reserved_by()) json["reserved_by"] = status.reserved_by();
  return Line(json);
}

std::string VersionJson(const std::string& client, const v1::QueueStatus* daemon,
                        const google::protobuf::Timestamp& now) {
  Json json = Named("version", "", now);
  json["client"] = client;
  if (daemon != nullptr) {
    json["daemon"] = daemon->version();
    json["pid"] = daemon->pid();
  }
  return Line(json);
}

std::string ExportJson(const v1::Session& session, std::span<const v1::Run> runs) {
  Json json;
  json["session"] = session.session();
  json["spec"] = ToJson(session.spec());
  json["result"] = Result(session);
  Json& list = json["runs"] = Json::array();
  for (const v1::Run& run : runs) {
    Json entry;
    entry["benchmark"] = run.benchmark();
    entry["arm"] = run.arm();
    entry["block"] = run.block();
    entry["position"] = run.position();
    entry["phase"] = PhaseWord(run.phase());
    entry["started_at"] = Rfc3339(run.started_at());
    entry["exit_code"] = run.exit_code();
    if (run.signal() != 0) entry["signal"] = run.signal();
    entry["disturbances"] = run.disturbances();
    entry["samples"] = Json::array();
    for (const v1::Sample& sample : run.samples()) {
      Json value;
      value["metric"] = sample.metric();
      PutText(value, "inner_benchmark", sample.inner_benchmark());
      value["iteration"] = sample.iteration();
      Put(value, "value", sample.value());
      entry["samples"].push_back(std::move(value));
    }
    list.push_back(std::move(entry));
  }
  return Line(json);
}

}  // namespace benchd::client
