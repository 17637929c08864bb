#include "client/commands/compare.h"

#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "client/app/invocation.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/commands/explain.h"
#include "client/commands/saved_arm.h"
#include "client/git/git_arms.h"
#include "client/link/daemon_link.h"
#include "client/pool/pool.h"
#include "client/present/exports.h"
#include "client/present/json.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/self_comparison.h"
#include "client/request/spec_input.h"
#include "client/session/conclusion.h"
#include "client/session/follow.h"
#include "client/session/session_runs.h"
#include "client/session/submission.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"
#include "core/model/labels.h"

namespace benchd::client {
namespace {

Result<SpecInput> ReadInput(const ParsedArguments& arguments, const std::string& cwd, bool remote,
                            Purpose purpose) {
  const std::string* file = LastValue(arguments, "file");
  const bool measures = purpose == Purpose::kMeasure;
  if (file == nullptr) {
    return measures ? MeasuredInput(arguments) : InputWithStoredArm(arguments);
  }
  if (IsGiven(arguments, "benchmark")) {
    return UsageError("--benchmark: the benchmarks of " + *file + " have their own names",
                      "select benchmarks with --only PATTERN");
  }
  if (!arguments.positionals.empty() || IsGiven(arguments, "name") ||
      IsGiven(arguments, "reference") || IsGiven(arguments, "against")) {
    return UsageError(
        "--file " + *file + ": the commands come from the file or from the command line, not both",
        "omit the commands, --name, --reference and --against");
  }
  auto input = ReadSpecFile(*file, cwd, remote);
  if (input) input->measures = measures;
  if (input) input->options = Overlay(std::move(input->options), CollectSessionOptions(arguments));
  return input;
}

// Keeps the output of every benchmark in the session's log, for --show-output.
Result<void> KeepOutput(v1::SessionSpec* spec) {
  for (v1::Benchmark& benchmark : *spec->mutable_benchmarks()) {
    const v1::OutputKind output = benchmark.output();
    if (output != v1::OUTPUT_KIND_UNSPECIFIED && output != v1::OUTPUT_KIND_LOG) {
      const std::string place = output == v1::OUTPUT_KIND_FILE ? Printable(benchmark.output_path())
                                                               : std::string(Word(output));
      return UsageError("--show-output: --output sends the output to " + place,
                        "leave one of the two out");
    }
    benchmark.set_output(v1::OUTPUT_KIND_LOG);
  }
  return {};
}

void PrintBundleSize(const Bundle& bundle, bool json) {
  if (json) return;
  std::cerr << "benchctl: sending the commits, "
            << FormatQuantity(static_cast<double>(bundle.bytes), "B", StyleOf(STDERR_FILENO))
            << "\n";
}

Result<std::optional<Bundle>> TakeCommits(const DaemonLink* link, bool silent, SpecInput* input,
                                          CallerContext* caller) {
  if (link == nullptr) return FillInCommits(input, caller, silent);
  const auto& builds = link->remote()->builds;
  if (builds) return FillInCommits(input, caller, silent, &*builds);
  return ConnectionError(
      "--git: the remote benchctl cannot build the commits",
      "install the same version on both machines, and give the remote user a home directory");
}

// Returns the commits of a plan as BASE..CANDIDATE; empty without commits.
std::string RangeOf(const BuildPlan& plan) {
  return plan.trees.empty() ? "" : plan.trees.front().commit + ".." + plan.trees.back().commit;
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

// Prints the output of every run under a heading. An error is only printed, to keep the verdict.
void PrintOutput(DaemonLink& link, const std::string& id) {
  auto session = GetSession(link, id, /*with_log=*/true);
  if (!session) return PrintError(session.error());
  const bool raw = isatty(STDERR_FILENO) != 1;
  std::cerr << (raw ? session->log() : Printable(session->log(), /*keep_newlines=*/true));
}

std::string WhyNotMeasured(const std::string& commit) {
  return "both sides are the same commit, " + ShortId(commit) + ": nothing was measured";
}

// Prints the verdict of --same-is-pass for a comparison that would measure one commit twice.
ExitCode PassSameCommit(const CommitInput& same, const ExportFiles& files, bool json, bool bisect) {
  v1::Commit commit;
  commit.set_id(same.id);
  commit.set_description(same.description);
  const std::string why = WhyNotMeasured(same.id);
  const std::string sentence = SameCommitSentence(same.id);
  // This line has the same form as the other steps of a bisection (RenderBisectStep()).
  const std::string said = bisect ? "good: " + Printable(same.description) + ": " + why : sentence;
  std::cout << (json ? SameCommitJson(commit, Now()) : said) << std::endl;
  for (const std::string& option : files.OfRuns()) {
    std::cerr << "benchctl: " << option << ": not written: nothing was measured\n";
  }
  const auto written = files.Write([&](const ExportFormat& format) {
    return format.render_same == nullptr ? std::optional<std::string>()
                                         : format.render_same(sentence);
  });
  return written ? ExitCode::kPass : OutputFailed(written.error());
}

// Keeps the program for --save, whatever the verdict, if the session has finished.
ExitCode SaveAfter(const SaveOrder& order, const Followed& followed, ExitCode code) {
  std::cout << std::flush;
  if (followed.session.state() != v1::SESSION_STATE_DONE) {
    std::cerr << "benchctl: nothing saved as " << order.name << ": the session did not finish\n";
    return code;
  }
  auto saved = SaveProgram(order);
  if (saved) return code;
  PrintError(saved.error());
  return code == ExitCode::kPass ? ExitCode::kFailed : code;
}

// Rejects the options that need the end of the session.
Result<void> CheckDetach(const ParsedArguments& arguments) {
  if (IsGiven(arguments, "bisect")) {
    return UsageError("--bisect: --detach does not wait for the verdict", "leave one of them out");
  }
  if (IsGiven(arguments, "show-output")) {
    return UsageError("--show-output: --detach does not wait for the output",
                      "use --output log, and later benchctl show ID --log");
  }
  if (IsGiven(arguments, "explain")) {
    return UsageError("--explain: --detach does not wait for the verdict",
                      "explain it after the session: benchctl explain ID");
  }
  if (IsGiven(arguments, "save")) {
    return UsageError("--save: --detach does not wait for the end", "leave one of them out");
  }
  return {};
}

Result<ExitCode> RunCompare(const CommandContext& context) {
  if (OnlySaves(context.arguments)) return SaveCommand(context.arguments, context.json);
  if (IsGiven(context.arguments, "pool") && IsGiven(context.arguments, "explain")) {
    return UsageError("--explain: conflicts with --pool", "leave one of them out");
  }
  if (IsGiven(context.arguments, "pool"))
    return RunPool(context, WithEveryOption(CompareOptions(true)));
  for (const char* name : {"machines", "pool-folder", "dry-run"}) {
    if (!IsGiven(context.arguments, name)) continue;
    return UsageError("--" + std::string(name) + ": requires --pool", "add --pool slurm");
  }
  return SubmitAnd(context, IsGiven(context.arguments, "detach"));
}

}  // namespace

Result<Submission> ReadSubmission(const CommandContext& context, std::unique_ptr<DaemonLink>* link,
                                  Purpose purpose) {
  const ParsedArguments& arguments = context.arguments;
  TRY(auto caller, CaptureCaller(context.link, link));
  TRY(auto input, ReadInput(arguments, caller.context.cwd, *link != nullptr, purpose));
  TRY(auto commits, WantsCommits(input));
  if (purpose == Purpose::kCompare) TRY_VOID(PrepareCalibration(&input));
  if (commits && purpose == Purpose::kMeasure) {
    return UsageError("git: two commits are compared, not measured",
                      "use benchctl compare, or measure one checkout");
  }
  Submission submission;
  if (commits) {
    const bool silent = context.json || input.against_itself;
    TRY(auto taken, TakeCommits(link->get(), silent, &input, &caller.context));
    submission.bundle = std::move(taken);
  }
  if (input.same_commit) {
    submission.same_commit = std::move(input.same_commit);
    return submission;
  }
  TRY(auto spec, BuildCallersSpec(input, caller, *link != nullptr));
  submission.spec = std::move(spec);
  if (purpose == Purpose::kMeasure) TRY_VOID(SetPrecision(arguments, &submission.spec));
  submission.spec.set_invocation(InvocationOf(arguments, RangeOf(input.build_plan)));
  if (input.against_itself) {
    submission.planned = submission.spec;
    submission.planned->mutable_labels()->erase(kCalibrationLabel);
    CompareBaseWithItself(&submission.spec);
  }
  if (!IsGiven(arguments, "show-output")) return submission;
  TRY_VOID(KeepOutput(&submission.spec));
  return submission;
}

std::string SameCommitSentence(const std::string& id) { return "PASS: " + WhyNotMeasured(id); }

Result<void> SetPrecision(const ParsedArguments& arguments, v1::SessionSpec* spec) {
  constexpr double kUsual = 0.01;
  const std::string* const given = LastValue(arguments, "precision");
  const double of_file = spec->rule().precision_width();
  const bool exact_runs = spec->limits().has_runs();
  if (exact_runs && (given != nullptr || of_file > 0)) {
    return UsageError(std::string(given != nullptr ? "--precision" : "precision") +
                          ": cannot be combined with --runs, which stops at that number",
                      "leave one of them out");
  }
  if (given != nullptr) {
    auto width = ParsePrecision(*given, "--precision ");
    if (!width) return std::move(width).error().Within("--precision " + *given);
    spec->mutable_rule()->set_precision_width(*width);
  } else if (!exact_runs && !(of_file > 0)) {
    spec->mutable_rule()->set_precision_width(kUsual);
  }
  return {};
}

Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach, Purpose purpose) {
  if (detach) {
    TRY_VOID(CheckDetach(context.arguments));
  }
  TRY(auto choice, ReadResultChoice(context.arguments));
  TRY(auto exports, ExportFiles::Prepare(context.arguments));
  if (detach && !exports.empty()) {
    return UsageError("--detach: cannot export a result without waiting for it",
                      "export it after the session: benchctl export ID --format F");
  }
  const bool bisect = IsGiven(context.arguments, "bisect");
  // Created before the threads of gRPC, which inherit its signal mask.
  std::optional<Interrupts> interrupts;
  const auto leave_code = bisect ? ExitCode::kBisectStop : ExitCode::kInterrupted;
  if (context.link.host) interrupts.emplace(leave_code);
  std::unique_ptr<DaemonLink> link;
  TRY(auto submission, ReadSubmission(context, &link, purpose));
  if (submission.same_commit) {
    return PassSameCommit(*submission.same_commit, exports, context.json, bisect);
  }
  TRY(auto save, ReadSaveOrder(context.arguments, submission.spec));
  v1::Session session = SessionToFollow(submission.spec);
  if (!interrupts) interrupts.emplace(leave_code);
  TRY_VOID(OpenOnce(context.link, &link));
  const bool tells_cost = !context.json && !bisect && link->remote() == nullptr;
  if (tells_cost) WarnOfShellCost(submission.spec, link->status());
  const Bundle* bundle = submission.bundle ? &*submission.bundle : nullptr;
  if (bundle != nullptr) PrintBundleSize(*bundle, context.json);
  // From here on, an interrupt waits for the answer, so that the session can be cancelled.
  const auto sent = [&interrupts] { interrupts->React({[] {}, {}}); };
  const bool explains = IsGiven(context.arguments, "explain");
  const v1::SessionSpec asked = explains ? submission.spec : v1::SessionSpec();
  TRY(auto submitted, SubmitSession(*link, std::move(submission.spec),
                                    {.bundle = bundle, .sent = sent, .follows = !detach}));
  // A session that already failed is always followed, because its end arrives at once.
  if (detach && !submitted.failed()) {
    PrintSubmitted(submitted, session.spec(), context.json);
    return ExitCode::kPass;
  }
  if (link->status().has_reserved_by()) {
    std::cerr << "benchctl: " << WhoHasTheMachine(*link) << ": the session waits\n";
  }
  session.set_session(submitted.session());
  if (context.json) PrintCommits(session);
  // A bisection needs the verdict at once, so it may not detach.
  const Following following{.progress = ProgressOf(context.json, choice), .may_detach = !bisect};
  TRY(auto followed, FollowSession(*link, session, following, *interrupts));
  const bool shows = IsGiven(context.arguments, "show-output") && !followed.detached;
  if (shows) PrintOutput(*link, session.session());
  ExitCode code = ConcludeWatch(*link, exports, followed, context.json, choice);
  if (save) code = SaveAfter(*save, followed, code);
  if (!explains) return code;
  return ExplainAfter(*link, followed.session, asked, context.json, choice, *interrupts, code);
}

Command CompareCommand() {
  return {
      .name = "compare",
      .usage = "[OPTIONS] BASE CANDIDATE...",
      .summary = "compare two or more commands and give a verdict",
      .words = Words::kOwn,
      .run = RunCompare,
      .options = CompareOptions(true),
      .description =
          "Interleaves runs of the commands until it is clear whether a candidate is slower than "
          "the base by more than the margin. The exit code is the verdict: 0 pass, 1 regression, 3 "
          "undecided.\n"
          "Each command is one string. It is split by shell quoting rules and executed without a "
          "shell, so unquoted shell syntax such as <, |, $HOME or *.txt is refused. With --shell, "
          "`sh -c` runs it instead. The first command is the base, and every other command is "
          "compared with it.",
      .examples = {{"Does level 9 take more than 2 % longer than level 1?",
                    "benchctl compare 'gzip -1 -k -f data' 'gzip -9 -k -f data'"},
                   {"Gate on CPU time with a margin of 1 %, for two minutes at most:",
                    "benchctl compare --metric cpu_time:1% --max-time 2m ./old ./new"},
                   {"Compare the last tag with the working tree, both built by make:",
                    "benchctl compare --git v1.5..WORKTREE --build make -- ./bench --filter parse"},
                   {"Keep the current program as a reference:",
                    "benchctl compare --save main './bench --filter parse'"},
                   {"After the next build, compare it with the kept program:",
                    "benchctl compare --against main"},
                   {"Separate a code change from layout effects with eight builds of each commit:",
                    "benchctl compare --git v1.5..WORKTREE --build make --layouts 8 -- ./bench"},
                   {"Run the benchmarks of a suite that match a pattern:",
                    "benchctl compare -f suite.toml --only 'parse*'"},
                   {"Compare on another machine, over ssh:",
                    "benchctl compare --host ssh://ci@bench7 'a/bench' 'b/bench'"},
                   {"Get one verdict from eight machines of a Slurm cluster:",
                    "benchctl compare --pool slurm:bench --machines 8 --runs 30 ./old ./new"},
                   {"Which functions became slower, if any did:",
                    "benchctl compare --explain ./old ./new"}}};
}

}  // namespace benchd::client
