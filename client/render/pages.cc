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

// What was asked for.
Rows Request(const v1::Session& session, const UserNames& users) {
  Rows rows = {
      {"session", Printable(session.session()) + ", " + std::string(Word(session.state()))},
      {"user", Printable(users(session.uid()))}};
  if (session.has_cancelled() && !session.cancelled().by().empty()) {
    rows.push_back({"cancelled", "by " + Printable(session.cancelled().by())});
  }
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
  for (const auto& [name, value] : session.spec().labels()) {
    rows.push_back({"label", Printable(name) + "=" + Printable(value)});
  }
  return rows;
}

// When what happened, in the reader's time zone, which is named once.
Rows Times(const v1::Session& session) {
  if (!session.has_submitted_at()) return {};
  Rows rows = {{"time zone", LocalZone(session.submitted_at())}};
  const auto add = [&rows](const char* name, const google::protobuf::Timestamp& time,
                           const std::string& what) {
    rows.push_back({name, LocalMoment(time) + (what.empty() ? "" : "  " + what)});
  };
  if (session.history().empty()) {
    add("submitted", session.submitted_at(), "");
    if (session.has_started_at()) add("started", session.started_at(), "");
    if (session.has_ended_at()) add("ended", session.ended_at(), "");
  }
  for (const v1::HistoryEntry& entry : session.history()) {
    add(rows.size() > 1 ? "" : "history", entry.time(), OneLine(entry.what()));
  }
  if (session.report().disturbances() > 0) {
    rows.push_back({"disturbances", std::to_string(session.report().disturbances())});
  }
  if (session.has_started()) {
    rows.push_back({"seed", std::to_string(session.started().seed())});
  }
  return rows;
}

std::string Machine(const v1::Started& started, const Style& style) {
  Rows rows;
  const std::string cpus = CpuList(started.benchmark_cpus());
  if (!cpus.empty()) rows.push_back({"benchmark cpus", cpus});
  for (const v1::EnvironmentFact& fact : started.environment()) {
    rows.push_back({OneLine(fact.name()), OneLine(fact.value())});
  }
  std::string text = rows.empty() ? "" : "\n" + AlignAndWrap(rows, style.width);
  const std::string settings = RenderSettings(started.isolation(), style);
  return text + (settings.empty() ? "" : "\n" + settings);
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

namespace {

// What became of it: why it failed, or what was found.
std::string Outcome(const v1::Session& session, std::span<const ArmPairs> pairs,
                    const Style& style) {
  std::string text;
  if (session.has_failed()) text += RenderFailure(session.session(), session.failed());
  if (session.has_report()) {
    ReportOptions options = OptionsFor(session, Detail::kAll);
    // This is where a result sends its reader to, and what follows has these.
    options.session.clear();
    options.commits.clear();
    options.seed.reset();
    options.pairs = pairs;
    text += RenderFindings(session.report(), options, style);
  }
  return text.empty() ? text : text + "\n";
}

// How to have it again, or more of it.
std::string Again(const v1::Session& session, std::span<const TableColumn> columns) {
  if (!session.has_spec() || !session.has_started()) return "";
  std::string text = "again: " + ReplayCommand(session.spec(), session.started().seed()) + "\n";
  text += "data: benchctl export " + Printable(session.session()) + " --format csv\n";
  if (session.has_ended_at()) text += AnalyzeLine(ReplayAnalysis(session, columns));
  return text;
}

}  // namespace

std::string RenderSession(const v1::Session& session, std::span<const TableColumn> columns,
                          std::span<const ArmPairs> pairs, const UserNames& users,
                          const Style& style, const std::string& worst) {
  std::string text = Outcome(session, pairs, style);
  if (!worst.empty()) text += worst + "\n";
  text += AlignColumns(Request(session, users)) + Again(session, columns);
  const Rows times = Times(session);
  if (!times.empty()) text += "\n" + AlignColumns(times);
  if (session.has_started()) text += Machine(session.started(), style);
  if (!session.log().empty()) {
    text += "\nlog:\n" + Printable(session.log(), /*keep_newlines=*/true);
  }
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
