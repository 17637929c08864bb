#include "tests/bench/validity/options.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>

#include "core/base/result.h"

namespace benchd::validity {
namespace {

constexpr std::uint64_t kMostRepetitions = 100'000'000;
constexpr std::uint64_t kCoverageRepetitions = 2000;
constexpr std::uint64_t kStepRepetitions = 1000;
constexpr std::uint64_t kReplicationRepetitions = 10'000;
constexpr std::uint64_t kIntersectionRepetitions = 10'000;
constexpr std::uint64_t kConfirmationRepetitions = 10'000;
constexpr std::uint64_t kEarlyRepetitions = 10'000;
constexpr std::uint64_t kMeasureRepetitions = 10'000;
constexpr std::uint64_t kChecksRepetitions = 2000;
constexpr std::uint64_t kCheckRepetitions = 500;
constexpr std::uint64_t kFewestCheckRepetitions = 20;
constexpr unsigned kMostThreads = 1024;

// Appended: GCC 12 warns about "'" + std::string without reason.
std::string Quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

template <typename T>
Result<T> Parse(std::string_view option, std::string_view text, T smallest, T largest) {
  T value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() ||
      !(value >= smallest && value <= largest)) {
    return InvalidArgument(option, Quoted(text) + " is no number in its range",
                           "from " + std::to_string(smallest) + " to " + std::to_string(largest));
  }
  return value;
}

template <typename T>
Result<void> Store(Result<T> value, T& target) {
  if (!value) return std::move(value).error();
  target = *value;
  return {};
}

Result<void> Apply(std::string_view option, std::string_view value, CommandLine& line) {
  Options& options = line.options;
  if (option == "--repetitions") {
    return Store(Parse<std::uint64_t>(option, value, 1, kMostRepetitions), options.repetitions);
  }
  if (option == "--seed") {
    return Store(Parse<std::uint64_t>(option, value, 0, UINT64_MAX), options.seed);
  }
  if (option == "--threads") {
    return Store(Parse<unsigned>(option, value, 1, kMostThreads), options.threads);
  }
  if (option == "--alpha") {
    options.alphas.assign(1, 0);
    return Store(Parse<double>(option, value, 1e-6, kLargestHorizonAlpha), options.alphas[0]);
  }
  if (option == "--only") {
    options.only = value;
    return {};
  }
  if (option == "--format") {
    if (value != "text" && value != "markdown") {
      return InvalidArgument(option, Quoted(value) + " is no format", "one of: text, markdown");
    }
    line.format = value == "text" ? Format::kText : Format::kMarkdown;
    return {};
  }
  return InvalidArgument(option, "there is no such option", "validity --help");
}

}  // namespace

Result<CommandLine> ParseCommandLine(std::span<const char* const> words) {
  CommandLine line;
  line.options.threads = std::max(1U, std::thread::hardware_concurrency());
  const auto given = [&words](std::string_view option) {
    return std::find(words.begin(), words.end(), option) != words.end();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--help") {
      line.help = true;
    } else if (word == "--check") {
      line.check = true;
    } else if (word == "--coverage") {
      line.coverage = true;
    } else if (word == "--change-points") {
      line.change_points = true;
    } else if (word == "--replication") {
      line.replication = true;
    } else if (word == "--intersection") {
      line.intersection = true;
    } else if (word == "--confirmation") {
      line.confirmation = true;
    } else if (word == "--measure") {
      line.measure = true;
    } else if (word == "--checks") {
      line.checks = true;
    } else if (word == "--early") {
      line.early = true;
    } else if (word == "--no-suites") {
      line.options.suites = false;
    } else if (i + 1 == words.size()) {
      return InvalidArgument(word, "there is no such option, or its value is missing",
                             "validity --help");
    } else {
      if (Result<void> applied = Apply(word, words[++i], line); !applied) return applied.error();
    }
  }
  if (line.change_points && !given("--repetitions")) {
    line.options.repetitions = kStepRepetitions;
  }
  if (line.coverage && !given("--repetitions")) line.options.repetitions = kCoverageRepetitions;
  if (line.replication && !given("--repetitions")) {
    line.options.repetitions = kReplicationRepetitions;
  }
  if (line.intersection && !given("--repetitions")) {
    line.options.repetitions = kIntersectionRepetitions;
  }
  if (line.confirmation && !given("--repetitions")) {
    line.options.repetitions = kConfirmationRepetitions;
  }
  if (line.early && !given("--repetitions")) line.options.repetitions = kEarlyRepetitions;
  if (line.measure && !given("--repetitions")) line.options.repetitions = kMeasureRepetitions;
  if (line.checks && !given("--repetitions")) line.options.repetitions = kChecksRepetitions;
  line.options.suite_repetitions = line.options.repetitions;
  if (!line.check) return line;
  if (given("--alpha") || given("--only") || given("--no-suites") || given("--coverage") ||
      given("--change-points") || given("--replication") || given("--intersection") ||
      given("--confirmation") || given("--early") || given("--measure") || given("--checks")) {
    return InvalidArgument("--check", "its bands need all of the main tables at both levels",
                           "leave --alpha, --only, --no-suites, --coverage, --change-points, "
                           "--replication, --intersection, --confirmation, --early, --measure and "
                           "--checks out");
  }
  if (!given("--repetitions")) line.options.repetitions = kCheckRepetitions;
  if (line.options.repetitions < kFewestCheckRepetitions) {
    return InvalidArgument("--check", "so few repetitions do not show their own spread",
                           "at least " + std::to_string(kFewestCheckRepetitions));
  }
  // A suite is ten comparisons, some of which are long.
  line.options.suite_repetitions = 1 + line.options.repetitions / 10;
  return line;
}

const char* HelpText() {
  return R"(usage: validity [OPTION...]

Simulates comparisons whose truth is known and counts the false verdicts of every method that
watches them block by block, and the pairs that a verdict takes.

  --coverage               instead: the error of every method and estimator that is no default,
                           watched and at one look
  --change-points          instead: change points in series with a known step, and without one
  --replication            instead: the error over several machines (combine) and several builds
                           (--layouts)
  --intersection           instead: what all looks of a session have in common, beside the last one
  --confirmation           instead: false and true regressions with and without --confirm, if each
                           session has an effect of its own
  --early                  instead: the error of early looks, and the pairs that they save
  --measure                instead: how often the interval of a single arm misses its value
  --checks                 instead: how often the checks of a session's data warn
  --repetitions N          of each cell (default 20000; with --coverage and --checks 2000, with
                           --replication, --intersection, --confirmation, --early and
                           --measure 10000, with --check 500, with --change-points 1000)
  --seed S                 of all random numbers (default 1)
  --threads T              default: one a CPU; changes no number
  --alpha A                one level instead of 0.05 and 0.01
  --only FAMILY            one family of data, its suites of gates included
  --no-suites              leave the suites of gates out
  --format text|markdown
  --check                  print only what leaves its band, and exit 1 if anything does
  --help
)";
}

}  // namespace benchd::validity
