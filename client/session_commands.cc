#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/display.h"
#include "client/follow.h"
#include "client/git/git_arms.h"
#include "client/git/worktree_store.h"
#include "client/interrupts.h"
#include "client/parsed_metrics.h"
#include "client/render/csv.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/spec_file.h"
#include "client/submission.h"
#include "client/terminal.h"
#include "client/users.h"

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

// The arms alone: their names and commits belong to what is told, and nothing else of the spec.
v1::SessionSpec ArmsOf(const v1::SessionSpec& spec) {
  v1::SessionSpec arms;
  *arms.mutable_benchmarks() = spec.benchmarks();
  return arms;
}

Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach) {
  const bool bisect = IsGiven(context.arguments, "bisect");
  if (bisect && detach) {
    return UsageError("--bisect: with --detach nobody waits for the verdict",
                      "leave one of the two out");
  }
  auto spec = ReadCompareSpec(context.arguments, context.json);
  if (!spec) return std::move(spec).error();
  const v1::Limits limits = spec->limits();
  const v1::SessionSpec arms = ArmsOf(*spec);
  Interrupts interrupts(bisect ? ExitCode::kBisectStop : ExitCode::kInterrupted);
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // An interrupt from here on waits for the answer: then there is a session to cancel.
  interrupts.React({[] {}, {}});
  auto submitted = SubmitSession(**link, *std::move(spec));
  if (!submitted) return std::move(submitted).error();
  // One that has failed already is followed in any case: its end is told at once.
  if (detach && !submitted->failed()) {
    PrintSubmitted(*submitted, arms, context.json);
    return ExitCode::kPass;
  }
  if ((*link)->status().has_reserved_by()) {
    std::cerr << "benchctl: " << WhoHasTheMachine((*link)->status()) << ": the session waits\n";
  }
  if (context.json) PrintCommits(submitted->session(), arms);
  const auto display = MakeDisplay(ChooseDisplay(context.json), submitted->session(), limits);
  auto followed =
      FollowSession(**link, submitted->session(), *display, interrupts, OnInterrupt::kCancel);
  if (!followed) return std::move(followed).error();
  *followed->session.mutable_spec() = arms;
  return ReportEnd(*followed, context.json);
}

}  // namespace

Result<ExitCode> RunCompare(const CommandContext& context) {
  return SubmitAnd(context, IsGiven(context.arguments, "detach"));
}

Result<ExitCode> RunSubmit(const CommandContext& context) {
  return SubmitAnd(context, /*detach=*/true);
}

namespace {

// Only a harness' metrics need to be described, and only in a session that has ended do they stay
// as they are.
Result<std::vector<TableColumn>> ReadColumns(v1::SessionService::Stub& stub,
                                             const v1::Session& session) {
  const bool parses = std::ranges::any_of(session.spec().benchmarks(), [](const auto& benchmark) {
    return !benchmark.parse().empty();
  });
  ParsedMetrics metrics;
  if (!parses || !session.has_ended_at()) return metrics.columns();
  v1::ListSamplesRequest request;
  request.set_session(session.session());
  request.set_with_warmup(true);
  request.set_with_metrics(true);
  grpc::ClientContext context;
  const auto reader = stub.ListSamples(&context, request);
  for (v1::ListSamplesResponse chunk; reader->Read(&chunk);) {
    for (const v1::Run& run : chunk.runs()) metrics.Learn(run);
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return FromStatus(status);
  return metrics.columns();
}

}  // namespace

Result<ExitCode> RunShow(const CommandContext& context) {
  auto id = OneSession(context, "show");
  if (!id) return std::move(id).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  v1::GetSessionRequest request;
  request.set_session(*id);
  request.set_with_log(IsGiven(context.arguments, "log"));
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto session = CallDaemon(*stub, &v1::SessionService::Stub::Get, request);
  if (!session) return std::move(session).error();
  if (context.json) {
    std::cout << SessionJson(*session, Now()) << "\n";
    return ExitCode::kPass;
  }
  auto columns = ReadColumns(*stub, *session);
  if (!columns) return std::move(columns).error();
  std::cout << RenderSession(*session, *columns, UserName, StyleOf(STDOUT_FILENO));
  return ExitCode::kPass;
}

Result<ExitCode> RunWatch(const CommandContext& context) {
  auto id = OneSession(context, "watch");
  if (!id) return std::move(id).error();
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // Its whole id, since a prefix may stop being unique, and its limits for the progress bar.
  v1::GetSessionRequest request;
  request.set_session(*id);
  const auto stub = v1::SessionService::NewStub((*link)->channel());
  auto session = CallDaemon(*stub, &v1::SessionService::Stub::Get, request);
  if (!session) return std::move(session).error();
  if (context.json) PrintCommits(session->session(), session->spec());
  const auto display =
      MakeDisplay(ChooseDisplay(context.json), session->session(), session->spec().limits());
  auto followed =
      FollowSession(**link, session->session(), *display, interrupts, OnInterrupt::kLeave);
  if (!followed) return std::move(followed).error();
  *followed->session.mutable_spec() = session->spec();
  return ReportEnd(*followed, context.json);
}

namespace {

// "csv" or "json"; --json is another way to say the latter.
Result<std::string> ReadFormat(const CommandContext& context) {
  const std::string* format = LastValue(context.arguments, "format");
  if (format == nullptr) return std::string(context.json ? "json" : "csv");
  if (*format != "csv" && *format != "json") {
    return UsageError("--format " + *format + ": unknown format", "write csv or json");
  }
  if (*format == "csv" && context.json) return UsageError("--format csv: --json says otherwise");
  return *format;
}

Result<std::vector<v1::Run>> ReadRuns(v1::SessionService::Stub& stub, const std::string& id,
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

Result<ExitCode> RunExport(const CommandContext& context) {
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
