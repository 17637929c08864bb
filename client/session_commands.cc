#include <algorithm>
#include <iostream>

#include "benchd/v1/session.grpc.pb.h"
#include "client/call.h"
#include "client/commands.h"
#include "client/follow.h"
#include "client/git/git_arms.h"
#include "client/git/worktree_store.h"
#include "client/host.h"
#include "client/interrupts.h"
#include "client/render/csv.h"
#include "client/render/json.h"
#include "client/render/pages.h"
#include "client/render/sentence.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "client/session_runs.h"
#include "client/spec_input.h"
#include "client/submission.h"

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
  *session.mutable_spec()->mutable_rule() = spec.rule();
  return session;
}

Result<v1::Session> GetSession(DaemonLink& link, const std::string& id, bool with_log = false) {
  v1::GetSessionRequest request;
  request.set_session(id);
  request.set_with_log(with_log);
  return CallDaemon(link, &v1::SessionService::Stub::Get, request);
}

// Prints the end of a session that was followed; of several candidates with their order, which is
// left out where its runs cannot be had.
ExitCode FinishFollowing(DaemonLink& link, const Followed& followed, bool json,
                         const ResultChoice& choice) {
  const bool ordered = !json && !choice.bisect && choice.detail != Detail::kVerdict &&
                       followed.session.state() == v1::SESSION_STATE_DONE &&
                       SeveralCandidates(followed.session.report());
  std::vector<ArmPairs> pairs;
  if (ordered) {
    const auto whole = GetSession(link, followed.session.session());
    auto read = whole ? ReadArmPairs(link, *whole) : Result<std::vector<ArmPairs>>(pairs);
    if (read) pairs = *std::move(read);
  }
  return ReportEnd(followed, json, choice, pairs);
}

Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach) {
  const bool bisect = IsGiven(context.arguments, "bisect");
  if (bisect && detach) {
    return UsageError("--bisect: with --detach nobody waits for the verdict",
                      "leave one of the two out");
  }
  auto choice = ReadResultChoice(context.arguments);
  if (!choice) return std::move(choice).error();
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
  auto followed = FollowSession(**link, session, context.json, interrupts, OnInterrupt::kCancel,
                                choice->detail == Detail::kVerdict);
  if (!followed) return std::move(followed).error();
  return FinishFollowing(**link, *followed, context.json, *choice);
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
  auto choice = ReadResultChoice(context.arguments);
  if (!choice) return std::move(choice).error();
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
  auto pairs = ReadArmPairs(**link, *session);
  if (!pairs) return std::move(pairs).error();
  std::cout << RenderSession(*session, *columns, *pairs, UserName, choice->StyleOfStdout());
  return ExitCode::kPass;
}

Result<ExitCode> RunWatch(const CommandContext& context) {
  auto choice = ReadResultChoice(context.arguments);
  if (!choice) return std::move(choice).error();
  Interrupts interrupts;
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  // Its whole id, since a prefix may stop being unique, and its limits for the progress bar.
  auto session = GetSession(**link, context.word);
  if (!session) return std::move(session).error();
  if (context.json) PrintCommits(*session);
  auto followed = FollowSession(**link, *session, context.json, interrupts, OnInterrupt::kLeave,
                                choice->detail == Detail::kVerdict);
  if (!followed) return std::move(followed).error();
  return FinishFollowing(**link, *followed, context.json, *choice);
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

}  // namespace

Result<ExitCode> RunExport(const CommandContext& context) {
  auto format = ReadFormat(context);
  if (!format) return std::move(format).error();
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  auto session = GetSession(**link, context.word);
  if (!session) return std::move(session).error();
  const bool with_warmup = IsGiven(context.arguments, "with-warmup");
  v1::ListSamplesRequest request;
  request.set_session(session->session());
  request.set_with_warmup(with_warmup);
  std::vector<v1::Run> runs;
  auto read = ReadRuns(**link, request, [&runs, with_warmup](v1::Run&& run) {
    if (run.phase() != v1::RUN_PHASE_WARMUP || with_warmup) runs.push_back(std::move(run));
  });
  if (!read) return std::move(read).error();
  std::cout << (*format == "csv" ? RunsToCsv(runs, *session) : ExportJson(*session, runs) + "\n");
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
