#include "daemon/session/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/control_names.h"
#include "core/analysis/controls.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/limits.h"
#include "core/model/name_pattern.h"
#include "core/parse/discovery.h"
#include "daemon/session/children.h"
#include "daemon/session/failure.h"

namespace benchd {
namespace {

/// The maximum size of all benchmarks of an expanded spec, which clients receive in one message. A
/// few bytes of a request could otherwise become a thousand copies of a long command.
constexpr std::size_t kMaxExpandedBytes = std::size_t{2} * 1024 * 1024;

using Names = std::vector<std::string>;

/// The names that each arm of a benchmark listed, by arm. The placebo has none of its own.
using NamesByArm = std::vector<Names>;

bool IsListed(const Benchmark& benchmark, std::size_t arm) {
  return benchmark.arms[arm].role != ArmRole::kPlacebo;
}

/// The names that --only selects among those of a program. Controls accompany them.
class WantedNames {
 public:
  explicit WantedNames(const Benchmark& benchmark) : prefix_(benchmark.name + "/") {
    for (const std::string& pattern : benchmark.only) only_.emplace_back(pattern);
    for (const std::string& control : benchmark.controls) controls_.emplace_back(control);
  }

  bool Has(const std::string& name) const {
    const auto is_control = [&](const ControlPattern& control) {
      return control.Names(name) || control.Names(prefix_ + name);
    };
    return only_.empty() || std::ranges::any_of(controls_, is_control) ||
           std::ranges::any_of(
               only_, [&name](const NamePattern& pattern) { return pattern.Matches(name); });
  }

 private:
  std::string prefix_;
  std::vector<NamePattern> only_;
  std::vector<ControlPattern> controls_;
};

/// Returns the names of all arms, each once, in the order in which they are listed.
Names AllOf(const NamesByArm& listed) {
  Names all;
  std::set<std::string_view> known;
  for (const Names& names : listed) {
    for (const std::string& name : names) {
      if (known.insert(name).second) all.push_back(name);
    }
  }
  return all;
}

/// Returns an error if a pattern of --only matches no benchmark of any arm.
Result<void> CheckPatterns(const Benchmark& benchmark, const Names& all) {
  for (const std::string& pattern : benchmark.only) {
    const NamePattern compiled(pattern);
    const auto matches = [&compiled](const std::string& name) { return compiled.Matches(name); };
    if (std::ranges::any_of(all, matches)) continue;
    return InvalidArgument("only", "no benchmark matches " + Quoted(pattern),
                           "available: " + SomeOf(all));
  }
  return {};
}

Error NothingInCommon(const Benchmark& benchmark, const NamesByArm& listed,
                      const WantedNames& wanted_names) {
  std::vector<std::string> arms;
  std::vector<std::string> have;
  for (std::size_t arm = 0; arm < benchmark.arms.size(); ++arm) {
    if (!IsListed(benchmark, arm)) continue;
    const std::string& name = benchmark.arms[arm].name;
    arms.push_back(name);
    Names wanted;
    for (const std::string& one : listed[arm]) {
      if (wanted_names.Has(one)) wanted.push_back(one);
    }
    have.push_back(name + " has " + (wanted.empty() ? "none" : SomeOf(wanted)));
  }
  return Error{
      ErrorCode::kFailedPrecondition,
      "harness: " + Join(arms, ", ", std::identity(), " and ") + " have no benchmark in common",
      Join(have, "; ")};
}

/// Divides the wanted names into those of every arm and the others.
Result<FoundBenchmarks> Match(const Benchmark& benchmark, const NamesByArm& listed) {
  const Names all = AllOf(listed);
  TRY_VOID(CheckPatterns(benchmark, all));
  const WantedNames wanted(benchmark);
  FoundBenchmarks found;
  std::vector<std::set<std::string_view>> sets;
  for (const Names& names : listed) sets.emplace_back(names.begin(), names.end());
  for (const std::string& name : all) {
    if (!wanted.Has(name)) continue;
    if (name.size() > kMaxListedBytes) {
      return InvalidArgument(
          "harness",
          fmt::format("the name of a benchmark has {} bytes; the limit is {}: {}", name.size(),
                      kMaxListedBytes, Quoted(name)),
          "select others by --only PATTERN, or give it a shorter name");
    }
    UnmatchedBenchmark unmatched{name, {}};
    for (std::size_t arm = 0; arm < benchmark.arms.size(); ++arm) {
      if (IsListed(benchmark, arm) && !sets[arm].contains(name)) {
        unmatched.missing_in.push_back(benchmark.arms[arm].name);
      }
    }
    if (unmatched.missing_in.empty()) {
      found.names.push_back(name);
    } else {
      found.unmatched.push_back(std::move(unmatched));
    }
  }
  if (found.names.empty()) return NothingInCommon(benchmark, listed, wanted);
  return found;
}

/// Returns the size of those texts of a benchmark that may be long.
std::size_t BytesOf(const Benchmark& benchmark) {
  std::size_t bytes = benchmark.adapter.size() + benchmark.parse.size();
  for (const Gate& gate : benchmark.gates) bytes += gate.metric.size();
  for (const std::string& name : benchmark.controls) bytes += name.size();
  for (const Hook* hook : {&benchmark.hooks.prepare, &benchmark.hooks.conclude}) {
    bytes += 2 * hook->command.size();
  }
  for (const Arm& arm : benchmark.arms) {
    bytes += 2 * arm.command.size() + arm.cwd.size();
    bytes += 2 * (arm.prepare.command.size() + arm.conclude.command.size());
    for (const auto& [name, value] : arm.env) bytes += name.size() + value.size();
  }
  return bytes;
}

/// Returns an error if the expanded session would exceed a limit.
Result<void> CheckSize(const SessionSpec& spec, std::span<const FoundBenchmarks> found,
                       std::uint64_t most_pairs) {
  std::size_t benchmarks = 0;
  std::uint64_t pairs = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < spec.benchmarks.size(); ++i) {
    const auto own = std::ranges::find(found, i, &FoundBenchmarks::benchmark);
    const std::size_t count = own == found.end() ? 1 : own->names.size();
    benchmarks += count;
    pairs += count * PairsOf(spec.benchmarks[i]);
    bytes += count * BytesOf(spec.benchmarks[i]);
  }
  const std::string hint = "select some of them with --only PATTERN";
  if (benchmarks > kMaxBenchmarks) {
    return InvalidArgument(
        "harness",
        fmt::format("{} benchmarks were found; a session may have {}", benchmarks, kMaxBenchmarks),
        hint);
  }
  if (pairs > most_pairs) {
    Error error = TooLarge(Limit::kPairs, pairs, most_pairs);
    error.hint = hint + "; " + HowToAllowMore(Limit::kPairs);
    return error;
  }
  if (bytes > kMaxExpandedBytes) {
    return InvalidArgument(
        "harness",
        fmt::format("{} benchmarks with these commands take {} KiB; the limit is {}", benchmarks,
                    bytes / 1024, kMaxExpandedBytes / 1024),
        hint + ", or move long commands into scripts");
  }
  return {};
}

/// Returns an error if two benchmarks of the expanded spec have one name.
Result<void> CheckNames(const SessionSpec& spec) {
  std::set<std::string_view> known;
  for (const Benchmark& benchmark : spec.benchmarks) {
    if (known.insert(benchmark.name).second) continue;
    return InvalidArgument("harness",
                           "two benchmarks would have the name " + Quoted(benchmark.name),
                           "give the benchmarks of the suite other names");
  }
  return {};
}

/// Returns the child that lists the benchmarks of an arm.
ChildSpec ListingChild(const SessionSpec& spec, const Benchmark& benchmark, const Arm& arm,
                       const Harness& harness) {
  ChildSpec child = ChildOfArm(spec, benchmark, arm);
  child.argv = ListCommand(harness, {arm.argv, arm.shell}).argv;
  child.output = OutputKind::kDiscard;
  child.output_path.clear();
  child.parse = ListFormatOf(harness);
  if (!harness.rule) child.adapter.clear();
  child.parse_stderr = false;
  child.check_output = false;
  child.parse_file.clear();
  child.accept_exit.clear();
  if (harness.any_exit) {
    child.accept_exit.resize(256);
    std::iota(child.accept_exit.begin(), child.accept_exit.end(), 0);
  }
  return child;
}

/// Completes the failure of a list, which has no run of the session.
DiscoveryResult FailedList(const Arm& arm, Failure failure, bool runner_lost) {
  if (!failure.run) failure.run.emplace();
  failure.run->arm = arm.name;
  return {std::move(failure), runner_lost};
}

/// What one arm listed.
struct ListedArm {
  Names names;
  Nanoseconds took{};
};

/// Lists the benchmarks of an arm.
asio::awaitable<DiscoveryResult> List(const SessionServices* services, const SessionSpec* spec,
                                      const Benchmark* benchmark, const Arm* arm,
                                      const Harness* harness, ListedArm* listed) {
  ChildSpec child = ListingChild(*spec, *benchmark, *arm, *harness);
  const ByHand by_hand{child.argv, child.cwd, {}};
  const std::vector<int> accepted = child.accept_exit;
  const std::string place =
      "listing the benchmarks of " + arm->name + " by " + Quoted(Join(child.argv, " ", PastedWord));
  const Nanoseconds timeout = spec->limits.timeout;
  Result<RunOutcome> run =
      co_await RunOnce(&services->runner, child, timeout, services->cancel.end());
  // That nothing is listed hides why the program failed, which is known if it must exit with 0.
  if (!run && harness->any_exit && run.error().code == ErrorCode::kInvalidArgument) {
    child.accept_exit.clear();
    run = co_await RunOnce(&services->runner, std::move(child), timeout, services->cancel.end());
  }
  if (!run) {
    const bool lost = run.error().code == ErrorCode::kUnavailable;
    co_return FailedList(*arm, Failure{std::move(run).error().Within(place), std::nullopt}, lost);
  }
  // Catch2 2 exits with the number of test cases. Signals and time limits are errors.
  constexpr std::size_t kMaxExitCode = 255;
  const std::size_t count = std::min(run->names.size(), kMaxExitCode);
  const bool counted = std::cmp_equal(run->exit.code, count);
  if (harness->any_exit && counted && run->exit.Succeeded(accepted)) run->exit.code = 0;
  if (auto failure = HookFailure(place, timeout, *run, by_hand)) {
    co_return FailedList(*arm, *std::move(failure), false);
  }
  listed->names = std::move(run->names);
  listed->took = WallTimeOf(std::vector{Run{.samples = std::move(run->samples)}});
  co_return DiscoveryResult{};
}

/// Returns the commands of the arms to which the words that run one benchmark are added.
std::vector<Names> CommandsOf(const Benchmark& benchmark, const Harness& harness,
                              const Names& listed) {
  std::vector<Names> commands;
  for (const Arm& arm : benchmark.arms) {
    commands.push_back(WithoutSelection(harness, {arm.argv, arm.shell}, listed, arm.cwd).argv);
  }
  return commands;
}

/// Lists all arms of one benchmark.
asio::awaitable<DiscoveryResult> ListArms(const SessionServices* services, const SessionSpec* spec,
                                          std::uint32_t number, FoundBenchmarks* found) {
  const Benchmark& benchmark = spec->benchmarks[number];
  Result<Harness> harness = FindHarness(benchmark.harness, benchmark.parse, benchmark.adapter);
  if (!harness) co_return DiscoveryResult{Failure{std::move(harness).error(), std::nullopt}, false};
  NamesByArm listed(benchmark.arms.size());
  std::optional<Nanoseconds> start;
  for (std::size_t arm = 0; arm < benchmark.arms.size(); ++arm) {
    if (!IsListed(benchmark, arm)) continue;
    ListedArm own;
    DiscoveryResult one =
        co_await List(services, spec, &benchmark, &benchmark.arms[arm], &*harness, &own);
    listed[arm] = std::move(own.names);
    if (own.took > Nanoseconds::zero()) start = std::min(start.value_or(own.took), own.took);
    if (one.failure) {
      one.failure->run->benchmark = benchmark.name;
      co_return one;
    }
  }
  Result<FoundBenchmarks> matched = Match(benchmark, listed);
  if (!matched) co_return DiscoveryResult{Failure{std::move(matched).error(), std::nullopt}, false};
  *found = *std::move(matched);
  found->benchmark = number;
  found->start = start;
  found->commands = CommandsOf(benchmark, *harness, AllOf(listed));
  co_return DiscoveryResult{};
}

}  // namespace

bool DiscoveryIsDue(const SessionSpec& spec) {
  return std::ranges::any_of(spec.benchmarks, [](const Benchmark& benchmark) {
    return !benchmark.harness.empty() && benchmark.inner.empty();
  });
}

asio::awaitable<DiscoveryResult> Discover(const SessionServices* services, SessionSpec* spec,
                                          std::vector<FoundBenchmarks>* found) {
  std::vector<FoundBenchmarks> all;
  for (std::uint32_t number = 0; number < spec->benchmarks.size(); ++number) {
    if (spec->benchmarks[number].harness.empty()) continue;
    FoundBenchmarks own;
    DiscoveryResult result = co_await ListArms(services, spec, number, &own);
    if (result.failure) co_return result;
    all.push_back(std::move(own));
  }
  Result<void> fits = CheckSize(*spec, all, services->max_pairs);
  SessionSpec expanded = fits ? *spec : SessionSpec();
  if (fits) {
    ExpandBenchmarks(all, expanded);
    fits = CheckNames(expanded);
    if (fits) fits = CheckListedControls(expanded.benchmarks);
  }
  if (!fits) co_return DiscoveryResult{Failure{std::move(fits).error(), std::nullopt}, false};
  SetRunCommands(expanded);
  *spec = std::move(expanded);
  *found = std::move(all);
  co_return DiscoveryResult{};
}

void SetRunCommands(SessionSpec& spec) {
  // A program has many benchmarks, and its adapter takes milliseconds to compile.
  std::map<std::tuple<std::string, std::string, std::string>, Result<Harness>> known;
  for (Benchmark& benchmark : spec.benchmarks) {
    if (benchmark.inner.empty()) continue;
    std::tuple key(benchmark.harness, benchmark.parse, benchmark.adapter);
    auto found = known.find(key);
    if (found == known.end()) {
      Result<Harness> harness = FindHarness(benchmark.harness, benchmark.parse, benchmark.adapter);
      found = known.emplace(std::move(key), std::move(harness)).first;
    }
    const Result<Harness>& harness = found->second;
    if (!harness) continue;  // only a newer benchd can have stored it; its runs will fail
    const bool printed = benchmark.parse == harness->format;
    for (Arm& arm : benchmark.arms) {
      const std::string program = arm.argv.front();
      ExecutedCommand command{std::move(arm.argv), arm.shell};
      arm.argv = RunCommand(*harness, std::move(command), benchmark.inner, printed).argv;
      if (arm.argv.front() != program) arm.program.reset();
    }
  }
}

}  // namespace benchd
