// Runs fuzzers without libFuzzer: over their seeds, then over mutations of them.

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzzers.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/seeds.h"

// In <sanitizer/common_interface_defs.h>; absent in a build without a sanitizer.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace benchd::fuzz {
namespace {

constexpr char kUsage[] =
    "usage: fuzz [NAME [INPUT]] [--runs N] [--seconds S] [--seed K] [--shard K/N]\n"
    "Runs fuzzer NAME, or all of them in turn: first each seed as it is, then N mutations of them\n"
    "INPUT         a file to run in the place of the seeds\n"
    "--runs N      mutations at most (default: 100000)\n"
    "--seconds S   end a fuzzer after S seconds (default: no limit)\n"
    "--seed K      which mutations (default: 1)\n"
    "--shard K/N   of all fuzzers only every Nth, from the Kth on\n"
    "A failing input is kept as fuzz-NAME-failure.bin in the working directory.\n";

struct Options {
  std::vector<std::string> words;  // NAME, INPUT
  std::uint64_t runs = 100'000;
  std::uint64_t seconds = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seed = 1;
  std::uint64_t shard = 1;
  std::uint64_t shards = 1;
};

bool ReadNumber(std::string_view text, std::uint64_t* number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return failed == std::errc() && end == text.data() + text.size();
}

bool ReadShard(std::string_view text, Options* options) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && ReadNumber(text.substr(0, slash), &options->shard) &&
         ReadNumber(text.substr(slash + 1), &options->shards) && options->shard > 0 &&
         options->shard <= options->shards;
}

/// Returns nothing if the answer is kUsage.
std::optional<Options> ReadOptions(std::span<const std::string> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) {
      options.words.push_back(words[i]);
      continue;
    }
    const std::string_view name = words[i];
    const std::string_view value = ++i < words.size() ? std::string_view(words[i]) : "";
    const bool valid = name == "--runs"      ? ReadNumber(value, &options.runs)
                       : name == "--seconds" ? ReadNumber(value, &options.seconds)
                       : name == "--seed"    ? ReadNumber(value, &options.seed)
                       : name == "--shard"   ? ReadShard(value, &options)
                                             : false;
    if (!valid) return std::nullopt;
  }
  if (options.words.size() > 2) return std::nullopt;
  return options;
}

// State for the signal handler.
std::string failure_path;
const char* input_bytes = nullptr;
std::size_t input_size = 0;

void KeepInput() {
  const int file = open(failure_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  std::size_t at = 0;
  while (at < input_size) {
    const ssize_t written = write(file, input_bytes + at, input_size - at);
    if (written <= 0) break;
    at += static_cast<std::size_t>(written);
  }
  close(file);
  constexpr std::string_view kKept = "the input is kept in ";
  [[maybe_unused]] auto told = write(STDERR_FILENO, kKept.data(), kKept.size());
  told = write(STDERR_FILENO, failure_path.data(), failure_path.size());
  told = write(STDERR_FILENO, "\n", 1);
}

void KeepInputAndDie(int signal) {
  KeepInput();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void KeepInputOnFailure() {
  std::signal(SIGABRT, &KeepInputAndDie);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(&KeepInput);  // it reports the other signals itself
    return;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, &KeepInputAndDie);
  }
}

void RunOne(Fuzzer run, const std::string& input) {
  // In memory of exactly its size, so that a sanitizer detects the first byte read beyond it.
  const std::vector<char> bytes(input.begin(), input.end());
  input_bytes = bytes.data();
  input_size = bytes.size();
  run({bytes.data(), bytes.size()});
}

/// Returns false if there was nothing to run.
bool Run(const NamedFuzzer& fuzzer, const std::vector<std::string>& corpus,
         const Options& options) {
  const std::string name(fuzzer.name);
  if (corpus.empty()) {
    std::fprintf(stderr, "error: %s: no seed\n", name.c_str());
    return false;
  }
  std::printf("%s: %zu seeds", name.c_str(), corpus.size());
  std::fflush(stdout);
  failure_path = "fuzz-" + name + "-failure.bin";
  for (const std::string& input : corpus) RunOne(fuzzer.run, input);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t run = 0;
  for (; run < options.runs; ++run) {
    const auto elapsed = std::chrono::steady_clock::now() - start;
    if (static_cast<std::uint64_t>(elapsed / std::chrono::seconds(1)) >= options.seconds) break;
    RunOne(fuzzer.run, Mutated(corpus, options.seed, run));
  }
  std::printf(", %llu mutations of seed %llu\n", static_cast<unsigned long long>(run),
              static_cast<unsigned long long>(options.seed));
  if (run > 0 || options.runs == 0) return true;
  std::fprintf(stderr, "error: %s: --seconds: no time for a single mutation\n", name.c_str());
  return false;
}

int RunNamed(const Options& options) {
  const std::string& name = options.words.front();
  const NamedFuzzer* const fuzzer = FindFuzzer(name);
  if (fuzzer == nullptr) {
    std::fprintf(stderr, "error: %s: no fuzzer has that name\nhint: one of:", name.c_str());
    for (const NamedFuzzer& known : Fuzzers()) {
      std::fprintf(stderr, " %s", std::string(known.name).c_str());
    }
    std::fprintf(stderr, "\n");
    return 2;
  }
  if (options.words.size() == 1) return Run(*fuzzer, SeedsOf(name), options) ? 0 : 1;
  const std::string& input = options.words[1];
  if (!std::filesystem::is_regular_file(input)) {
    std::fprintf(stderr, "error: %s: no file\n", input.c_str());
    return 2;
  }
  return Run(*fuzzer, {ReadFile(input)}, options) ? 0 : 1;
}

int RunAll(const Options& options) {
  int failed = 0;
  const std::span<const NamedFuzzer> all = Fuzzers();
  for (std::size_t i = options.shard - 1; i < all.size(); i += options.shards) {
    if (!Run(all[i], SeedsOf(all[i].name), options)) ++failed;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace benchd::fuzz

int main(int count, char** words) {
  using namespace benchd::fuzz;
  const auto options = ReadOptions(std::vector<std::string>(words + 1, words + count));
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  KeepInputOnFailure();
  return options->words.empty() ? RunAll(*options) : RunNamed(*options);
}
