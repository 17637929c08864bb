#include "client/present/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "client/present/findings.h"
#include "client/present/measurement.h"
#include "client/present/report.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/replay.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

// Describes the compared arms in a few words.
std::string Subject(const v1::Session& session) {
  if (!session.has_spec() || session.spec().benchmarks_size() == 0) return "";
  const v1::Benchmark& first = session.spec().benchmarks(0);
  const std::string arms = Join(first.arms(), ", ", &v1::Arm::name);
  if (session.spec().benchmarks_size() > 1) {
    return fmt::format("{} benchmarks: {}", session.spec().benchmarks_size(), arms);
  }
  return arms + (first.arms_size() > 0 ? ": " + first.arms(0).command() : "");
}

std::string ResultCell(const v1::Session& session) {
  switch (session.state()) {
    case v1::SESSION_STATE_DONE:
      if (session.spec().has_profile()) return "explained";
      return std::string(Measures(session.report()) ? MeasuredWord(session.report().verdict())
                                                    : Word(session.report().verdict()));
    case v1::SESSION_STATE_QUEUED:
      return session.queued().position() > 0 ? fmt::format("place {}", session.queued().position())
                                             : "";
    case v1::SESSION_STATE_CANCELLED:
      return session.cancelled().by().empty() ? "" : "by " + session.cancelled().by();
    default:
      return "";
  }
}

// The rows about the request.
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
  for (const auto& [arm, extras] : ArmExtras(session.spec())) {
    rows.push_back({"with", arm + ": " + extras});
  }
  for (const auto& [arm, commit] : ArmCommits(session.spec())) {
    rows.push_back({"commit", arm + ": " + commit});
  }
  if (session.spec().has_profile()) {
    const v1::Profile& profile = session.spec().profile();
    const std::string hz =
        std::to_string(profile.frequency_hz() > 0 ? profile.frequency_hz() : 1000);
    const bool dwarf = profile.call_graph() == v1::CALL_GRAPH_DWARF;
    rows.push_back(
        {"sampled", hz + " Hz, callers by " + (dwarf ? "unwind tables" : "frame pointers")});
    if (!profile.explains().empty()) rows.push_back({"explains", Printable(profile.explains())});
  }
  for (const auto& [name, value] : session.spec().labels()) {
    rows.push_back({"label", Printable(name) + "=" + Printable(value)});
  }
  return rows;
}

// The rows about the course of the session. Times are in the local time zone, which is named once.
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

void AddFacts(const google::protobuf::RepeatedPtrField<v1::EnvironmentFact>& facts, Rows* rows) {
  for (const v1::EnvironmentFact& fact : facts) {
    rows->push_back({OneLine(fact.name()), OneLine(fact.value())});
  }
}

std::string Machine(const v1::Started& started, bool verbose, const Style& style) {
  Rows rows;
  const std::string cpus = CpuList(started.benchmark_cpus());
  if (!cpus.empty()) rows.push_back({"benchmark cpus", cpus});
  for (const v1::EnvironmentFact& fact : started.environment()) {
    // It is longer than all other facts together, and the settings contain its relevant parts.
    if (fact.name() == "kernel_command_line" && !verbose) continue;
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

// Renders the outcome: the cause of the failure, or the findings.
std::string Outcome(const v1::Session& session, const Style& style) {
  std::string text;
  if (session.has_failed()) text += RenderFailure(session.session(), session.failed());
  if (session.has_report()) {
    ReportOptions options = OptionsFor(session, Detail::kAll);
    // The rest of the page shows these, and a hint to `benchctl show` would lead to this page.
    options.session.clear();
    options.commits.clear();
    options.seed.reset();
    text += RenderFindings(session.report(), options, style);
  }
  return text.empty() ? text : text + "\n";
}

// Renders the commands that repeat the session, export its runs and recompute its numbers.
std::string Again(const v1::Session& session, std::span<const TableColumn> columns) {
  if (!session.has_spec() || !session.has_started()) return "";
  std::string text = "again: " + ReplayCommand(session.spec(), session.started().seed()) + "\n";
  text += "data: benchctl export " + Printable(session.session()) + " --format csv\n";
  if (session.spec().has_profile()) {
    text += "stacks: benchctl export " + Printable(session.session()) + " --format folded\n";
  }
  if (session.has_ended_at()) text += AnalyzeLine(ReplayAnalysis(session, columns));
  return text;
}

}  // namespace

std::string RenderSession(const v1::Session& session, std::span<const TableColumn> columns,
                          const UserNames& users, const Style& style, bool verbose) {
  std::string text = Outcome(session, style);
  const std::string worst = RenderWorstRuns(session.report(), style);
  if (!worst.empty()) text += worst + "\n";
  text += AlignColumns(Request(session, users)) + Again(session, columns);
  const Rows times = Times(session);
  if (!times.empty()) text += "\n" + AlignColumns(times);
  if (session.has_started()) text += Machine(session.started(), verbose, style);
  if (!session.log().empty()) {
    text += "\nlog:\n" + Printable(session.log(), /*keep_newlines=*/true);
  }
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string RenderQueue(const v1::QueueStatus& status) {
  std::string text = status.draining() ? "draining: no session is accepted or started"
                     : status.paused() ? "paused: no session starts"
                                       : "open";
  text += fmt::format("; {} queued, ", status.queued());
  text += status.running().empty() ? "none running" : Printable(status.running()) + " is running";
  if (status.has_reserved_by()) {
    text += fmt::format(", uid {} has reserved the machine", status.reserved_by());
  }
  return text + "\n";
}

namespace {

std::string Holder(const v1::MachineStatus& status) {
  if (status.holder() == "session") return "session " + Printable(status.session());
  if (status.holder() == "apply") return "an admin, until `benchctl machine restore`";
  if (status.holder() == "daemon") return "benchd, until it exits";
  if (!status.holder().empty()) return Printable(status.holder());
  return status.session().empty()
             ? "nobody"
             : "nobody: session " + Printable(status.session()) + " runs without isolation";
}

Rows MachineFacts(const v1::MachineStatus& status) {
  Rows rows = {{"profile", Printable(status.profile())}, {"held by", Holder(status)}};
  if (!status.benchmark_cpus().empty()) {
    rows.push_back({"benchmark cpus", CpuList(status.benchmark_cpus())});
  }
  if (!status.housekeeping_cpus().empty()) {
    rows.push_back({"housekeeping cpus", CpuList(status.housekeeping_cpus())});
  }
  AddFacts(status.environment(), &rows);
  return rows;
}

/// Wraps `text`, with its first line after `first` and the other lines indented by the same width.
std::string Paragraph(const std::string& first, const std::string& text, const Style& style) {
  const int indent = Width(first);
  std::string paragraph;
  std::string left = first;
  for (const std::string& line :
       WrapWords(OneLine(text), style.width > 0 ? style.width - indent : 0)) {
    paragraph += left + line + "\n";
    left = std::string(static_cast<std::size_t>(indent), ' ');
  }
  return paragraph;
}

}  // namespace

std::string RenderMachine(const v1::MachineStatus& status, const Style& style) {
  std::string text = RenderSettings(status.settings(), style);
  if (!text.empty()) text += "\n";
  text += AlignAndWrap(MachineFacts(status), style.width);
  if (!status.notes().empty()) text += "\n";
  for (const std::string& note : status.notes()) text += Paragraph("note: ", note, style);
  return text;
}

std::string RenderDoctor(const v1::DoctorResponse& response, const Style& style) {
  if (response.sources().empty()) {
    return "no noise sources found\n";
  }
  std::string text;
  for (int i = 0; i < response.sources_size(); ++i) {
    const v1::NoiseSource& source = response.sources(i);
    const std::string number = fmt::format("{}. ", i + 1);
    const std::string indent(number.size(), ' ');
    text += number + Paint(OneLine(source.name()), Tint::kBold, style);
    if (source.has_effect()) {
      text += ": " + FormatUnsigned(source.effect(), 2) + " of the CPU time, measured";
    }
    text += "\n" + Paragraph(indent, source.finding(), style);
    if (!source.advice().empty()) text += Paragraph(indent + "advice: ", source.advice(), style);
  }
  return text;
}

namespace {

constexpr int kSettingsGap = 2;
constexpr int kIndent = 2;
constexpr int kReasonIndent = 6;

using Row = std::vector<std::string>;

bool Changed(const v1::Setting& setting) {
  return !setting.at_end().empty() && setting.at_end() != setting.actual();
}

Row RowOf(const v1::Setting& setting, bool with_end) {
  Row row = {OneLine(setting.setting()), OneLine(setting.wanted()), OneLine(setting.actual()),
             setting.held() ? "yes" : "no"};
  if (with_end) row.push_back(Changed(setting) ? OneLine(setting.at_end()) : "");
  row.push_back(OneLine(setting.why()));
  return row;
}

/// Renders the last column of each row on separate lines below the row.
std::string ReasonsBelow(Rows rows, int width) {
  std::vector<std::string> reasons;
  for (Row& row : rows) {
    reasons.push_back(std::move(row.back()));
    row.pop_back();
  }
  reasons.front().clear();  // the heading
  const std::vector<std::string> table = Lines(AlignColumns(rows, kSettingsGap, kIndent));
  std::string text;
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += table[i] + "\n";
    if (reasons[i].empty()) continue;
    for (const std::string& line : WrapWords(reasons[i], width - kReasonIndent)) {
      text += std::string(kReasonIndent, ' ') + line + "\n";
    }
  }
  return text;
}

}  // namespace

std::string RenderSettings(const google::protobuf::RepeatedPtrField<v1::Setting>& settings,
                           const Style& style) {
  if (settings.empty()) return "";
  const bool with_end = std::ranges::any_of(settings, Changed);
  Rows rows = {with_end ? Row{"setting", "wanted", "actual", "held", "at end", "why not"}
                        : Row{"setting", "wanted", "actual", "held", "why not"}};
  for (const v1::Setting& setting : settings) rows.push_back(RowOf(setting, with_end));
  const bool has_room = RoomForLastColumn(rows, style.width, kSettingsGap, kIndent) > 0;
  if (style.width > 0 && !has_room) return ReasonsBelow(std::move(rows), style.width);
  return AlignAndWrap(rows, style.width, kSettingsGap, kIndent);
}

}  // namespace benchd::client
