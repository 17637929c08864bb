#include "client/present/similarity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "client/app/command.h"
#include "client/app/output.h"
#include "client/commands/command_options.h"
#include "client/link/host.h"
#include "client/link/step_aside.h"
#include "client/present/live_view.h"
#include "client/present/text.h"
#include "client/present/words.h"
#include "client/request/quantity.h"
#include "client/request/table_file.h"
#include "client/terminal/interrupts.h"
#include "client/terminal/terminal.h"
#include "core/analysis/similarity_analysis.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

/// The maximum number of files assessed at once, however many CPUs there are, because a file of the
/// maximum size takes 100 MB of memory.
constexpr std::size_t kAtOnce = 8;

Result<void> SetShape(const std::string& text, RunsLayout* layout) {
  const std::size_t times = std::min(text.find('x'), text.size());
  const auto runs = ParseCount(text.substr(0, times));
  const auto values = ParseCount(std::string_view(text).substr(std::min(times + 1, text.size())));
  if (!runs || !values || *runs == 0 || *values == 0) {
    return UsageError("--shape " + text + ": expected RUNSxVALUES", "write --shape 10x3000");
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
    TRY_VOID(SetShape(*shape, &request.layout));
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
      return UsageError(file + ": raw doubles do not contain the number of runs",
                        "add --shape RxN, such as --shape 10x3000");
    }
  }
  return {};
}

Result<std::vector<RunSetReport>> AssessOne(const std::string& path,
                                            const SimilarityRequest& request) {
  TRY(auto file, TableFile::Open(path));
  TRY(auto data, file.ReadAll());
  Result<std::vector<RunSetReport>> sets = AssessFile(data, request);
  if (!sets) return PrintableError(sets.error()).Within(file.name());
  return std::move(sets).value();
}

/// Assesses the files on several threads and shows the progress.
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
    const std::string count = fmt::format("{} of {} files  ", done_, files_.size());
    const double share = static_cast<double>(done_) / static_cast<double>(files_.size());
    const int room = std::min(60, style.width - Width(count));
    screen_->Draw({count + ProgressBar(share, room, style)}, style.width);
  }

  const std::vector<std::string>& files_;
  const SimilarityRequest& request_;
  std::atomic<std::size_t> next_ = 0;
  Answers answers_;  // each element is written by one thread
  std::mutex mutex_;
  std::size_t done_ = 0;  // guarded by mutex_, like screen_
  std::optional<LiveScreen> screen_;
};

Result<ExitCode> RunSimilarity(const CommandContext& context) {
  TRY(auto request, ReadSimilarityOptions(context.arguments));
  const std::vector<std::string>& files = context.arguments.positionals;
  TRY_VOID(CheckFiles(files, request.layout.format == RunsFormat::kRaw));
  const Interrupts interrupts;  // Ctrl-C ends this process
  StepAside(context.link);
  auto answers = Batch(files, request).Assess();
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
      for (const std::string& line : SimilarityJson(file, request.options, Now())) {
        std::cout << line << "\n";
      }
    }
  } else if (!assessed.empty()) {
    std::cout << RenderSimilarity(assessed, request.options, StyleOf(STDOUT_FILENO));
  }
  if (failed) return *std::move(failed);
  return ExitCode::kPass;
}

}  // namespace

Command SimilarityCommand() {
  return {
      .name = "similarity",
      .usage = "[OPTIONS] FILE...",
      .summary = "assess how similar the runs of a benchmark are",
      .words = Words::kOwn,
      .run = RunSimilarity,
      .options = SimilarityOptions(),
      .description =
          "Reads CSV with one column per run or with rows `run,value`, JSON with one array of "
          "numbers per run, JSON from JMH (-rf json), or raw doubles with --shape. With several "
          "files, prints one row per file.\n"
          "The result is advice and never decides a gate; see docs/similarity.md.",
      .examples = {
          {"Do the runs of a benchmark resemble each other?", "benchctl similarity runs.csv"},
          {"Read ten runs of 3000 raw doubles each:",
           "benchctl similarity --shape 10x3000 runs.f64"}}};
}

}  // namespace benchd::client
