#include "client/render/pages.h"

#include <vector>

#include "client/render/machine.h"
#include "client/render/report.h"
#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

// A date column stays readable whatever the reader's time zone: UTC, whole seconds.
std::string Moment(google::protobuf::Timestamp time) {
  time.set_nanos(0);
  return Rfc3339(time);
}

// What is compared, in a few words.
std::string Subject(const v1::Session& session) {
  if (!session.has_spec() || session.spec().benchmarks_size() == 0) return "";
  const v1::Benchmark& first = session.spec().benchmarks(0);
  const std::string arms = Join(first.arms(), ", ", &v1::Arm::name);
  if (session.spec().benchmarks_size() > 1) {
    return std::to_string(session.spec().benchmarks_size()) + " benchmarks: " + arms;
  }
  return arms + (first.arms_size() > 0 ? ": " + first.arms(0).command() : "");
}

std::string ResultCell(const v1::Session& session) {
  switch (session.state()) {
    case v1::SESSION_STATE_DONE:
      return std::string(Word(session.report().verdict()));
    case v1::SESSION_STATE_QUEUED:
      return session.queued().position() > 0
                 ? "place " + std::to_string(session.queued().position())
                 : "";
    case v1::SESSION_STATE_CANCELLED:
      return session.cancelled().by().empty() ? "" : "by " + session.cancelled().by();
    default:
      return "";
  }
}

Rows SessionFacts(const v1::Session& session, const UserNames& users) {
  Rows rows = {{"session", Printable(session.session())},
               {"state", std::string(Word(session.state()))},
               {"user", Printable(users(session.uid()))}};
  if (session.has_submitted_at()) rows.push_back({"submitted", Moment(session.submitted_at())});
  if (session.has_started_at()) rows.push_back({"started", Moment(session.started_at())});
  if (session.has_ended_at()) rows.push_back({"ended", Moment(session.ended_at())});
  for (const v1::Benchmark& benchmark : session.spec().benchmarks()) {
    for (const v1::Arm& arm : benchmark.arms()) {
      rows.push_back(
          {std::string(Word(arm.role())),
           (session.spec().benchmarks_size() > 1 ? Printable(benchmark.name()) + ": " : "") +
               Printable(arm.name()) + ": " + Printable(arm.command())});
    }
  }
  for (const auto& [arm, commit] : ArmCommits(session.spec())) {
    rows.push_back({"commit", arm + ": " + commit});
  }
  if (session.has_started()) {
    rows.push_back({"seed", std::to_string(session.started().seed())});
    const std::string cpus = CpuList(session.started().benchmark_cpus());
    if (!cpus.empty()) rows.push_back({"cpus", cpus});
    for (const v1::EnvironmentFact& fact : session.started().environment()) {
      rows.push_back({OneLine(fact.name()), OneLine(fact.value())});
    }
  }
  for (const auto& [name, value] : session.spec().labels()) {
    rows.push_back({"label", Printable(name) + "=" + Printable(value)});
  }
  if (session.has_cancelled())
    rows.push_back({"cancelled", "by " + Printable(session.cancelled().by())});
  return rows;
}

std::string History(const v1::Session& session) {
  if (session.history().empty()) return "";
  Rows rows;
  for (const v1::HistoryEntry& entry : session.history()) {
    rows.push_back({Moment(entry.time()), OneLine(entry.what())});
  }
  return "history:\n" + AlignColumns(rows, 2, 2);
}

std::string AnalyzeLine(const AnalyzeReplay& replay) {
  if (!replay.command.empty()) return "analyze: " + replay.command + "\n";
  return replay.why_not.empty() ? "" : "analyze: not in one command: " + replay.why_not + "\n";
}

}  // namespace

std::string RenderList(std::span<const v1::Session> sessions, const UserNames& users,
                       const google::protobuf::Timestamp& now, const Style& style) {
  Rows rows = {{"ID", "STATE", "USER", "SUBMITTED", "RESULT", "WHAT"}};
  for (const v1::Session& session : sessions) {
    rows.push_back({Printable(session.session()), std::string(Word(session.state())),
                    Printable(users(session.uid())),
                    session.has_submitted_at() ? LocalTime(session.submitted_at(), now) : "",
                    Printable(ResultCell(session)), Printable(Subject(session))});
  }
  std::string text = AlignColumns(rows);
  if (style.width <= 0) return text;
  return Join(Lines(text), "", [&style](const std::string& line) {
    return Shorten(line, style.width, style) + "\n";
  });
}

std::string RenderSession(const v1::Session& session, std::span<const TableColumn> columns,
                          const UserNames& users, const Style& style) {
  std::string text = AlignColumns(SessionFacts(session, users)) + "\n";
  if (session.has_started()) {
    const std::string settings = RenderSettings(session.started().isolation(), style);
    if (!settings.empty()) text += settings + "\n";
  }
  if (session.has_failed()) text += RenderFailure(session.session(), session.failed());
  if (session.has_report()) {
    text += RenderFindings(session.report(), style);
    text += "elapsed: " + FormatClock(session.report().elapsed_seconds()) +
            ", disturbances: " + std::to_string(session.report().disturbances()) + "\n";
  }
  text += History(session);
  if (session.has_spec() && session.has_started()) {
    text += "again: " + ReplayCommand(session.spec(), session.started().seed()) + "\n";
    text += "data: benchctl export " + Printable(session.session()) + " --format csv\n";
    if (session.has_ended_at()) text += AnalyzeLine(ReplayAnalysis(session, columns));
  }
  if (!session.log().empty()) text += "log:\n" + Printable(session.log(), /*keep_newlines=*/true);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string RenderQueue(const v1::QueueStatus& status) {
  std::string text = status.draining() ? "draining: nothing is accepted, nothing starts"
                     : status.paused() ? "paused: nothing starts"
                                       : "open";
  text += "; " + std::to_string(status.queued()) + " queued, ";
  text += status.running().empty() ? "none runs" : Printable(status.running()) + " runs";
  if (status.has_reserved_by()) {
    text += ", uid " + std::to_string(status.reserved_by()) + " has reserved the machine";
  }
  return text + "\n";
}

}  // namespace benchd::client
