#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/export_files.h"
#include "client/follow.h"
#include "client/git/git_arms.h"
#include "client/git/worktree_store.h"
#include "client/host.h"
#include "client/interrupts.h"
#include "client/render/csv.h"
#include "client/render/exports.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/run.h"
#include "client/spec_input.h"
#include "client/submission.h"
#include "client/terminal.h"

namespace benchd::client {
namespace {

Result<SpecInput> ReadInput(const ParsedArguments& arguments, const std::string& cwd) {
  const std::string* file = LastValue(arguments, "file");
  if (file == nullptr) return InputFromCommandLine(arguments);
  if (!arguments.positionals.empty() || IsGiven(arguments, "name") ||
      IsGiven(arguments, "reference")) {
    return UsageError(
        "--file " + *file + ": the commands come from the file or from the command line, not both",
        "leave out the commands, --name and --reference");
  }
  auto input = ReadSpecFile(*file, cwd);
  if (input) input->options = Overlay(std::move(input->options), CollectSessionOptions(arguments));
  return input;
}

Result<v1::SessionSpec> ReadCompareSpec(const ParsedArguments& arguments, bool silent) {
  auto caller = CaptureCaller();
  if (!caller) return std::move(caller).error();
  auto input = ReadInput(arguments, caller->context.cwd);
  if (!input) return std::move(input).error();
  auto commits = WantsCommits(*input);
  if (!commits) return std::move(commits).error();
  if (*commits) {
    auto filled = FillInCommits(&*input, &caller->context, silent);
    if (!filled) return std::move(filled).error();
  }
  return BuildCallersSpec(*input, *caller);
}

void PrintSubmitted(const v1::SubmitResponse& response, const v1::SessionSpec& arms, bool json) {
  if (json) {
    std::cout << SubmittedJson(response, arms, Now()) << "\n";
    return;
  }
  std::cout << response.session() << "\n";
  std::cerr << "benchctl: session " << response.session();
  if (response.position() > 0) std::cerr << ", place " << response.position();
  if (response.has_eta_seconds())
    std::cerr << ", starts in about " << FormatRough(response.eta_seconds());
  std::cerr << "; watch it: benchctl watch " << response.session() << "\n";
}

// What belongs to following a session, and nothing else of a spec that may be large.
v1::Session FollowedSession(const v1::SessionSpec& spec) {
  v1::Session session;
  *session.mutable_spec()->mutable_benchmarks() = spec.benchmarks();
  *session.mutable_spec()->mutable_limits() = spec.limits();
  return session;
}

// Says the end, and writes the exports that were asked for.
ExitCode ConcludeWatch(DaemonLink& link, const ExportFiles& files, const Followed& followed,
                       bool json);

Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach) {
  const bool bisect = IsGiven(context.arguments, "bisect");
  if (bisect && detach) {
    return UsageError("--bisect: with --detach nobody waits for the verdict",
                      "leave one of the two out");
  }
  auto exports = ExportFiles::Prepare(context.arguments);
  if (!exports) return std::move(exports).error();
  if (detach && !exports->empty()) {
    return UsageError("--detach: nobody waits for the result that is to be exported",
                      "when it is done: benchctl export ID --format F");
  }
  auto spec = ReadCompareSpec(context.arguments, context.json);
  if (!spec) return std::move(spec).error();
  v1::Session session = FollowedSession(*spec);
  Interrupts interrupts(bisect ? ExitCode::kBisectStop : ExitCode::kInterrupted);
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // An interrupt from here on waits for the answer: then there is a session to cancel.
  interrupts.React({[] {}, {}});
  auto submitted = SubmitSession(**link, *std::move(spec));
  if (!submitted) return std::move(submitted).error();
  // One that has failed already is followed in any case: its end is told at once.
  if (detach && !submitted->failed()) {
    PrintSubmitted(*submitted, session.spec(), context.json);
    return ExitCode::kPass;
  }
  if ((*link)->status().has_reserved_by()) {
    std::cerr << "benchctl: " << WhoHasTheMachine((*link)->status()) << ": the session waits\n";
  }
  session.set_session(submitted->session());
  if (context.json) PrintCommits(session);
  auto followed = FollowSession(**link, session, context.json, interrupts, OnInterrupt::kCancel);
  if (!followed) return std::move(followed).error();
  return ConcludeWatch(**link, *exports, *followed, context.json);
}

}  // namespace

Result<ExitCode> RunCompare(const CommandContext& context) {
  return SubmitAnd(context, IsGiven(context.arguments, "detach"));
}

Result<ExitCode> RunSubmit(const CommandContext& context) {
  return SubmitAnd(context, /*detach=*/true);
}

namespace {

Result<v1::Session> GetSession(DaemonLink& link, const std::string& id, bool with_log = false) {
  v1::GetSessionRequest request;
  request.set_session(id);
  request.set_with_log(with_log);
  return CallDaemon(link, &v1::SessionService::Stub::Get, request);
}

/// Hands every run of a session on, in their order.
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

// Only a harness' metrics need to be described, and only in a session that has ended do they stay
// as they are.
Result<std::vector<TableColumn>> ReadColumns(DaemonLink& link, const v1::Session& session) {
  const bool parses = std::ranges::any_of(session.spec().benchmarks(), [](const auto& benchmark) {
    return !benchmark.parse().empty();
  });
  ParsedMetrics metrics;
  if (!parses || !session.has_ended_at()) return metrics.columns();
  v1::ListSamplesRequest request;
  request.set_session(session.session());
  request.set_with_warmup(true);
  request.set_with_metrics(true);
  auto read = ReadRuns(link, request, [&metrics](v1::Run&& run) { metrics.Learn(run); });
  if (!read) return std::move(read).error();
  return metrics.columns();
}

}  // namespace

Result<ExitCode> RunShow(const CommandContext& context) {
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  auto session = GetSession(**link, context.word, IsGiven(context.arguments, "log"));
  if (!session) return std::move(session).error();
  if (context.json) {
    std::cout << MessageLine("session", session->session(), *session, Now()) << "\n";
    return ExitCode::kPass;
  }
  auto columns = ReadColumns(**link, *session);
  if (!columns) return std::move(columns).error();
  std::cout << RenderSession(*session, *columns, UserName, StyleOf(STDOUT_FILENO));
  return ExitCode::kPass;
}

Result<ExitCode> RunWatch(const CommandContext& context) {
  auto exports = ExportFiles::Prepare(context.arguments);
  if (!exports) return std::move(exports).error();
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // Its whole id, since a prefix may stop being unique, and its limits for the progress bar.
  auto session = GetSession(**link, context.word);
  if (!session) return std::move(session).error();
  if (context.json) PrintCommits(*session);
  auto followed = FollowSession(**link, *session, context.json, interrupts, OnInterrupt::kLeave);
  if (!followed) return std::move(followed).error();
  return ConcludeWatch(**link, *exports, *followed, context.json);
}

namespace {

// --json is another way to say --format json.
Result<const ExportFormat*> ReadFormat(const CommandContext& context) {
  const std::string* name = LastValue(context.arguments, "format");
  if (name == nullptr) return FindExportFormat(context.json ? "json" : "csv");
  const ExportFormat* const format = FindExportFormat(*name);
  if (format == nullptr) {
    std::vector<std::string_view> names;
    for (const ExportFormat& known : ExportFormats()) names.push_back(known.name);
    return UsageError("--format " + *name + ": unknown format", "write " + JoinWithOr(names));
  }
  if (format->name != "json" && context.json) {
    return UsageError("--format " + *name + ": conflicts with --json");
  }
  return format;
}

Result<std::vector<v1::Run>> MeasuredRuns(DaemonLink& link, const std::string& session,
                                          bool with_warmup) {
  v1::ListSamplesRequest request;
  request.set_session(session);
  request.set_with_warmup(with_warmup);
  std::vector<v1::Run> runs;
  auto read = ReadRuns(link, request, [&runs, with_warmup](v1::Run&& run) {
    if (run.phase() != v1::RUN_PHASE_WARMUP || with_warmup) runs.push_back(std::move(run));
  });
  if (!read) return std::move(read).error();
  return runs;
}

bool HasEnded(const v1::Session& session) {
  return session.state() == v1::SESSION_STATE_DONE || session.state() == v1::SESSION_STATE_FAILED ||
         session.state() == v1::SESSION_STATE_CANCELLED;
}

Result<void> WriteExports(DaemonLink& link, const ExportFiles& files, const std::string& id) {
  auto session = GetSession(link, id);
  if (!session) return std::move(session).error();
  std::vector<v1::Run> runs;
  if (files.WantsRuns()) {
    auto read = MeasuredRuns(link, id, /*with_warmup=*/false);
    if (!read) return std::move(read).error();
    runs = *std::move(read);
  }
  return files.Write([&](const ExportFormat& format) { return format.render(*session, runs); });
}

// The result has been told by then: what cannot be written takes nothing of it back.
ExitCode ConcludeWatch(DaemonLink& link, const ExportFiles& files, const Followed& followed,
                       bool json) {
  const ExitCode code = ReportEnd(followed, json);
  if (files.empty()) return code;
  const std::string& id = followed.session.session();
  if (!HasEnded(followed.session)) {
    std::cerr << "benchctl: nothing exported: session " << id
              << " has not ended; later: benchctl export " << id << " --format F\n";
    return code;
  }
  std::cout << std::flush;
  auto written = WriteExports(link, files, id);
  if (written) return code;
  PrintError(written.error());
  return code == ExitCode::kPass ? ExitCode::kFailed : code;
}

}  // namespace

Result<ExitCode> RunExport(const CommandContext& context) {
  auto format = ReadFormat(context);
  if (!format) return std::move(format).error();
  const bool with_warmup = IsGiven(context.arguments, "with-warmup");
  if (with_warmup && !(*format)->of_runs) {
    return UsageError("--with-warmup: " + std::string((*format)->name) + " has no runs",
                      "use it with --format csv or json");
  }
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  auto session = GetSession(**link, context.word);
  if (!session) return std::move(session).error();
  if (!(*format)->of_runs && !HasEnded(*session)) {
    return UsageError("export: session " + session->session() + " has not ended: no result yet",
                      "wait for it: benchctl watch " + session->session());
  }
  std::vector<v1::Run> runs;
  if ((*format)->of_runs) {
    auto read = MeasuredRuns(**link, session->session(), with_warmup);
    if (!read) return std::move(read).error();
    runs = *std::move(read);
  }
  std::cout << (*format)->render(*session, runs);
  return ExitCode::kPass;
}

namespace {

std::string ValueOf(const ParsedArguments& arguments, std::string_view name) {
  const std::string* value = LastValue(arguments, name);
  return value == nullptr ? "" : *value;
}

}  // namespace

// Runs inside a session, as its caller; what it prints is the session's build log.
Result<ExitCode> RunBuildWorktrees(const CommandContext& context) {
  std::vector<std::string> trees;
  for (const GivenOption& option : context.arguments.options) {
    if (option.name == "tree") trees.push_back(option.value);
  }
  auto plan = ReadPlan(ValueOf(context.arguments, "root"), ValueOf(context.arguments, "repository"),
                       ValueOf(context.arguments, "build"), trees);
  if (!plan) return std::move(plan).error();
  const WorktreeStore store(*plan);
  auto opened = store.Open();
  if (!opened) return std::move(opened).error();
  for (const WorktreeOrder& order : plan->trees) {
    auto code = store.Provide(order);
    if (!code) return std::move(code).error();
    if (*code == 0) continue;
    std::cout << "error: building " << order.commit << ": exit code " << *code << std::endl;
    // The build's own, as any make hands on what its command ended with.
    return static_cast<ExitCode>(*code);
  }
  store.Clean({});
  return ExitCode::kPass;
}

}  // namespace benchd::client
