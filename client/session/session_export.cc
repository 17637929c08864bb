#include "client/session/session_export.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "client/app/exit_code.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

Error NotAnExport() {
  return UsageError("not a JSON export of a session", "benchctl export ID --format json > FILE");
}

Error DoesNotCount(std::string why) {
  return {ErrorCode::kFailedPrecondition, std::move(why), "export it again once it has ended"};
}

/// Discards the outermost "runs", which may be most of the text, while the text is parsed.
bool KeepAllButRuns(int depth, Json::parse_event_t event, const Json& parsed) {
  return depth != 1 || event != Json::parse_event_t::key || parsed != "runs";
}

Result<Json> Parse(std::string_view text, ExportedRuns runs) {
  const Json::parser_callback_t keep =
      runs == ExportedRuns::kRead ? Json::parser_callback_t() : KeepAllButRuns;
  Json json = Json::parse(text, keep, /*allow_exceptions=*/false);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (json.is_discarded() && text[begin] == '{')) {
    return DoesNotCount("truncated: the JSON is incomplete");
  }
  if (!json.is_object()) return NotAnExport();
  return json;
}

const Json* Member(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

/// Returns the member of an arm; in a suite, of a benchmark and arm.
const Json* MemberOf(const Json& json, const v1::Benchmark& benchmark, const v1::Arm& arm) {
  const Json* const found = Member(json, (benchmark.name() + "/" + arm.name()).c_str());
  return found != nullptr ? found : Member(json, arm.name().c_str());
}

/// Reads the number of runs by arm; in a suite, by benchmark and arm.
///
/// @param retired  the number of blocks before arms retired, by the same keys; may be null
void ReadRunCounts(const Json& counts, const Json* retired, const v1::SessionSpec& spec,
                   v1::Update* to) {
  for (const v1::Benchmark& benchmark : spec.benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      const Json* const found = MemberOf(counts, benchmark, arm);
      if (found == nullptr || !found->is_number_unsigned()) continue;
      v1::ArmRuns* const runs = to->add_runs();
      runs->set_benchmark(benchmark.name());
      runs->set_arm(arm.name());
      runs->set_runs(found->get<std::uint64_t>());
      const Json* const after = retired == nullptr ? nullptr : MemberOf(*retired, benchmark, arm);
      if (after != nullptr && after->is_number_unsigned()) {
        runs->set_retired_after(after->get<std::uint64_t>());
      }
    }
  }
}

Result<void> ReadSession(const Json& json, v1::Session* session) {
  const Json* const id = Member(json, "session");
  const Json* const spec = Member(json, "spec");
  const Json* const result = Member(json, "result");
  if (id == nullptr || !id->is_string() || *id == "" || spec == nullptr || !spec->is_object() ||
      result == nullptr || !result->is_object()) {
    return NotAnExport();
  }
  TRY_VOID(ReadMessage(*result, session));
  TRY_VOID(ReadMessage(*spec, session->mutable_spec()));
  session->set_session(id->get<std::string>());
  const Json* const report = Member(*result, "report");
  const Json* const counts = report == nullptr ? nullptr : Member(*report, "runs");
  if (counts != nullptr) {
    ReadRunCounts(*counts, Member(*report, "retired_after"), session->spec(),
                  session->mutable_report());
  }
  return {};
}

/// Returns whether the criteria of the gate are complete. A missing estimate is a valid result.
bool IsWhole(const Comparison& gate) {
  if (!gate.margin || !gate.better || gate.metric.empty()) return false;
  const bool rate = gate.better == Better::kHigher;
  const bool possible =
      gate.margin_kind != MarginKind::kRatio || (rate ? *gate.margin < 1 : *gate.margin > -1);
  const bool passes =
      !gate.pass_confidence || (*gate.pass_confidence > 0.5 && *gate.pass_confidence < 1);
  return possible && passes && gate.confidence > 0 && gate.confidence < 1;
}

Error LeaveOut(std::string why) { return UsageError(std::move(why), "leave that export out"); }

// Reads the gates. The session has a verdict, so an unreadable gate is an error.
Result<void> ReadGates(const v1::Update& report, MachineSession& session) {
  for (const v1::Comparison& comparison : report.comparisons()) {
    if (comparison.role() != v1::COMPARISON_ROLE_GATE) continue;
    auto gate = convert::FromProto(comparison);
    if (!gate || !IsWhole(*gate)) {
      return LeaveOut("incomplete data for gate " + Quoted(comparison.metric()));
    }
    session.gates.push_back(*std::move(gate));
  }
  if (session.gates.empty()) return LeaveOut("the session has no gates");
  return {};
}

std::string MachineOf(const v1::Session& session) {
  const auto& facts = session.started().environment();
  const auto found = std::ranges::find(facts, "machine", &v1::EnvironmentFact::name);
  return found == facts.end() ? std::string() : found->value();
}

Result<MachineSession> ReadMachine(const v1::Session& from) {
  if (from.state() != v1::SESSION_STATE_DONE) {
    return DoesNotCount("session " + from.session() + " is not done but " +
                        (from.state() == v1::SESSION_STATE_UNSPECIFIED
                             ? "without a state"
                             : std::string(Word(from.state()))));
  }
  if (from.spec().has_profile()) {
    return DoesNotCount("session " + from.session() + " was sampled and has no verdict");
  }
  MachineSession session;
  session.session = from.session();
  session.machine = MachineOf(from);
  if (session.machine.empty()) {
    return UsageError("the export does not name its machine",
                      "measure again, on a machine that has /etc/machine-id "
                      "(systemd-machine-id-setup creates it)");
  }
  if (!from.has_started_at()) return NotAnExport();
  session.started_at = convert::FromProto(from.started_at());
  session.sided = convert::ToModel<Sided>(from.spec().sided()).value_or(Sided::kTwo);
  for (const v1::Benchmark& benchmark : from.spec().benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      if (arm.has_commit()) session.commits[{benchmark.name(), arm.name()}] = arm.commit().id();
    }
  }
  for (const v1::Warning& warning : from.report().warnings()) {
    session.warnings.push_back(convert::FromProto(warning));
  }
  TRY_VOID(ReadGates(from.report(), session));
  return session;
}

}  // namespace

Result<SessionExport> ReadSessionExport(std::string_view text, ExportedRuns runs) {
  TRY(const auto json, Parse(text, runs));
  SessionExport read;
  TRY_VOID(ReadSession(json, &read.session));
  if (runs == ExportedRuns::kSkip) return read;
  const Json* const list = Member(json, "runs");
  if (list == nullptr || !list->is_array()) return NotAnExport();
  for (const Json& run : *list) {
    if (!run.is_object()) return NotAnExport();
    TRY_VOID(ReadMessage(run, &read.runs.emplace_back()));
  }
  return read;
}

Result<MachineSession> MachineSessionOf(const v1::Session& from, const std::string& source) {
  auto session = ReadMachine(from);
  if (!session) {
    // The message may quote any text of the file.
    Error error = std::move(session).error();
    error.message = OneLine(Printable(error.message));
    return std::move(error).Within(source);
  }
  session->source = source;
  return session;
}

}  // namespace benchd::client
