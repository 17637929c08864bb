#include "client/commands/explain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchd/v1/session.grpc.pb.h"
#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/git/bundle.h"
#include "client/git/git.h"
#include "client/git/git_arms.h"
#include "client/git/worktree_plan.h"
#include "client/present/explanation.h"
#include "client/present/findings.h"
#include "client/present/json.h"
#include "client/present/stacks.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/report/flame_graph.h"
#include "client/request/explaining_spec.h"
#include "client/request/quantity.h"
#include "client/session/conclusion.h"
#include "client/session/session_runs.h"
#include "client/session/submission.h"
#include "client/terminal/terminal.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/profile.h"
#include "core/model/session_spec.h"

namespace benchd::client {
namespace {

// What the command line asks for.
struct ExplainingOptions {
  ExplainingChoice choice = {};
  std::optional<std::uint64_t> runs = {};
  std::optional<double> max_time_seconds = {};
  FunctionsShown shown = FunctionsShown::kWhatMatters;
  std::string svg = {};  ///< file of the flame graph; empty: none
};

Result<ExplainingOptions> ReadExplainingOptions(const ParsedArguments& arguments) {
  ExplainingOptions options;
  if (const std::string* text = LastValue(arguments, "frequency"); text != nullptr) {
    auto hz = ParseCount(*text);
    if (!hz || *hz < kLeastSampleHz || *hz > kMostSampleHz) {
      return UsageError(fmt::format("--frequency {}: not a number from {} to {}", *text,
                                    kLeastSampleHz, kMostSampleHz),
                        "write --frequency 1000");
    }
    options.choice.frequency_hz = static_cast<std::uint32_t>(*hz);
  }
  const std::string* chain = LastValue(arguments, "call-graph");
  if (chain != nullptr && *chain == "dwarf") options.choice.call_graph = v1::CALL_GRAPH_DWARF;
  if (const std::string* text = LastValue(arguments, "runs"); text != nullptr) {
    auto runs = ParseCount(*text);
    if (!runs) return std::move(runs).error().Within("--runs " + *text);
    options.runs = *runs;
  }
  if (const std::string* text = LastValue(arguments, "max-time"); text != nullptr) {
    auto seconds = ParseDuration(*text);
    if (!seconds) return std::move(seconds).error().Within("--max-time " + *text);
    options.max_time_seconds = *seconds;
  }
  for (const GivenOption& option : arguments.options) {
    if (option.name == "only") options.choice.only.push_back(option.value);
  }
  if (IsGiven(arguments, "all-functions")) options.shown = FunctionsShown::kAll;
  if (const std::string* path = LastValue(arguments, "svg"); path != nullptr) {
    TRY_VOID(NewFile::Prepare(*path));  // reports a typo before anything runs
    options.svg = *path;
    if (IsGiven(arguments, "detach")) {
      return UsageError("--svg: --detach does not wait for the result",
                        "draw it after the session: benchctl explain ID --svg FILE");
    }
  }
  return options;
}

bool IsOfCaller(const v1::Session& session, const DaemonLink& link) {
  return session.uid() == link.uid();
}

// Returns the caller's newest comparison with a result that is not itself an explanation.
Result<v1::Session> NewestComparison(DaemonLink& link) {
  v1::ListSessionsRequest request;
  request.set_all(true);
  request.set_state(v1::SESSION_STATE_DONE);
  do {
    TRY(auto page, CallDaemon(link, &v1::SessionService::Stub::List, request));
    for (const v1::Session& session : page.sessions()) {
      const bool fits = IsOfCaller(session, link) && !session.spec().has_profile();
      if (fits && CheckExplainable(session)) return GetSession(link, session.session());
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return UsageError("explain: you have no comparison that has ended",
                    "start one with benchctl compare --explain");
}

std::vector<std::string> CommitsOf(const v1::BuildPlan& plan) {
  std::vector<std::string> commits;
  for (const v1::BuildTree& tree : plan.trees()) commits.push_back(tree.commit());
  return commits;
}

// Returns whether each worktree of the plan is still there.
bool AreBuilt(const v1::BuildPlan& plan) {
  return std::ranges::all_of(plan.trees(), [&plan](const v1::BuildTree& tree) {
    std::error_code error;
    const WorktreeOrder order{tree.commit(), tree.key(), tree.layout_seed()};
    return std::filesystem::exists(WorktreePlaces(plan.root(), order).built, error);
  });
}

bool HasCommits(const std::string& repository, const std::vector<std::string>& commits) {
  return std::ranges::all_of(commits, [&repository](const std::string& commit) {
    auto end = Git("", repository).Run({"cat-file", "-e", commit + "^{commit}"});
    return end && end->code == 0;
  });
}

// Returns whether the commits of the session are still where its build looks for them. A clone on
// the machine of --host cannot be asked.
bool KeepsCommits(const v1::Session& session, const DaemonLink& link) {
  for (const v1::Benchmark& benchmark : session.spec().benchmarks()) {
    if (!benchmark.hooks().has_build_plan()) continue;
    const v1::BuildPlan& plan = benchmark.hooks().build_plan();
    const std::vector<std::string> commits = CommitsOf(plan);
    if (link.remote() != nullptr) {
      const auto& place = link.remote()->builds;
      const bool all = place && std::ranges::all_of(commits, [&place](const std::string& commit) {
                         return std::ranges::find(place->commits, commit) != place->commits.end();
                       });
      if (plan.from_bundle() && !all) return false;
      continue;
    }
    const bool kept = plan.from_bundle() ? ReceivedRepository(plan.repository()).Has(commits)
                                         : AreBuilt(plan) || HasCommits(plan.repository(), commits);
    if (!kept) return false;
  }
  return true;
}

// Sets the environment of the caller, and warns of variables that the session had and the caller
// lacks, such as those of --env.
void SetEnvironment(const v1::Session& session, CallerContext caller, v1::SessionSpec* spec) {
  if (spec->benchmarks(0).hooks().has_build_plan()) RemovePlaceVariables(&caller);
  *spec->mutable_environment() = {caller.environment.begin(), caller.environment.end()};
  const std::vector<std::string> missing = MissingVariables(session, *spec);
  if (missing.empty()) return;
  std::cerr << "warning: the session had variables that are not set now: "
            << Printable(SomeOf(missing)) << "\n";
}

// The time limit of a session that states none.
double UsualMaxTimeSeconds() { return Seconds(Limits().max_time); }

// Sets the number of blocks and the time limit, and returns what they can show.
std::string PlanRuns(const v1::Session& session, const ExplainingOptions& options,
                     v1::SessionSpec* spec) {
  const double max_time = options.max_time_seconds.value_or(UsualMaxTimeSeconds());
  const ExplainingCost cost = CostOf(session, *spec);
  const ExplainingPlan plan = PlanOf(*spec, cost, max_time, options.runs);
  spec->mutable_limits()->set_runs(plan.blocks);
  spec->mutable_limits()->set_max_time_seconds(max_time);
  return PlanSentence(plan, StyleOf(STDERR_FILENO));
}

// The sampled session while it runs, and the one that it explains.
struct Explaining {
  v1::Session explained;
  FunctionsShown shown = FunctionsShown::kWhatMatters;
  ResultChoice result = {};
  bool json = false;
};

bool HasExplanation(const v1::Session& session) {
  return session.state() == v1::SESSION_STATE_DONE && session.report().explanations_size() > 0;
}

void PrintExplanations(const v1::Session& session, const Explaining& explaining) {
  const Style style = explaining.result.StyleOfStdout();
  const v1::Update& report = session.report();
  if (explaining.result.detail == Detail::kVerdict) {
    std::cout << ExplanationHeadlines(report, style);
    return;
  }
  std::cout << RenderExplanations(report, explaining.shown, style)
            << RenderWarnings(report, WarningsShown::kToActOn, style);
  for (const v1::Explanation& one : report.explanations()) {
    const std::string beside = MeasuredBeside(one, explaining.explained, style);
    if (!beside.empty()) std::cout << WrapSentence(beside, style);
  }
  std::cout << Paint("details: benchctl show " + Printable(session.session()), Tint::kDim, style)
            << "\n";
}

// Prints the end of a sampled session, and returns the exit code.
ExitCode ReportExplanation(const Followed& followed, const Explaining& explaining) {
  if (!HasExplanation(followed.session)) return ReportEnd(followed, explaining.json, {});
  if (!explaining.json) PrintExplanations(followed.session, explaining);
  std::cout << std::flush;
  return ExitCode::kPass;
}

// Returns the file of one of several pictures: "flame-parse.svg".
std::string PathOf(const std::string& path, const FlamePair& pair, const std::string& candidate) {
  std::filesystem::path file = path;
  std::string name = file.stem().string();
  for (std::string part : {pair.benchmark, candidate}) {
    std::ranges::replace(part, '/', '_');
    if (!part.empty()) name += "-" + part;
  }
  return file.replace_filename(name + file.extension().string()).string();
}

// Draws the flame graphs of a sampled session. With several explanations, each has its own file.
Result<void> WriteFlames(DaemonLink& link, const v1::Session& session, const std::string& path) {
  TRY(const auto runs, ReadRunsOf(link, session, {.measured = true, .stacks = true}));
  const bool layouts = session.spec().method() == v1::METHOD_LAYOUTS;
  const std::vector<FlamePair> pairs =
      FlamePairsOf(session.report(), SumStacks(runs.measured, layouts));
  if (pairs.empty()) return Error{ErrorCode::kUnavailable, path + ": the session kept no stacks"};
  std::set<std::string> taken;
  for (const FlamePair& pair : pairs) {
    const auto is_of_same = [&pair](const FlamePair& one) {
      return one.benchmark == pair.benchmark;
    };
    const bool several_arms = std::ranges::count_if(pairs, is_of_same) > 1;
    std::string own =
        pairs.size() == 1 ? path : PathOf(path, pair, several_arms ? pair.candidate.name : "");
    // Other names may differ only in characters that a file's name cannot have.
    for (int i = 2; !taken.insert(own).second; ++i) {
      own = PathOf(path, pair, fmt::format("{}-{}", pair.candidate.name, i));
    }
    TRY(const auto file, NewFile::Prepare(own));
    TRY_VOID(file.Write(FlameGraphFile(pair)));
    std::cerr << "benchctl: flame graph: " << own << "\n";
  }
  return {};
}

// Draws the flame graphs, if there is anything to draw. Returns the exit code of the command.
ExitCode AfterFlames(DaemonLink& link, const v1::Session& session, const std::string& path,
                     ExitCode code) {
  if (path.empty() || !HasExplanation(session)) return code;
  const auto written = WriteFlames(link, session, path);
  return written ? code : OutputFailed(written.error());
}

Result<v1::SubmitResponse> SubmitSampled(DaemonLink& link, const v1::SessionSpec& spec,
                                         bool follows, Interrupts& interrupts) {
  return SubmitSession(link, spec,
                       {.sent = [&interrupts] { interrupts.Defer(); }, .follows = follows});
}

Result<Followed> FollowSampled(DaemonLink& link, const v1::SessionSpec& spec,
                               const v1::SubmitResponse& submitted, const Explaining& explaining,
                               Interrupts& interrupts) {
  v1::Session session = SessionToFollow(spec);
  session.set_session(submitted.session());
  if (explaining.json) PrintCommits(session);
  return FollowSession(link, session, {.progress = ProgressOf(explaining.json, explaining.result)},
                       interrupts);
}

void PrintPlan(const std::string& sentence, const Explaining& explaining) {
  if (explaining.json || explaining.result.detail == Detail::kVerdict) return;
  std::cerr << "benchctl: explaining session " << explaining.explained.session() << ": " << sentence
            << "\n";
}

// Shows the explanation of a session that was sampled before.
Result<ExitCode> ShowAgain(DaemonLink& link, const v1::Session& session, Explaining explaining) {
  const std::string& explained = session.spec().profile().explains();
  auto other = explained.empty() ? Result<v1::Session>(v1::Session()) : GetSession(link, explained);
  if (other) explaining.explained = *std::move(other);  // else it was deleted
  if (!HasEnded(session.state())) return NotEnded(session);
  if (!explaining.json) {
    return ReportExplanation({.session = session}, explaining);
  }
  v1::SessionEvent event;
  event.set_session(session.session());
  *event.mutable_time() = session.ended_at();
  if (session.has_failed()) {
    *event.mutable_failed() = session.failed();
  } else if (session.has_cancelled()) {
    *event.mutable_cancelled() = session.cancelled();
  } else {
    *event.mutable_verdict() = session.report();
  }
  std::cout << EventJson(event) << std::endl;
  return HasExplanation(session) ? ExitCode::kPass : ExitFor(session);
}

void PrintDetached(const v1::SubmitResponse& submitted, const v1::SessionSpec& spec, bool json) {
  if (json) {
    std::cout << SubmittedJson(submitted, spec, Now()) << "\n";
    return;
  }
  std::cout << submitted.session() << "\n";
  std::cerr << "benchctl: session " << submitted.session() << "; show its result: benchctl explain "
            << submitted.session() << "\n";
}

Result<ExitCode> RunExplain(const CommandContext& context) {
  TRY(const auto options, ReadExplainingOptions(context.arguments));
  TRY(auto choice, ReadResultChoice(context.arguments));
  const bool detach = IsGiven(context.arguments, "detach");
  // Created before the threads of gRPC, which inherit its signal mask.
  Interrupts interrupts;
  std::unique_ptr<DaemonLink> link;
  TRY(const auto caller, CaptureCaller(context.link, &link));
  TRY_VOID(OpenOnce(context.link, &link));
  TRY(auto session,
      context.word.empty() ? NewestComparison(*link) : GetSession(*link, context.word));
  Explaining explaining{session, options.shown, choice, context.json};
  if (session.spec().has_profile()) {
    TRY(const auto code, ShowAgain(*link, session, std::move(explaining)));
    return AfterFlames(*link, session, options.svg, code);
  }
  TRY_VOID(CheckExplainable(session));
  TRY_VOID(CheckRepeatable(session, KeepsCommits(session, *link)));
  TRY(auto spec, ExplainingSpec(session, options.choice));
  SetEnvironment(session, caller.context, &spec);
  if (link->remote() == nullptr) TRY_VOID(CheckPlaces(spec));
  PrintPlan(PlanRuns(session, options, &spec), explaining);
  TRY(auto submitted, SubmitSampled(*link, spec, !detach, interrupts));
  if (detach && !submitted.failed()) {
    PrintDetached(submitted, spec, context.json);
    return ExitCode::kPass;
  }
  TRY(auto followed, FollowSampled(*link, spec, submitted, explaining, interrupts));
  const ExitCode code = ReportExplanation(followed, explaining);
  return AfterFlames(*link, followed.session, options.svg, code);
}

std::vector<OptionInfo> ExplainOptions() {
  std::vector<OptionInfo> options = {
      {"frequency", 0, "HZ", "samples per second of CPU time (default: 1000)", kThisCommand},
      {"call-graph", 0, "fp|dwarf",
       "how callers are found: by frame pointers, or by the unwind tables of the program (default: "
       "fp)",
       kThisCommand},
      {"runs", 'r', "N", "number of blocks (default: enough to see half of the change)",
       kThisCommand},
      {"max-time", 0, "D", "time limit, such as 2m (default: 10m)", kThisCommand},
      Repeatable({"only", 0, "PATTERN",
                  "explain the benchmarks that match (default: those that changed); repeatable",
                  kThisCommand}),
      {"svg", 0, "FILE", "draw a flame graph of the differences into FILE", kThisCommand},
      {"detach", 0, "", "submit the session, print its ID and exit", kThisCommand},
      {"all-functions", 0, "", "list all functions, not only those that changed and a few others",
       kResult}};
  for (const OptionInfo& option : ResultOptions()) {
    if (option.name != "verbose") options.push_back(option);
  }
  return options;
}

// Returns the time that the comparison has left of its limit.
double SecondsLeft(const v1::Session& session, const v1::Limits& limits) {
  constexpr double kLeastSeconds = 30;
  const double limit =
      limits.has_max_time_seconds() ? limits.max_time_seconds() : UsualMaxTimeSeconds();
  return std::max(kLeastSeconds, limit - session.report().elapsed_seconds());
}

Result<ExitCode> TryExplainAfter(DaemonLink& link, const v1::SessionSpec& submitted,
                                 const Explaining& explaining, Interrupts& interrupts) {
  ExplainingOptions options;
  options.max_time_seconds = SecondsLeft(explaining.explained, submitted.limits());
  v1::Session session = explaining.explained;
  RestoreVariables(submitted, session.mutable_spec());
  TRY(auto spec, ExplainingSpec(session, options.choice));
  *spec.mutable_environment() = submitted.environment();
  PrintPlan(PlanRuns(session, options, &spec), explaining);
  TRY(auto response, SubmitSampled(link, spec, true, interrupts));
  TRY(auto followed, FollowSampled(link, spec, response, explaining, interrupts));
  if (!explaining.json && HasExplanation(followed.session)) std::cout << "\n";
  return ReportExplanation(followed, explaining);
}

}  // namespace

ExitCode ExplainAfter(DaemonLink& link, const v1::Session& session,
                      const v1::SessionSpec& submitted, bool json, const ResultChoice& choice,
                      Interrupts& interrupts, ExitCode code) {
  if (session.state() != v1::SESSION_STATE_DONE || !HasChange(session.report())) return code;
  const Explaining explaining{session, FunctionsShown::kWhatMatters, choice, json};
  auto explained = TryExplainAfter(link, submitted, explaining, interrupts);
  if (!explained) PrintError(std::move(explained).error().Within("--explain"));
  return interrupts.interrupted() ? ExitCode::kInterrupted : code;
}

Command ExplainCommand() {
  return {
      .name = "explain",
      .usage = "[OPTIONS] [ID]",
      .summary = "find the functions that changed (default: in your newest comparison)",
      .words = Words::kSessionOrNewest,
      .run = RunExplain,
      .options = ExplainOptions(),
      .description =
          "Runs the arms of a comparison again, interleaved, and samples what they execute. Shows "
          "which functions take more or less CPU time a run, each with an interval. All intervals "
          "hold together at the confidence of the comparison.\n"
          "The sampled runs form a session of their own. They are never mixed with the runs that "
          "gave the verdict. Only the benchmarks and arms that changed run again, in the current "
          "environment. If ID is itself such a session, its explanation is shown again.\n"
          "The exit code is 0 if there is an explanation.",
      .examples = {{"Which functions made the candidate slower?", "benchctl explain"},
                   {"Explain one benchmark of a suite, for one minute at most:",
                    "benchctl explain --only parse --max-time 1m k3x9m2pq"}}};
}

}  // namespace benchd::client
