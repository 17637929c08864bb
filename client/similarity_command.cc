#include <grpcpp/client_context.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>

#include "benchd/v1/analysis.grpc.pb.h"
#include "client/commands.h"
#include "client/interrupts.h"
#include "client/live_screen.h"
#include "client/quantity.h"
#include "client/render/live_view.h"
#include "client/render/similarity.h"
#include "client/render/text.h"
#include "client/render/words.h"
#include "client/run.h"
#include "client/status_error.h"
#include "client/table_file.h"
#include "client/terminal.h"
#include "client/upload.h"

namespace benchd::client {
namespace {

/// Files under way at once: below what a daemon takes of one user, above the CPUs that most
/// machines keep for housekeeping.
constexpr std::size_t kAtOnce = 4;

Outcome<void> SetShape(const std::string& text, v1::SimilarityOptions* options) {
  const auto wrong = [&text] {
    return UsageError("--shape " + text + ": expected runs x values", "write --shape 10x3000");
  };
  const std::size_t times = text.find('x');
  if (times == std::string::npos) return wrong();
  const auto read = [&text](std::size_t begin, std::size_t end) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const char* const last = text.data() + end;
    const auto [at, failed] = std::from_chars(text.data() + begin, last, value);
    if (failed != std::errc() || at != last || value == 0) return std::nullopt;
    return value;
  };
  const auto runs = read(0, times);
  const auto values = read(times + 1, text.size());
  if (!runs || !values) return wrong();
  options->set_format(v1::RUNS_FORMAT_RAW);
  options->set_runs(*runs);
  options->set_values(*values);
  return {};
}

Outcome<v1::SimilarityOptions> ReadSimilarityOptions(const ParsedArguments& arguments) {
  v1::SimilarityOptions options;
  if (const std::string* text = LastValue(arguments, "threshold"); text != nullptr) {
    double threshold = 0;
    const char* const end = text->data() + text->size();
    const auto [at, failed] = std::from_chars(text->data(), end, threshold);
    if (failed != std::errc() || at != end || !(threshold >= 0 && threshold <= 1)) {
      return UsageError("--threshold " + *text + ": expected a number from 0 to 1",
                        "the paper's is 0.25, and the default");
    }
    options.set_threshold(threshold);
  }
  if (const std::string* variant = LastValue(arguments, "variant"); variant != nullptr) {
    if (*variant != "literal" && *variant != "shape") {
      return UsageError("--variant " + *variant + ": unknown value", "write literal or shape");
    }
    options.set_shape_variant(*variant == "shape");
  }
  if (const std::string* shape = LastValue(arguments, "shape"); shape != nullptr) {
    if (Outcome<void> set = SetShape(*shape, &options); !set) return std::move(set).error();
  }
  options.set_cut_to_shortest(IsGiven(arguments, "cut"));
  return options;
}

Outcome<void> CheckFiles(const std::vector<std::string>& files, bool raw) {
  static constexpr char kUsage[] = "write benchctl similarity FILE..., or - for stdin";
  if (files.empty()) return UsageError("similarity: no file: one is missing", kUsage);
  if (std::ranges::count(files, "-") > 1) return UsageError("-: stdin is read once", kUsage);
  for (const std::string& file : files) {
    if (file.empty()) return UsageError("similarity: a file has no name", kUsage);
    if (file.ends_with(".f64") && !raw) {
      return UsageError(file + ": raw doubles do not say how many runs they are",
                        "add --shape RxN, such as --shape 10x3000");
    }
  }
  return {};
}

Outcome<v1::AssessSimilarityResponse> AskSimilarity(v1::AnalysisService::Stub& stub,
                                                    const v1::SimilarityOptions& options,
                                                    TableFile& file) {
  grpc::ClientContext context;
  v1::AssessSimilarityResponse response;
  const auto writer = stub.AssessSimilarity(&context, &response);
  v1::AssessSimilarityRequest request;
  *request.mutable_options() = options;
  auto status = Upload(std::move(request), file, context, *writer);
  if (!status) return std::move(status).error();
  if (!status->ok()) return FromStatus(*status).Within(file.name());
  return response;
}

/// Takes one file after the other, on several threads, and shows how far it is.
class Batch {
 public:
  Batch(const std::vector<std::string>& files, const v1::SimilarityOptions& options,
        std::shared_ptr<grpc::Channel> channel)
      : files_(files),
        options_(options),
        stub_(v1::AnalysisService::NewStub(std::move(channel))),
        answers_(files.size()) {}

  std::vector<std::optional<Outcome<v1::AssessSimilarityResponse>>> Assess() {
    const bool draws = files_.size() > 1 && CanRedraw(STDERR_FILENO);
    if (draws) screen_.emplace(STDERR_FILENO);
    Draw();
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < std::min(kAtOnce, files_.size()); ++i) {
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
      auto file = TableFile::Open(files_[i]);
      if (file) {
        answers_[i] = AskSimilarity(*stub_, options_, *file);
      } else {
        answers_[i] = std::move(file).error();
      }
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
  const v1::SimilarityOptions& options_;
  const std::unique_ptr<v1::AnalysisService::Stub> stub_;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::optional<Outcome<v1::AssessSimilarityResponse>>> answers_;  // one thread each
  std::mutex mutex_;
  std::size_t done_ = 0;  // guarded by mutex_, as screen_
  std::optional<LiveScreen> screen_;
};

}  // namespace

Outcome<ExitCode> RunSimilarity(const CommandContext& context) {
  auto options = ReadSimilarityOptions(context.arguments);
  if (!options) return std::move(options).error();
  const std::vector<std::string>& files = context.arguments.positionals;
  auto checked = CheckFiles(files, options->runs() > 0);
  if (!checked) return std::move(checked).error();
  const Interrupts interrupts;  // Ctrl-C ends this process, and with it the assessment
  auto link = DaemonLink::Open(context.link);
  if (!link) return std::move(link).error();
  if (const std::string& running = (*link)->status().running(); !running.empty()) {
    std::cerr << "benchctl: session " << running << " runs: the assessment waits for its end\n";
  }
  auto answers = Batch(files, *options, (*link)->channel()).Assess();
  std::vector<AssessedFile> assessed;
  std::optional<ClientError> failed;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (*answers[i]) {
      assessed.push_back({files[i], std::move(**answers[i])});
      continue;
    }
    if (failed) PrintError(*failed);
    failed = std::move(answers[i]->error());
  }
  const bool shape = options->shape_variant();
  if (context.json) {
    for (const AssessedFile& file : assessed) {
      for (const std::string& line : SimilarityJson(file, shape, Now())) std::cout << line << "\n";
    }
  } else if (!assessed.empty()) {
    std::cout << RenderSimilarity(assessed, shape, StyleOf(STDOUT_FILENO));
  }
  if (failed) return *std::move(failed);
  return ExitCode::kPass;
}

}  // namespace benchd::client
