#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/ci/calibration.h"
#include "client/ci/ci_run.h"
#include "client/ci/outcome.h"
#include "client/ci/plan.h"
#include "client/commands/ci_calibration.h"
#include "client/commands/command_options.h"
#include "client/commands/compare.h"
#include "client/git/repository.h"
#include "client/link/daemon_link.h"
#include "client/link/host.h"
#include "client/present/exports.h"
#include "client/present/json.h"
#include "client/present/markdown.h"
#include "client/present/markdown_limit.h"
#include "client/present/words.h"
#include "client/report/page.h"
#include "client/report/report_source.h"
#include "client/request/quantity.h"
#include "client/session/session_export.h"
#include "client/session/session_runs.h"
#include "core/base/file.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

std::vector<OptionInfo> OwnOptionsOfCi() {
  constexpr std::string_view kJob = "CI";
  return {
      {"base", 0, "REF",
       "compare with this commit (default: by the variables of the CI system; needed where they "
       "name none, as in a scheduled job)",
       kJob},
      {"fail-on", 0, "regression|undecided|never",
       "verdict that fails the job; a session that fails always does (default: regression)", kJob},
      {"results", 'o', "DIR", "write all files below DIR (default: benchd-ci)", kJob},
      {"comment", 0, "NAME",
       "name in the hidden marker of the comment, if a pull request has several (default: "
       "benchd)",
       kJob},
      {"calibrate", 0, "DURATION",
       "compare the base with itself for so long, and state what this runner can show (default: "
       "30s; 0 turns it off)",
       kJob},
      {"dry-run", 0, "", "print what would be run and where each value comes from", kJob}};
}

// The options of `compare` that do not fit two commits of a job.
constexpr std::array<std::string_view, 3> kNotOfJobs = {"git", "reference", "against"};

std::vector<OptionInfo> CiOptions() {
  std::vector<OptionInfo> options = OwnOptionsOfCi();
  for (const auto& more : {CompareOptions(false), ResultOptions()}) {
    for (const OptionInfo& option : more) {
      if (std::ranges::find(kNotOfJobs, option.name) == kNotOfJobs.end()) options.push_back(option);
    }
  }
  return options;
}

std::string ValueOr(const ParsedArguments& arguments, std::string_view name, const char* usual) {
  const std::string* const value = LastValue(arguments, name);
  return value == nullptr ? usual : *value;
}

Result<std::string> ReadWholeFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return UsageError(path + ": " + std::strerror(errno));
  constexpr std::size_t kMost = std::size_t{256} * 1024 * 1024;
  TRY(std::string text, ReadAll(file.get(), path, kMost));
  if (text.size() > kMost) return UsageError(path + ": larger than 256 MiB");
  return text;
}

Result<CiFiles> FilesOf(const ParsedArguments& arguments) {
  std::string folder = ValueOr(arguments, "results", "benchd-ci");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (folder.empty()) return UsageError("--results: empty folder name", "write --results DIR");
  return CiFiles(folder);
}

// Removes the files of an earlier job, which must not be taken for the result of this one.
Result<void> RemoveFiles(const CiFiles& files) {
  for (const std::string& file : files.All()) {
    std::error_code error;
    fs::remove(file, error);
    if (error) return UsageError(file + ": " + error.message());
  }
  return {};
}

// Reads the seconds of --calibrate.
Result<double> ReadCalibrate(const ParsedArguments& arguments) {
  const std::string text = ValueOr(arguments, "calibrate", "30s");
  if (text == "0") return 0.0;
  auto seconds = ParseDuration(text);
  if (!seconds) return std::move(seconds).error().Within("--calibrate " + text);
  return seconds;
}

Result<CiPlan> MakePlan(const ParsedArguments& arguments, const CiFiles& files) {
  const std::string comment = ValueOr(arguments, "comment", "benchd");
  TRY_VOID(CheckCommentName(comment));
  TRY(const double calibrate_seconds, ReadCalibrate(arguments));
  TRY(auto run, ReadCiRun({.variable = Variable, .file = ReadWholeFile}));
  if (const std::string* base = LastValue(arguments, "base")) SetBase(&run, *base);
  if (run.base.value.empty()) {
    return UsageError("ci: " + run.base.source, "add --base REF, such as --base HEAD~1");
  }
  CiPlan plan{.run = std::move(run),
              .fail_on = ReadFailOn(ValueOr(arguments, "fail-on", "regression")),
              .comment_name = comment,
              .files = files,
              .summary = Variable("GITHUB_STEP_SUMMARY"),
              .outputs = Variable("GITHUB_OUTPUT"),
              .compared = {},
              .command = {}};
  plan.compared = ComparedArguments(arguments, OwnOptionsOfCi(), plan.run, plan.files);
  const std::vector<OptionInfo> known = WithEveryOption(CompareOptions(true));
  plan.command = ComparedCommand(plan.compared, known);
  plan.calibrate_seconds = calibrate_seconds;
  if (calibrate_seconds > 0) {
    plan.calibration = CalibrationCommand(plan.compared, calibrate_seconds, known);
  }
  return plan;
}

// Finds both commits in the clone. `compare` would say the same of a missing one, but not which
// variable names it, and not how to deepen the clones of this CI system. It also judges whether
// both may be the same.
Result<CommitPair> FindCommits(const CiRun& run) {
  std::error_code ignored;
  TRY(const auto repository, Repository::Open(fs::current_path(ignored).string()));
  const auto explained = [&](Error error) {
    if (repository.IsShallow()) error.hint = "this is a shallow clone: " + std::string(run.deepen);
    return error;
  };
  for (const auto& [what, commit] : {std::pair{"base", &run.base}, {"head", &run.head}}) {
    auto found = repository.Resolve(commit->value);
    if (found) continue;
    return explained(std::move(found).error().Within(what + (" from " + commit->source)));
  }
  TRY(const auto range, ParseRange(run.Range()));
  auto pair = repository.Resolve(range, /*may_be_same=*/true);
  if (!pair) return explained(std::move(pair).error());
  return pair;
}

// The folder of our files, and the files to which other steps also write.
struct Places {
  std::optional<NewFile> summary;
  std::optional<NewFile> outputs;

  static Result<Places> Prepare(const CiPlan& plan) {
    std::error_code error;
    fs::create_directories(plan.files.folder, error);
    if (error) return UsageError("--results " + plan.files.folder + ": " + error.message());
    Places places;
    if (!plan.summary.empty()) {
      auto file = NewFile::Prepare(plan.summary, NewFile::If::kAppend);
      if (!file) return std::move(file).error().Within("GITHUB_STEP_SUMMARY");
      places.summary = *std::move(file);
    }
    if (!plan.outputs.empty()) {
      auto file = NewFile::Prepare(plan.outputs, NewFile::If::kAppend);
      if (!file) return std::move(file).error().Within("GITHUB_OUTPUT");
      places.outputs = *std::move(file);
    }
    return places;
  }
};

Result<void> WriteNew(const std::string& path, const std::string& text) {
  TRY(const auto file, NewFile::Prepare(path));
  return file.Write(text);
}

// What a comparison left behind: an ended session, or the reason why there is none.
struct Compared {
  Result<ExitCode> code;
  std::optional<SessionExport> session;
  std::string commit;  // of both sides, if they are the same
  CiCalibration calibration = {};

  bool Passed() const { return code && *code == ExitCode::kPass; }
  // Returns "none" if nothing was judged: for example, somebody detached from the session.
  std::string_view Verdict() const {
    if (!code || (!session && commit.empty())) return "none";
    return VerdictFor(*code);
  }
};

std::string MarkdownOf(const Compared& compared, const CiRun& run) {
  if (compared.session) {
    const auto& outlook = compared.calibration.outlook;
    return RenderMarkdown(compared.session->session, {.commits = run.commits, .job = run.job}) +
           (outlook ? "\n" + OutlookMarkdown(*outlook) : "");
  }
  if (!compared.code) return NoVerdictMarkdown(compared.code.error());
  if (!compared.commit.empty() && compared.Passed()) {
    return FindExportFormat("markdown")->render_same(SameCommitSentence(compared.commit));
  }
  return NoVerdictMarkdown(UsageError("the session has not ended"));
}

Result<void> AppendSummary(const NewFile& file, const std::string& markdown) {
  const std::size_t there = file.BytesThere();
  const std::string apart = there > 0 ? "\n" : "";  // lest the text continue a table
  const std::size_t room = kSummaryBytes - std::min(there + apart.size(), kSummaryBytes);
  return file.Write(apart + ShortenMarkdown(markdown, room));
}

// Writes everything that is read after the job: by people, by later steps, and as a comment.
Result<void> Deliver(const CiPlan& plan, const Places& places, const Compared& compared) {
  const CiFiles& files = plan.files;
  const std::string markdown = MarkdownOf(compared, plan.run);
  const std::string comment = CommentOf(plan.comment_name, markdown);
  CiOutputs outputs{.verdict = compared.Verdict(),
                    .session = {},
                    .number = plan.run.number,
                    .fork = plan.run.fork,
                    .comment = files.comment,
                    .changes = Json::array()};
  if (compared.session) {
    outputs.session = compared.session->session.session();
    outputs.changes = ChangesOf(compared.session->session.report());
    TRY_VOID(WriteNew(files.history, ExportJson(compared.session->session, {}) + "\n"));
    const ReportSource source = SourceOfSession(compared.session->session, compared.session->runs);
    TRY_VOID(WriteNew(files.report, RenderReportPage({&source, 1})));
  }
  TRY_VOID(WriteNew(files.markdown, ShortenMarkdown(markdown, kSummaryBytes)));
  TRY_VOID(WriteNew(files.comment, comment));
  TRY_VOID(WriteNew(files.changes, Line(outputs.changes) + "\n"));
  if (const auto& outlook = compared.calibration.outlook) {
    const std::string line = OutlookJson(*outlook, compared.calibration.session, Now());
    TRY_VOID(WriteNew(files.calibration, line + "\n"));
  }
  TRY_VOID(WriteNew(files.dotenv, DotenvOutputs(outputs)));
  if (places.summary) TRY_VOID(AppendSummary(*places.summary, markdown));
  if (places.outputs) TRY_VOID(places.outputs->Write(GithubOutputs(outputs)));
  return {};
}

// Asks the daemon for what an export leaves out, such as geometric means and forecasts. Without an
// answer, the export has to do.
void CompleteSession(LinkOptions options, v1::Session* session) {
  options.may_start = false;
  auto link = DaemonLink::Open(options);
  if (!link) return;
  auto whole = GetSession(**link, session->session());
  if (whole) *session = *std::move(whole);
}

// Runs `compare` and reads what it exported. A failed comparison is a result, too.
Compared Compare(const CommandContext& context, const CiPlan& plan) {
  Compared compared{.code = ExitCode::kFailed, .session = {}, .commit = {}};
  const auto commits = FindCommits(plan.run);
  if (!commits) {
    compared.code = commits.error();
    return compared;
  }
  const bool same = commits->base.id == commits->candidate.id;
  if (same) compared.commit = commits->base.id;
  if (!same && !plan.calibration.empty()) {
    compared.calibration = CalibrateRunner(context, plan);
    if (compared.calibration.interrupted) {
      compared.code = ExitCode::kInterrupted;
      return compared;
    }
  }
  if (!context.json) {
    const bool known = plan.run.event != CiEvent::kOther;
    std::cerr << "benchctl: " << plan.run.system << (known ? ", " + plan.run.EventText() : "")
              << ": " << plan.command << "\n";
  }
  CommandContext of_compare = context;
  of_compare.arguments = plan.compared;
  compared.code = FindCommand("compare")->run(of_compare);
  std::error_code none;
  if (!compared.code || !fs::exists(plan.files.session, none)) return compared;
  const auto text = ReadWholeFile(plan.files.session);
  auto session = text ? ReadSessionExport(*text, ExportedRuns::kRead) : text.error();
  if (session) {
    compared.session = *std::move(session);
    CompleteSession(context.link, &compared.session->session);
  } else {
    compared.code = std::move(session).error();
  }
  return compared;
}

Result<ExitCode> RunCi(const CommandContext& context) {
  const bool dry = IsGiven(context.arguments, "dry-run");
  TRY(const auto files, FilesOf(context.arguments));
  // Even a job whose commits are unknown leaves no result of an earlier one.
  if (!dry) TRY_VOID(RemoveFiles(files));
  TRY(const auto plan, MakePlan(context.arguments, files));
  if (context.json) {
    std::cout << CiPlanJson(plan, Now()) << std::endl;
  } else if (dry) {
    std::cout << RenderCiPlan(plan);
  }
  if (dry) return ExitCode::kPass;
  TRY(const auto places, Places::Prepare(plan));
  const Compared compared = Compare(context, plan);
  std::cout << std::flush;
  const Result<void> delivered = Deliver(plan, places, compared);
  if (!compared.code) {
    if (!delivered) PrintError(delivered.error());
    return compared.code.error();
  }
  if (!delivered) return OutputFailed(delivered.error());
  return ExitForJob(*compared.code, plan.fail_on);
}

}  // namespace

Command CiCommand() {
  return {
      .name = "ci",
      .usage = "[OPTIONS] -- COMMAND [ARGS]...",
      .summary = "compare the commits of a CI job and write its results",
      .words = Words::kOwn,
      .run = RunCi,
      .options = CiOptions(),
      .description =
          "Reads the variables of GitHub Actions, GitLab CI/CD, Jenkins or Buildkite, finds the "
          "commits that the job is about, and runs `benchctl compare --git BASE..HEAD` with the "
          "other options. The base is the common ancestor of a pull request and its target, or the "
          "commit before a push. Elsewhere, --base names it.\n"
          "Before that, it compares the base with itself for half a minute, and states the "
          "smallest change that this runner shows, a gate that it can decide, and each margin that "
          "is too small for the time given.\n"
          "Writes below --results: session.json, history.json (the same without the runs, for "
          "history --exports), runs.csv, junit.xml, report.html, verdict.md, comment.md (for a "
          "pull request), changes.json, calibration.json and benchd.env (the outputs for GitLab). "
          "Appends the verdict to the file that GITHUB_STEP_SUMMARY names. Appends the outputs "
          "verdict, session, changes, comment, pull-request and fork to the one that GITHUB_OUTPUT "
          "names.\n"
          "The exit code is that of compare, except that --fail-on decides which verdicts fail.",
      .examples = {{"Compare what a pull request adds, or a push:",
                    "benchctl ci --build make --max-time 10m -- ./bench"},
                   {"Compare the benchmarks of a suite, also failing if it remains open:",
                    "benchctl ci --build make --fail-on undecided -f suite.toml"},
                   {"Compare with the last release in a scheduled job:",
                    "benchctl ci --base v1.2 --build make -- ./bench"},
                   {"See what a job would run:", "benchctl ci --dry-run --build make -- ./bench"}}};
}

}  // namespace benchd::client
