// Runs a fuzzer without libFuzzer: over its corpus, then over seeded mutations of it.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

// In <sanitizer/common_interface_defs.h>; absent in a build without a sanitizer.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace benchd::fuzz {
namespace {

constexpr char kUsage[] =
    "usage: %s CORPUS [--runs N] [--seconds S] [--seed K]\n"
    "CORPUS: a folder or a file; first each file as it is, then N mutations of them\n"
    "--runs N      mutations at most (default: 100000)\n"
    "--seconds S   end after S seconds (default: no limit)\n"
    "--seed K      repeat the mutations of an earlier round (default: random, printed)\n"
    "A failing input is kept as NAME_fuzz-failure.bin in the working directory.\n";

struct Options {
  std::string corpus;
  std::uint64_t runs = 100'000;
  std::uint64_t seconds = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seed = 0;
  bool valid = true;
};

Options ReadOptions(const std::vector<std::string>& words) {
  Options options;
  options.seed = std::random_device{}();
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::uint64_t* number = words[i] == "--runs"      ? &options.runs
                            : words[i] == "--seconds" ? &options.seconds
                            : words[i] == "--seed"    ? &options.seed
                                                      : nullptr;
    if (number == nullptr) {
      options.valid = options.valid && options.corpus.empty() && !words[i].starts_with('-');
      options.corpus = words[i];
      continue;
    }
    const std::string_view text = ++i < words.size() ? std::string_view(words[i]) : "";
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), *number);
    options.valid =
        options.valid && failed == std::errc() && end == text.data() + text.size() && !text.empty();
  }
  options.valid = options.valid && !options.corpus.empty();
  return options;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The files in order of their names, so that a seed means the same everywhere.
std::vector<std::string> ReadCorpus(const std::string& place) {
  std::vector<std::filesystem::path> paths;
  if (std::filesystem::is_directory(place)) {
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  } else if (std::filesystem::exists(place)) {
    paths.emplace_back(place);
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) corpus.push_back(ReadFile(path));
  return corpus;
}

// What a signal handler may look at.
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

void RunOne(const std::string& input) {
  // In memory of exactly its size: a sanitizer sees the first byte that is read too many.
  const std::vector<char> bytes(input.begin(), input.end());
  input_bytes = bytes.data();
  input_size = bytes.size();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

int Run(const Options& options) {
  const std::vector<std::string> corpus = ReadCorpus(options.corpus);
  if (corpus.empty()) {
    std::fprintf(stderr, "error: %s: no file there\n", options.corpus.c_str());
    return 2;
  }
  std::printf("seed %llu, %zu files\n", static_cast<unsigned long long>(options.seed),
              corpus.size());
  std::fflush(stdout);
  KeepInputOnFailure();
  for (const std::string& input : corpus) RunOne(input);
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t run = 0;
  for (; run < options.runs; ++run) {
    const auto elapsed = std::chrono::steady_clock::now() - start;
    if (static_cast<std::uint64_t>(elapsed / std::chrono::seconds(1)) >= options.seconds) break;
    RunOne(Mutated(corpus, options.seed, run));
  }
  if (run == 0 && options.runs > 0) {
    std::fprintf(stderr, "error: --seconds: no time for a single mutation\n");
    return 1;
  }
  std::printf("%llu mutations\n", static_cast<unsigned long long>(run));
  return 0;
}

}  // namespace
}  // namespace benchd::fuzz

int main(int count, char** words) {
  const auto options = benchd::fuzz::ReadOptions({words, words + count});
  if (!options.valid) {
    std::fprintf(stderr, benchd::fuzz::kUsage, words[0]);
    return 2;
  }
  benchd::fuzz::failure_path = std::filesystem::path(words[0]).filename().string() + "-failure.bin";
  return benchd::fuzz::Run(options);
}
