#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/commands/commands.h"
#include "client/link/host.h"
#include "client/present/analysis.h"
#include "client/present/csv.h"
#include "client/present/exports.h"
#include "client/present/live_view.h"
#include "client/present/similarity.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/table_file.h"
#include "client/request/table_options.h"
#include "client/session/follow.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/analysis/similarity_analysis.h"
#include "core/analysis/table_analysis.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

// What stands in the table is told by its place, after the name of the file.
Error TableError(const Error& error, const std::string& file) {
  Error told = PrintableError(error);
  return told.message.starts_with("line ") ? std::move(told).Within(file) : told;
}

// One metric without a direction needs it; one that has it and does not gate by itself has to be
// named, where its values have no relative change by a difference.
std::string HowToGate(const v1::Update& report) {
  const auto& all = report.comparisons();
  const auto unknown = std::ranges::find(all, v1::BETTER_UNSPECIFIED, &v1::Comparison::better);
  if (unknown != all.end()) {
    const std::string option = "--metric " + ShellQuoted(Printable(unknown->metric()));
    return "say which direction is good: " + option + ":lower or " + option + ":higher";
  }
  if (all.empty()) return "there is no metric to compare";
  const std::string option = "--metric " + ShellQuoted(Printable(all[0].metric()));
  const bool has_ratio = all[0].has_change();
  return "name what decides: " + option + (has_ratio ? "" : ":+ABS, a difference that counts");
}

ExitCode PrintAnalysis(const Analysis& analysis, bool mmtests_stars, bool json,
                       const ResultChoice& choice) {
  if (json) {
    std::cout << AnalysisJson(analysis, Now()) << "\n";
  } else {
    std::cout << RenderAnalysis(analysis, mmtests_stars, choice.detail, choice.StyleOfStdout());
  }
  if (analysis.has_gates) return ExitFor(analysis.verdict);
  std::cout << std::flush;
  std::cerr << "benchctl: no gate, so no verdict: " << HowToGate(analysis.verdict) << "\n";
  return ExitCode::kUndecided;
}

// As of a session that is done, but for what only a session has.
Result<void> WriteAnalysis(const ExportFiles& files, const Analysis& analysis,
                           const std::string& csv) {
  v1::Session session;
  session.set_state(v1::SESSION_STATE_DONE);
  *session.mutable_report() = analysis.verdict;
  return files.Write([&](const ExportFormat& format) {
    if (format.name == "csv") return csv;
    return format.of_runs ? AnalysisJson(analysis, Now()) + "\n" : format.render(session, {});
  });
}

Result<void> CheckTableFiles(const std::vector<std::string>& files, bool parse) {
  static constexpr char kUsage[] =
      "write benchctl analyze FILE.csv, or - for stdin; "
      "benchctl analyze --parse FORMAT OLD NEW for files of a harness";
  if (files.empty()) return UsageError("analyze: missing file", kUsage);
  for (const std::string& file : files) {
    if (file.empty()) return UsageError("analyze: a file has no name", kUsage);
  }
  if (std::ranges::count(files, "-") > 1) return UsageError("-: stdin is read once", kUsage);
  if (files.size() > 1 && !parse) return UsageError(files[1] + ": one table at a time", kUsage);
  return {};
}

// Names as they were given; of one name several times the files are one arm's. Without any the
// names of the files, or their paths where two are called the same; a file that is given again has
// a number behind it.
Result<std::vector<std::string>> ArmNames(const ParsedArguments& arguments,
                                          const std::vector<std::string>& files) {
  std::vector<std::string> names;
  for (const GivenOption& given : arguments.options) {
    if (given.name != "name") continue;
    if (given.value.empty() || !IsSendableText(given.value)) {
      return UsageError("--name " + given.value + ": not a name");
    }
    names.push_back(given.value);
  }
  if (!names.empty() && names.size() != files.size()) {
    return UsageError(
        "--name: " + Counted(names.size(), "name") + " for " + Counted(files.size(), "file"),
        "give each file its own: -n NAME, in their order");
  }
  if (!names.empty()) return names;
  for (const std::string& file : files) {
    names.push_back(Utf8Lossy(std::filesystem::path(file).stem().string()));
  }
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) == sorted.end()) return names;
  names.clear();
  std::map<std::string, std::size_t> times;
  for (const std::string& file : files) {
    const std::size_t time = ++times[file];
    names.push_back(Utf8Lossy(file) + (time > 1 ? "-" + std::to_string(time) : ""));
  }
  return names;
}

Result<std::vector<HarnessFile>> ReadHarnessFiles(const ParsedArguments& arguments) {
  const std::vector<std::string>& paths = arguments.positionals;
  auto names = ArmNames(arguments, paths);
  if (!names) return std::move(names).error();
  std::vector<HarnessFile> files;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto file = TableFile::Open(paths[i]);
    if (!file) return std::move(file).error();
    auto text = file->ReadAll();
    if (!text) return std::move(text).error();
    files.push_back({file->name(), (*names)[i], *std::move(text)});
  }
  return files;
}

// @param csv  the values as a table, where that is asked for
Result<TableReport> AnalyzeHarness(const ParsedArguments& arguments, std::string_view format,
                                   const benchd::TableOptions& options, std::string* csv) {
  auto files = ReadHarnessFiles(arguments);
  if (!files) return std::move(files).error();
  auto report = AnalyzeHarnessFiles(format, *files, options);
  if (!report) return PrintableError(report.error());
  if (IsGiven(arguments, "export-csv")) {
    const auto table = ReadHarnessTable(format, *files);
    if (table) *csv = TableToCsv(*table);
  }
  return report;
}

Result<TableReport> AnalyzeCsvFile(const std::string& path, const benchd::TableOptions& options) {
  auto file = TableFile::Open(path);
  if (!file) return std::move(file).error();
  auto report = AnalyzeTable([&file] { return file->Read(); }, options);
  if (!report) return TableError(report.error(), file->name());
  return report;
}

Result<ExitCode> RunAnalyze(const CommandContext& context) {
  auto options = ReadTableOptions(context.arguments);
  if (!options) return std::move(options).error();
  auto choice = ReadResultChoice(context.arguments);
  if (!choice) return std::move(choice).error();
  const std::string* format = LastValue(context.arguments, "parse");
  const std::vector<std::string>& files = context.arguments.positionals;
  if (auto ok = CheckTableFiles(files, format != nullptr); !ok) return std::move(ok).error();
  if (format == nullptr && IsGiven(context.arguments, "name")) {
    return UsageError("--name: a table names its arms itself", "use it with --parse");
  }
  if (format == nullptr && IsGiven(context.arguments, "export-csv")) {
    return UsageError("--export-csv: " + files.front() + " is that table already",
                      "use it with --parse");
  }
  auto exports = ExportFiles::Prepare(context.arguments);
  if (!exports) return std::move(exports).error();
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  std::string csv;
  Result<TableReport> report = format != nullptr
                                   ? AnalyzeHarness(context.arguments, *format, *options, &csv)
                                   : AnalyzeCsvFile(files.front(), *options);
  if (!report) return std::move(report).error();
  const Analysis analysis = AnalysisOf(std::move(report).value());
  const ExitCode code = PrintAnalysis(analysis, options->mmtests_stars, context.json, *choice);
  std::cout << std::flush;
  const auto written = WriteAnalysis(*exports, analysis, csv);
  return written ? code : OutputFailed(written.error());
}

// Empty where the option is not given.
Result<std::string> ColumnName(const ParsedArguments& arguments, const std::string& option) {
  const std::string* name = LastValue(arguments, option);
  if (name == nullptr) return std::string();
  if (name->empty()) return UsageError("--" + option + ": missing column name");
  if (!IsSendableText(*name)) return UsageError("--" + option + " " + *name + ": not valid UTF-8");
  return *name;
}

Result<AgreementRequest> ReadAgreementOptions(const ParsedArguments& arguments) {
  AgreementRequest request;
  auto subjects = ColumnName(arguments, "subjects");
  if (!subjects) return std::move(subjects).error();
  request.subjects = *std::move(subjects);
  auto truth = ColumnName(arguments, "truth");
  if (!truth) return std::move(truth).error();
  request.truth = *std::move(truth);
  if (const std::string* raters = LastValue(arguments, "raters"); raters != nullptr) {
    for (std::string& name : SplitNames(*raters)) {
      if (name.empty()) {
        return UsageError("--raters " + *raters + ": empty name", "write --raters anna,ben");
      }
      if (!IsSendableText(name)) return UsageError("--raters " + *raters + ": not valid UTF-8");
      request.raters.push_back(std::move(name));
    }
  }
  return request;
}

Result<ExitCode> RunAgreement(const CommandContext& context) {
  auto request = ReadAgreementOptions(context.arguments);
  if (!request) return std::move(request).error();
  auto file = TableFile::Open(context.word);
  if (!file) return std::move(file).error();
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  auto ratings = file->ReadAll();
  if (!ratings) return std::move(ratings).error();
  const Result<AgreementReport> report = AnalyzeAgreement(*ratings, *request);
  if (!report) return PrintableError(report.error()).Within(file->name());
  if (context.json) {
    std::cout << AgreementJson(*report, request->truth, Now()) << "\n";
  } else {
    std::cout << RenderAgreement(*report, request->truth, StyleOf(STDOUT_FILENO));
  }
  return ExitCode::kPass;
}

/// Most files under way at once, however many CPUs there are: to compare the most values that a
/// file may have takes a hundred MB.
constexpr std::size_t kAtOnce = 8;

Result<void> SetShape(const std::string& text, RunsLayout* layout) {
  const std::size_t times = std::min(text.find('x'), text.size());
  const auto runs = ParseCount(text.substr(0, times));
  const auto values = ParseCount(std::string_view(text).substr(std::min(times + 1, text.size())));
  if (!runs || !values || *runs == 0 || *values == 0) {
    return UsageError("--shape " + text + ": expected runs x values", "write --shape 10x3000");
  }
  *layout = {RunsFormat::kRaw, *runs, *values};
  return {};
}

Result<SimilarityRequest> ReadSimilarityOptions(const ParsedArguments& arguments) {
  SimilarityRequest request;
  if (const std::string* text = LastValue(arguments, "threshold"); text != nullptr) {
    const auto threshold = ParseNumber(*text);
    if (!threshold || *threshold < 0 || *threshold > 1) {
      return UsageError("--threshold " + *text + ": expected a number from 0 to 1",
                        "the default is 0.25, the paper's value");
    }
    request.options.threshold = *threshold;
  }
  if (const std::string* variant = LastValue(arguments, "variant"); variant != nullptr) {
    if (*variant == "shape") request.options.variant = SimilarityVariant::kShape;
  }
  if (const std::string* shape = LastValue(arguments, "shape"); shape != nullptr) {
    if (Result<void> set = SetShape(*shape, &request.layout); !set) return std::move(set).error();
  }
  request.cut_to_shortest = IsGiven(arguments, "cut");
  return request;
}

Result<void> CheckFiles(const std::vector<std::string>& files, bool raw) {
  static constexpr char kUsage[] = "write benchctl similarity FILE..., or - for stdin";
  if (files.empty()) return UsageError("similarity: missing file", kUsage);
  if (std::ranges::count(files, "-") > 1)
    return UsageError("-: stdin can be read only once", kUsage);
  for (const std::string& file : files) {
    if (file.empty()) return UsageError("similarity: empty file name", kUsage);
    if (file.ends_with(".f64") && !raw) {
      return UsageError(file + ": raw doubles do not say how many runs they are",
                        "add --shape RxN, such as --shape 10x3000");
    }
  }
  return {};
}

Result<std::vector<RunSetReport>> AssessOne(const std::string& path,
                                            const SimilarityRequest& request) {
  auto file = TableFile::Open(path);
  if (!file) return std::move(file).error();
  auto data = file->ReadAll();
  if (!data) return std::move(data).error();
  Result<std::vector<RunSetReport>> sets = AssessFile(*data, request);
  if (!sets) return PrintableError(sets.error()).Within(file->name());
  return std::move(sets).value();
}

/// Takes one file after the other, on several threads, and shows how far it is.
class Batch {
 public:
  using Answers = std::vector<std::optional<Result<std::vector<RunSetReport>>>>;

  Batch(const std::vector<std::string>& files, const SimilarityRequest& request)
      : files_(files), request_(request), answers_(files.size()) {}

  Answers Assess() {
    const bool draws = files_.size() > 1 && CanRedraw(STDERR_FILENO);
    if (draws) screen_.emplace(STDERR_FILENO);
    Draw();
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min({CpusOfThisThread(), kAtOnce, files_.size()}); ++i) {
      threads.emplace_back([this] { Work(); });
    }
    Work();
    for (std::thread& thread : threads) thread.join();
    screen_.reset();
    return std::move(answers_);
  }

 private:
  void Work() {
    for (std::size_t i = next_++; i < files_.size(); i = next_++) {
      answers_[i] = AssessOne(files_[i], request_);
      const std::lock_guard lock(mutex_);
      ++done_;
      Draw();
    }
  }

  void Draw() {
    if (!screen_) return;
    const Style style = StyleOf(STDERR_FILENO);
    const std::string count =
        std::to_string(done_) + " of " + std::to_string(files_.size()) + " files  ";
    const double share = static_cast<double>(done_) / static_cast<double>(files_.size());
    const int room = std::min(60, style.width - Width(count));
    screen_->Draw({count + ProgressBar(share, room, style)}, style.width);
  }

  const std::vector<std::string>& files_;
  const SimilarityRequest& request_;
  std::atomic<std::size_t> next_ = 0;
  Answers answers_;  // each is one thread's
  std::mutex mutex_;
  std::size_t done_ = 0;  // guarded by mutex_, as screen_
  std::optional<LiveScreen> screen_;
};

Result<ExitCode> RunSimilarity(const CommandContext& context) {
  auto request = ReadSimilarityOptions(context.arguments);
  if (!request) return std::move(request).error();
  const std::vector<std::string>& files = context.arguments.positionals;
  auto checked = CheckFiles(files, request->layout.format == RunsFormat::kRaw);
  if (!checked) return std::move(checked).error();
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  auto answers = Batch(files, *request).Assess();
  std::vector<AssessedFile> assessed;
  std::optional<Error> failed;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (*answers[i]) {
      assessed.push_back({files[i], std::move(**answers[i])});
      continue;
    }
    if (failed) PrintError(*failed);
    failed = std::move(answers[i]->error());
  }
  if (context.json) {
    for (const AssessedFile& file : assessed) {
      for (const std::string& line : SimilarityJson(file, request->options, Now())) {
        std::cout << line << "\n";
      }
    }
  } else if (!assessed.empty()) {
    std::cout << RenderSimilarity(assessed, request->options, StyleOf(STDOUT_FILENO));
  }
  if (failed) return *std::move(failed);
  return ExitCode::kPass;
}

}  // namespace

Command AnalyzeCommand() {
  return {
      .name = "analyze",
      .usage = "[OPTIONS] FILE...|-",
      .summary = "analyze exported runs or other measurements",
      .words = Words::kOwn,
      .run = RunAnalyze,
      .options = AnalyzeOptions(),
      .description =
          "Computes the same statistics as `compare` from a table, without a daemon.\n"
          "A table is CSV with a header: the first column names the arm, every other column is a "
          "metric, except `role`, `benchmark`, `pair`, `order`, `started_at` and `exit_code`. "
          "Rows are analyzed in the order of the file.\n"
          "With --parse, files are what a harness wrote, the base's first: one look at runs that "
          "were not interleaved.",
      .examples = {
          {"Analyze what a session has measured:", "benchctl export k3x9m2pq | benchctl analyze -"},
          {"Latencies measured elsewhere, lower is better:",
           "benchctl analyze --base v1 --metric latency:lower latency.csv"},
          {"What hyperfine has written, before and after:",
           "benchctl analyze --parse hyperfine old.json new.json"}}};
}

Command SimilarityCommand() {
  return {
      .name = "similarity",
      .usage = "[OPTIONS] FILE...",
      .summary = "assess how similar the runs of a benchmark are",
      .words = Words::kOwn,
      .run = RunSimilarity,
      .options = SimilarityOptions(),
      .description =
          "A file is CSV with one column per run, or with rows `run,value`; or JSON, an array of "
          "numbers for each run or JMH's own result (-rf json); or raw doubles with --shape. "
          "Several files are assessed side by side.\n"
          "The result is advice and never decides a gate; see docs/similarity.md.",
      .examples = {
          {"Do the runs of a benchmark resemble each other?", "benchctl similarity runs.csv"},
          {"Ten runs of 3000 raw doubles each:", "benchctl similarity --shape 10x3000 runs.f64"}}};
}

Command AgreementCommand() {
  return {
      .name = "agreement",
      .usage = "[OPTIONS] FILE.csv|-",
      .summary = "measure how well raters agree (Fleiss' kappa)",
      .words = Words::kFile,
      .run = RunAgreement,
      .options = {{"subjects", 0, "COLUMN", "the column that names the subjects (default none)",
                   kThisCommand},
                  {"truth", 0, "COLUMN", "compare every other column with this one", kThisCommand},
                  {"raters", 0, "A,B,...", "the raters' columns (default all but the subjects')",
                   kThisCommand}},
      .description =
          "Reads CSV with a header, one row per subject and one column per rater; a rating may be "
          "any word, such as similar or dissimilar.",
      .examples = {{"How well do two methods agree with the reviewers?",
                    "benchctl agreement --subjects name --truth reviewers ratings.csv"}}};
}

}  // namespace benchd::client
