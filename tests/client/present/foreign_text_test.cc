// Text from one user never reaches another user's terminal as a control character, whichever
// function prints it.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/git/process.h"
#include "client/present/calibration.h"
#include "client/present/combination.h"
#include "client/present/csv.h"
#include "client/present/exports.h"
#include "client/present/findings.h"
#include "client/present/history.h"
#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/present/pages.h"
#include "client/present/report.h"
#include "client/present/sentence.h"
#include "client/present/similarity.h"
#include "client/present/text.h"
#include "client/report/flame_graph.h"
#include "client/report/page.h"
#include "client/request/replay.h"
#include "client/session/session_export.h"
#include "core/base/printable.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "tests/client/analysis_samples.h"
#include "tests/client/explanation_samples.h"
#include "tests/client/report_samples.h"
#include "tests/client/samples.h"
#include "tests/client/similarity_samples.h"

namespace benchd::client {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// A window title, a colour, CSI and NEL of C1, DEL, CR, and a change of the text direction. The
// letters show that the text was printed.
constexpr std::string_view kForeign =
    "FOREIGN\x1b]0;x\x07\x1b[31m\xc2\x9b"
    "5m\xc2\x85\x7f\r\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8";
// A list of its own, because the test must not rely on the product to recognise controls.
constexpr std::string_view kUnwanted[] = {
    "\x1b",         "\x07",         "\xc2\x9b", "\xc2\x85",     "\x7f",        "\r",
    "\xe2\x80\xae", "\xe2\x81\xa6", "\xd8\x9c", "\xe2\x80\x8f", "\xe2\x80\xa8"};

enum class WhichTexts { kPresent, kAll };

// Adds the text to every string of a message; with kAll, also to empty ones.
void Spoil(Message* message, WhichTexts which) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  const google::protobuf::Descriptor& type = *message->GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    const bool inner = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field->is_repeated()) {
      for (int j = 0; j < reflection.FieldSize(*message, field); ++j) {
        if (inner) Spoil(reflection.MutableRepeatedMessage(message, field, j), which);
        if (!text) continue;
        reflection.SetRepeatedString(
            message, field, j,
            reflection.GetRepeatedString(*message, field, j) + std::string(kForeign));
      }
    } else if (inner && reflection.HasField(*message, field)) {
      Spoil(reflection.MutableMessage(message, field), which);
    } else if (text) {
      const std::string value = reflection.GetString(*message, field);
      // Setting a member of a oneof would replace the one that is set.
      if (value.empty() &&
          (which == WhichTexts::kPresent || field->containing_oneof() != nullptr)) {
        continue;
      }
      reflection.SetString(message, field, value + std::string(kForeign));
    }
  }
}

template <typename M>
M Spoiled(M message, WhichTexts which = WhichTexts::kPresent) {
  Spoil(&message, which);
  return message;
}

std::string Foreign(std::string_view text = "") {
  return std::string(text) + std::string(kForeign);
}

std::string NameOfUser(std::uint32_t /*uid*/) { return Foreign("user"); }

v1::Session ForeignWhole(WhichTexts which) {
  v1::Session session = SampleSession();
  session.set_log("== base, block 0\nhello\n");
  v1::Benchmark* const benchmark = session.mutable_spec()->mutable_benchmarks(0);
  for (v1::Arm& arm : *benchmark->mutable_arms()) {
    arm.mutable_commit()->set_id(std::string(40, 'a'));
    arm.mutable_commit()->set_description("v1.2");
  }
  v1::Warning* const warning = session.mutable_report()->add_warnings();
  warning->set_code("metric_missing");
  warning->set_message("metric x is missing");
  return Spoiled(session, which);
}

v1::Session ForeignFailed() {
  v1::Session session = SampleSession();
  session.set_state(v1::SESSION_STATE_FAILED);
  *session.mutable_failed() = SampleFailed();
  return Spoiled(session);
}

v1::Session ForeignCancelled() {
  v1::Session session = SampleSession();
  session.set_state(v1::SESSION_STATE_CANCELLED);
  session.mutable_cancelled()->set_by("uid 7");
  return Spoiled(session);
}

v1::Session ForeignSuite() {
  v1::Session session = SampleSession();
  *session.mutable_report() = SuiteUpdate();
  v1::Benchmark second = session.spec().benchmarks(0);
  session.mutable_spec()->mutable_benchmarks(0)->set_name("parse");
  second.set_name("render a page");
  *session.mutable_spec()->add_benchmarks() = second;
  return Spoiled(session);
}

std::vector<v1::Session> ForeignSessions() {
  return {ForeignWhole(WhichTexts::kPresent),
          ForeignWhole(WhichTexts::kAll),
          ForeignFailed(),
          ForeignCancelled(),
          ForeignSuite(),
          Spoiled(SampledSession())};
}

std::vector<v1::Run> ForeignRuns() {
  std::vector<v1::Run> runs = SampleRuns();
  for (v1::Run& run : runs) Spoil(&run, WhichTexts::kPresent);
  for (v1::Run run : SampledRuns()) {
    Spoil(&run, WhichTexts::kPresent);
    for (v1::Sample& sample : *run.mutable_samples()) sample.set_metric("stack");
    runs.push_back(run);
  }
  return runs;
}

std::vector<HistorySeries> ForeignHistory() {
  std::vector<GateSummary> entries;
  for (int i = 0; i < 3; ++i) {
    GateSummary entry{.number = static_cast<std::uint64_t>(i) + 1,
                      .session = {Foreign("session")},
                      .benchmark = Foreign("parse"),
                      .metric = Foreign("wall_time"),
                      .unit = Foreign("u"),
                      .better = Better::kLower,
                      .reference = Foreign("base"),
                      .candidate = Foreign("new"),
                      .machine = Foreign("machine"),
                      .kernel = Foreign(std::to_string(i)),
                      .settings = Foreign("cpus=1")};
    if (i < 2) entry.candidate_commit = Commit{Foreign("abc"), i == 1 ? Foreign("v1") : ""};
    entry.mean_candidate = 1;
    entry.verdict = Verdict::kPass;
    entry.series = Foreign("85944171f73967e8");
    entry.command = Foreign("./run");
    entries.push_back(entry);
    entry.benchmark = "main";
    entry.candidate_commit.reset();
    entries.push_back(entry);
  }
  return MakeHistory(entries, {}).value();
}

TopState ForeignTop() {
  TopState state;
  state.queue.set_version("1.2.3");
  state.queue.set_running("k3x9m2pq");
  state.queue.set_reserved_by(7);
  Spoil(&state.queue, WhichTexts::kPresent);
  for (const char* name : {"cpu", "kernel"}) {
    v1::EnvironmentFact* const fact = state.machine.add_environment();
    fact->set_name(name);
    fact->set_value(Foreign("EPYC"));
  }
  for (const bool held : {true, false}) {
    v1::Setting* const setting = state.machine.add_settings();
    setting->set_setting(Foreign("governor"));
    setting->set_actual(Foreign("performance"));
    setting->set_held(held);
  }
  v1::Session queued = SampleSession();
  queued.set_state(v1::SESSION_STATE_QUEUED);
  state.sessions.push_back(Spoiled(queued));
  state.running.emplace();
  state.running->session = Foreign("k3x9m2pq");
  state.running->update = Spoiled(EarlyUpdate());
  state.note = OneLine(Foreign("note"));
  return state;
}

std::vector<v1::SessionEvent> ForeignEvents() {
  std::vector<v1::SessionEvent> events = {
      Event([](auto& e) { *e.mutable_started() = SampleStarted(); }),
      Event([](auto& e) { *e.mutable_update() = PausedUpdate(); }),
      Event([](auto& e) { *e.mutable_update() = SuiteUpdate(); }),
      Event([](auto& e) { *e.mutable_verdict() = RegressionUpdate(); }),
      Event([](auto& e) { *e.mutable_failed() = SampleFailed(); }),
      Event([](auto& e) { e.mutable_cancelled()->set_by("uid 7"); })};
  for (v1::SessionEvent& event : events) Spoil(&event, WhichTexts::kPresent);
  return events;
}

v1::MachineStatus ForeignMachine() {
  v1::MachineStatus status;
  status.set_profile("default");
  status.set_holder("session");
  status.set_session("k3x9m2pq");
  *status.mutable_settings() = SampleStarted().isolation();
  *status.mutable_environment() = SampleStarted().environment();
  status.add_notes("a note");
  return Spoiled(status, WhichTexts::kAll);
}

v1::DoctorResponse ForeignDoctor() {
  v1::DoctorResponse response;
  response.add_sources()->set_name("SMT");
  return Spoiled(response, WhichTexts::kAll);
}

MachineCombination ForeignCombination() {
  std::vector<MachineSession> sessions;
  for (int i = 0; i < 4; ++i) {
    const std::string machine = std::string(1, static_cast<char>('a' + i)) + std::string(31, '0');
    const auto read = ReadSessionExport(SampleExport(machine), ExportedRuns::kSkip);
    auto session = MachineSessionOf(read->session, Foreign("node" + std::to_string(i)));
    for (Comparison& comparison : session->gates) {
      comparison.benchmark = Foreign("main");
      comparison.reference = Foreign("base");
      comparison.candidate = Foreign("candidate");
      comparison.metric = Foreign("wall_time");
    }
    sessions.push_back(*std::move(session));
  }
  MachineCombination combination = CombineMachines(sessions, {}).value();
  combination.warnings.push_back({.code = "x", .message = Foreign("warning")});
  return combination;
}

std::vector<AssessedFile> ForeignAssessment(std::size_t files) {
  std::vector<AssessedFile> assessed(files, AssessedFile{Foreign("file"), SampleAssessment()});
  for (AssessedFile& file : assessed) {
    for (RunSetReport& set : file.sets) {
      set.name = Foreign("set");
      for (std::string& name : set.run_names) name += kForeign;
    }
  }
  return assessed;
}

AgreementReport ForeignAgreement() {
  AgreementReport report = SampleAgreement();
  for (std::string& name : report.raters) name += kForeign;
  for (std::string& name : report.categories) name += kForeign;
  return report;
}

Analysis ForeignAnalysis(Analysis analysis) {
  Spoil(&analysis.verdict, WhichTexts::kPresent);
  for (ArmSummary& arm : analysis.summaries) {
    for (std::string* const text : {&arm.benchmark, &arm.metric, &arm.arm}) *text += kForeign;
    for (std::string& name : arm.starred) name += kForeign;
  }
  for (ArmHistogram& arm : analysis.histograms) {
    for (std::string* const text : {&arm.benchmark, &arm.metric, &arm.arm}) *text += kForeign;
  }
  return analysis;
}

TrialReport ForeignTrial() {
  TrialReport report;
  report.rows = {{.name = Foreign("all"), .stretches = 2, .median_s = 1},
                 {.name = Foreign("none"), .refused = Foreign("why")}};
  report.nothing_held = Foreign("user mode");
  return report;
}

MeasurementTable ForeignTable() {
  MeasurementTable table;
  table.arms = {Foreign("base")};
  table.benchmarks = {Foreign("main")};
  table.metrics = {MetricInfo{.name = Foreign("wall_time")}};
  table.arm = {0};
  table.benchmark = {0};
  table.values = {{1.0}};
  return table;
}

// All output for a session or a table, by the function that prints it.
struct Printer {
  const char* name;
  std::function<std::string()> print;
};

template <typename Print>
std::string OfSessions(Print print) {
  std::string text;
  for (const v1::Session& session : ForeignSessions()) text += print(session);
  return text;
}

std::string JoinedLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

constexpr Style kForeignStyle{false, true, 120};

std::vector<Printer> Printers() {
  const google::protobuf::Timestamp now = Event([](auto&) {}).time();
  std::vector<Printer> printers = {
      {"show",
       [] {
         return OfSessions([](const v1::Session& session) {
           const TableColumn column{.metric = Foreign("metric"), .unit = Foreign("unit")};
           return RenderSession(session, std::span(&column, 1), NameOfUser, kForeignStyle);
         });
       }},
      {"show --json",
       [now] {
         return OfSessions([now](const v1::Session& session) {
           return MessageLine("session", session.session(), session, now);
         });
       }},
      {"show's worst runs",
       [] {
         v1::Update update;
         v1::WorstRun* const run = update.add_worst_runs();
         run->set_arm(Foreign("arm"));
         run->set_unit(Foreign("unit"));
         run->add_causes()->set_metric(Foreign("cause"));
         return RenderWorstRuns(update, kForeignStyle);
       }},
      {"list", [now] { return RenderList(ForeignSessions(), NameOfUser, now, kForeignStyle); }},
      {"compare",
       [] {
         return OfSessions([](const v1::Session& session) {
           std::string text;
           for (const Detail detail : {Detail::kVerdict, Detail::kUsual, Detail::kAll}) {
             text += RenderFindings(session.report(), OptionsFor(session, detail), kForeignStyle);
           }
           return text + RenderFailure(session.session(), session.failed());
         });
       }},
      {"compare --bisect",
       [] {
         return OfSessions(
             [](const v1::Session& session) { return RenderBisectStep(session, kForeignStyle); });
       }},
      {"watch",
       [] {
         LiveState state;
         state.session = Foreign("k3x9m2pq");
         std::string text;
         for (const v1::SessionEvent& event : ForeignEvents()) {
           if (!event.has_started() && !event.has_update()) continue;
           state.Apply(event);
           text += JoinedLines(RenderLiveView(state, kForeignStyle, 40));
         }
         return text;
       }},
      {"watch without a terminal",
       [] {
         PlainNarrator narrator(kForeignStyle);
         std::string text;
         double seconds = 0;
         for (const v1::SessionEvent& event : ForeignEvents()) {
           text += JoinedLines(narrator.Describe(event, seconds += 10));
         }
         return text;
       }},
      {"watch --json",
       [] {
         std::string text;
         for (const v1::SessionEvent& event : ForeignEvents()) text += EventJson(event) + "\n";
         return text;
       }},
      {"submit --json",
       [now] {
         v1::SubmitResponse response;
         response.set_session("k3x9m2pq");
         return SubmittedJson(Spoiled(response), ForeignWhole(WhichTexts::kAll).spec(), now) +
                CommitsJson(Foreign("id"), ForeignWhole(WhichTexts::kAll).spec(), now);
       }},
      {"top",
       [now] { return JoinedLines(RenderTop(ForeignTop(), NameOfUser, now, kForeignStyle, 60)); }},
      {"top without a terminal",
       [now] { return TopLine(ForeignTop(), NameOfUser, now, kForeignStyle); }},
      {"queue", [] { return RenderQueue(ForeignTop().queue); }},
      {"machine status", [] { return RenderMachine(ForeignMachine(), kForeignStyle); }},
      {"machine doctor", [] { return RenderDoctor(ForeignDoctor(), kForeignStyle); }},
      {"history list", [now] { return RenderHistoryList(ForeignHistory(), now, kForeignStyle); }},
      {"history", [now] { return RenderHistory(ForeignHistory(), {}, now, kForeignStyle); }},
      {"history --json", [now] { return JoinedLines(HistoryJson(ForeignHistory(), {}, now)); }},
      {"history -o", [] { return RenderHistoryPage(ForeignHistory(), Foreign("parse"), {}); }},
      {"history --svg", [] { return RenderHistoryPicture(ForeignHistory().front()); }},
      {"report",
       [] {
         std::vector<ReportSource> sources;
         for (const v1::Session& session : ForeignSessions()) {
           std::vector<v1::Run> runs = PairedRuns(10);
           for (v1::Run& run : runs) Spoil(&run, WhichTexts::kPresent);
           sources.push_back(SourceOfSession(session, runs));
         }
         return RenderReportPage(sources) + RenderReportPage(std::span(sources).first(1));
       }},
      {"explain --svg",
       [] {
         const v1::Session session = Spoiled(SampledSession());
         return FlameGraphFile(
             FlamePairsOf(session.report(), SumStacks(ForeignRuns(), false)).at(0));
       }},
      {"combine", [] { return RenderCombination(ForeignCombination(), 4, kForeignStyle); }},
      {"combine --json", [now] { return CombinationJson(ForeignCombination(), now); }},
      {"calibrate",
       [] { return RenderCalibration(CalibrationOf(Spoiled(RegressionUpdate())), kForeignStyle); }},
      {"calibrate --settings", [] { return RenderSettingTrial(ForeignTrial(), kForeignStyle); }},
      {"calibrate --settings --json", [now] { return SettingTrialJson(ForeignTrial(), now); }},
      {"analyze",
       [] {
         return RenderAnalysis(ForeignAnalysis(DecidedAnalysis()), false, Detail::kAll,
                               kForeignStyle) +
                RenderAnalysis(ForeignAnalysis(SummarizedAnalysis()), true, Detail::kAll,
                               kForeignStyle) +
                RenderAnalysis(ForeignAnalysis(DrawnAnalysis(2)), false, Detail::kAll,
                               kForeignStyle);
       }},
      {"analyze --json",
       [now] { return AnalysisJson(ForeignAnalysis(SummarizedAnalysis()), now); }},
      {"analyze --convert", [] { return TableToCsv(ForeignTable()); }},
      {"similarity",
       [] {
         return RenderSimilarity(ForeignAssessment(1), {}, kForeignStyle) +
                RenderSimilarity(ForeignAssessment(2), {}, kForeignStyle);
       }},
      {"similarity --json",
       [now] { return JoinedLines(SimilarityJson(ForeignAssessment(1).front(), {}, now)); }},
      {"agreement",
       [] { return RenderAgreement(ForeignAgreement(), Foreign("human"), kForeignStyle); }},
      {"agreement --json",
       [now] { return AgreementJson(ForeignAgreement(), Foreign("human"), now); }},
  };
  for (const ExportFormat& format : ExportFormats()) {
    printers.push_back({format.name.data(), [&format] {
                          return OfSessions([&format](const v1::Session& session) {
                            return format.render(session, ForeignRuns());
                          });
                        }});
  }
  return printers;
}

TEST(ForeignTextTest, IsHarmlessWhateverPrintsIt) {
  for (const Printer& printer : Printers()) {
    const std::string text = printer.print();
    EXPECT_NE(text.find("FOREIGN"), std::string::npos) << printer.name << " has none:\n" << text;
    for (const std::string_view unwanted : kUnwanted) {
      const std::size_t at = text.find(unwanted);
      EXPECT_EQ(at, std::string::npos)
          << printer.name << " has \\x" << std::hex << +static_cast<unsigned char>(unwanted.back())
          << ": ..." << text.substr(at > 60 ? at - 60 : 0, 60);
    }
  }
}

TEST(ForeignTextTest, LinesToPasteMeanTheSameToAShell) {
  std::vector<std::string> words = {"", "it's", Foreign("true "), "a\nb\t\\n'\\",
                                    "0\x01"
                                    "1\xFF\xC2 ä"};
  for (int byte = 1; byte < 256; ++byte)
    words.push_back("a" + std::string(1, static_cast<char>(byte)) + "7f");
  std::string command = "printf '%s\\0'";
  std::string expected;
  for (const std::string& word : words) {
    command += " " + PastedWord(word);
    expected += word + std::string(1, '\0');
    EXPECT_FALSE(HasControlCharacter(PastedWord(word)));
    EXPECT_FALSE(FirstInvalidUtf8(PastedWord(word)));
  }
  const auto end = RunProcess({.words = {"bash", "-c", command}});
  if (!end) GTEST_SKIP() << end.error().message;
  EXPECT_EQ(end->out, expected) << command << end->err;
}

TEST(ForeignTextTest, ACommandIsAskedForAgainAsItWas) {
  v1::Session session = SampleSession();
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->clear_env();
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(0)->set_command(Foreign("true "));
  const std::string again = ReplayCommand(session.spec(), 42);
  const auto end =
      RunProcess({.words = {"bash", "-c", "benchctl() { printf '%s\\0' \"$@\"; }; " + again}});
  if (!end) GTEST_SKIP() << end.error().message;
  EXPECT_NE(end->out.find(std::string(1, '\0') + Foreign("true ") + std::string(1, '\0')),
            std::string::npos)
      << again;
}

}  // namespace
}  // namespace benchd::client
