#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/model/child.h"
#include "core/model/metric.h"

namespace benchd {

/// Names a session for its whole life and after it; what users type, or a unique prefix of it.
///
/// Eight characters of Crockford's base 32 in lower case (40 bits): no two look alike.
struct SessionId {
  std::string value;
  auto operator<=>(const SessionId&) const = default;
};

/// Spells the low 40 bits of `random` as an id.
SessionId MakeSessionId(std::uint64_t random);

/// The placebo is a second copy of the first reference: it is compared, and never gates.
enum class ArmRole { kReference, kCandidate, kPlacebo };
BENCHD_NAMES(ArmRole, "reference", "candidate", "placebo")

/// The state of a repository that an arm was built from; told, never used.
struct Commit {
  std::string id;           ///< 40 or 64 hexadecimal digits
  std::string description;  ///< what `git describe` says of it
  bool operator==(const Commit&) const = default;
};
BENCHD_FIELDS(Commit, id, description)

/// A command around the runs: untimed, as the caller. Without a command: none.
struct Hook {
  std::string command;  ///< as the user wrote it
  /// Filled at submit, empty without a command: what is executed.
  std::vector<std::string> argv;
  bool Exists() const { return !command.empty(); }
  bool operator==(const Hook&) const = default;
};
BENCHD_FIELDS(Hook, command, argv)

/// One of the systems compared: a command and where it runs.
struct Arm {
  std::string name;
  ArmRole role = ArmRole::kCandidate;
  /// One string as the user wrote it: split by shell quoting rules, or given to `sh -c` with
  /// `shell`.
  std::string command;
  bool shell = false;
  /// Filled at submit: what is executed (for `shell`: /bin/sh -c COMMAND).
  std::vector<std::string> argv;
  /// Added to (or over) SessionSpec::environment.
  std::map<std::string, std::string> env;
  std::string cwd;  ///< absolute
  /// Filled at submit; a run whose program differs fails the session. Absent when it is made only
  /// by the session's build or setup: then SessionSnapshot::setup has it.
  std::optional<ProgramIdentity> program;
  std::optional<Commit> commit;
  Hook prepare;   ///< instead of the benchmark's; since submit each arm has one, or none has
  Hook conclude;  ///< the same
  bool operator==(const Arm&) const = default;
};
BENCHD_FIELDS(Arm, name, role, command, shell, argv, env, cwd, program, commit, prepare, conclude)

/// The commands of a benchmark around its runs, in the order in which they are run.
/// One git worktree that a build provides.
struct BuildTree {
  std::string commit;
  std::string key;          ///< the name of its folder below BuildPlan::root
  std::string layout_seed;  ///< BENCHD_LAYOUT_SEED of its build; empty: it has none
  bool operator==(const BuildTree&) const = default;
};
BENCHD_FIELDS(BuildTree, commit, key, layout_seed)

/// What a build command does that benchctl wrote for commits. The daemon keeps it for clients.
struct BuildPlan {
  std::string root;        ///< of the worktrees, absolute
  std::string repository;  ///< git's common directory, absolute
  std::string build;       ///< for `sh -c`; empty: nothing is to be built
  std::vector<BuildTree> trees;
  bool from_bundle = false;  ///< the commits are in the session's bundle, not in `repository`
  bool operator==(const BuildPlan&) const = default;
};
BENCHD_FIELDS(BuildPlan, root, repository, build, trees, from_bundle)

struct Hooks {
  bool shell = false;  ///< each goes to `sh -c`
  /// Where build, setup and cleanup run, absolute; empty = where the first arm does. The others run
  /// where their arm does.
  std::string cwd;
  Hook build;     ///< once before setup, on the whole machine and with more time
  Hook setup;     ///< once before the first run, and again on a machine that was started anew
  Hook prepare;   ///< before every run, as its arm would be: directory and environment
  Hook conclude;  ///< after every run
  Hook cleanup;   ///< once after any end of the session, benchd's crash included
  std::optional<BuildPlan> build_plan;  ///< what `build` does, where benchctl wrote it
  bool operator==(const Hooks&) const = default;
};
BENCHD_FIELDS(Hooks, shell, cwd, build, setup, prepare, conclude, cleanup, build_plan)

enum class MarginKind { kRatio, kAbsolute };
BENCHD_NAMES(MarginKind, "ratio", "absolute")

/// A metric that decides: `margin` is the smallest worsening that counts.
struct Gate {
  std::string metric;
  MarginKind kind = MarginKind::kRatio;
  double margin = 0.02;          ///< ratio: a fraction (0.02 = 2 %); absolute: in `unit`
  std::optional<Better> better;  ///< overrides the metric's own direction
  std::string unit = {};         ///< of an absolute margin, "s" or "B"; empty: the metric's own
  bool operator==(const Gate&) const = default;
};
BENCHD_FIELDS(Gate, metric, kind, margin, better, unit)

/// What happens with a child's stdout and stderr. Independent of `parse`, which reads stdout first.
enum class OutputKind { kDiscard, kLog, kFile };
BENCHD_NAMES(OutputKind, "null", "log", "file")

/// One benchmark of a session: the same work under every arm.
struct Benchmark {
  std::string name = "main";
  std::vector<Arm> arms;
  Hooks hooks;
  std::string parse;  ///< harness format, empty = none
  /// Empty: wall_time by default, or every parsed metric with a direction.
  std::vector<Gate> gates;
  std::optional<double> default_margin;  ///< instead of the session's
  std::string input;                     ///< path opened as the caller, empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;  ///< for kFile
  bool ignore_failure = false;
  std::vector<int> accept_exit;  ///< exit codes of a run that has not failed; empty: 0
  bool allow_missing = false;    ///< a metric that an arm lacks is no gate: a warning says so
  bool operator==(const Benchmark&) const = default;
};
BENCHD_FIELDS(Benchmark, name, arms, hooks, parse, gates, input, output, output_path,
              ignore_failure, accept_exit, allow_missing, default_margin)

enum class Method { kPaired, kWelch, kExactT, kFixed, kLayouts };
BENCHD_NAMES(Method, "paired", "welch", "exact-t", "fixed", "layouts")
enum class EstimatorKind {
  kMean,
  kHodgesLehmann,
  kMedian,
  kQuantile,
  kLognormalMean,
  kSubselection
};
BENCHD_NAMES(EstimatorKind, "mean", "hl", "median", "quantile", "lognormal-mean", "subselection")
struct Estimator {
  EstimatorKind kind = EstimatorKind::kMean;
  double quantile = 0;  ///< in (0, 1), for kQuantile
  bool operator==(const Estimator&) const = default;
};
BENCHD_FIELDS(Estimator, kind, quantile)
enum class RuleKind { kMargin, kPrecision };
BENCHD_NAMES(RuleKind, "margin", "precision")
struct Rule {
  RuleKind kind = RuleKind::kMargin;
  double width = 0;  ///< for kPrecision: the wanted hi - lo of the relative change
  bool operator==(const Rule&) const = default;
};
BENCHD_FIELDS(Rule, kind, width)
enum class Sided { kTwo, kOne };
BENCHD_NAMES(Sided, "two", "one")
enum class AtLimit { kUndecided, kEstimate };
BENCHD_NAMES(AtLimit, "undecided", "estimate")

/// The most blocks and the longest time that a limit may ask for. What is forecast to take more is
/// no forecast: nobody could ask for it.
inline constexpr std::uint64_t kMostBlocks = 10'000'000;
inline constexpr Nanoseconds kLongestDuration = std::chrono::hours(24 * 30);

/// When a session ends at the latest. Runs are counted in blocks.
struct Limits {
  std::uint64_t min_runs = 8;
  std::optional<std::uint64_t> max_runs;            ///< uses the horizon boundary
  std::optional<std::uint64_t> runs;                ///< exactly that many blocks, one look
  Nanoseconds max_time = std::chrono::minutes(10);  ///< from the first measured run
  Nanoseconds timeout = std::chrono::minutes(5);    ///< of one run
  AtLimit at_limit = AtLimit::kUndecided;
  bool fail_fast = false;
  bool operator==(const Limits&) const = default;
};
BENCHD_FIELDS(Limits, min_runs, max_runs, runs, max_time, timeout, at_limit, fail_fast)

enum class ScheduleKind { kPairs, kCoin };
BENCHD_NAMES(ScheduleKind, "pairs", "coin")
struct ScheduleSpec {
  ScheduleKind kind = ScheduleKind::kPairs;
  std::uint64_t warmup = 1;  ///< discarded blocks
  bool operator==(const ScheduleSpec&) const = default;
};
BENCHD_FIELDS(ScheduleSpec, kind, warmup)

enum class Isolation { kStrict, kBestEffort, kOff };
BENCHD_NAMES(Isolation, "strict", "best-effort", "off")

/// Everything a session is asked to do; what users submit, after validation
/// (queue/validate_spec.h).
struct SessionSpec {
  std::vector<Benchmark> benchmarks;
  Method method = Method::kPaired;
  Estimator estimator;
  Rule rule;
  double alpha = 0.01;           ///< 1 - confidence, in (0, 1)
  double default_margin = 0.02;  ///< of gates that nobody named; a benchmark's own comes first
  Sided sided = Sided::kTwo;
  Limits limits;
  ScheduleSpec schedule;
  std::uint64_t seed = 0;
  std::string machine_profile = "default";
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;  ///< CPU list within the profile's, empty = the profile's
  /// Settings of the profile that are left as they are, by the names of MachineSettingNames().
  std::vector<std::string> settings_off;
  bool placebo = false;
  std::int32_t priority = 0;
  std::map<std::string, std::string> labels;
  /// The words behind `benchctl compare` that asked for it, quoted for a shell, without --seed and
  /// without values of variables; empty = another client.
  std::string invocation;
  /// Files that commands name and that are pointers of git-lfs, as the client found them.
  std::vector<std::string> lfs_pointers;
  /// The caller's environment. Values live as long as the session and are never exported.
  std::map<std::string, std::string> environment;
  Caller caller;
  bool operator==(const SessionSpec&) const = default;
};
BENCHD_FIELDS(SessionSpec, benchmarks, method, estimator, rule, alpha, default_margin, sided,
              limits, schedule, seed, machine_profile, isolation, cpus, settings_off, placebo,
              priority, labels, invocation, lfs_pointers, environment, caller)

/// Indices of the arms with that role, in the order of the spec.
std::vector<std::size_t> ArmsWithRole(const Benchmark& benchmark, ArmRole role);

/// The name of the arm that `--placebo` adds.
inline constexpr const char* kPlaceboName = "placebo";

/// How often each arm of `benchmark` runs in one block.
///
/// Once per arm; reference arms floor(sqrt(k)) times for k >= 4 candidates (docs/statistics.md
/// section 6). Of layouts each once.
std::vector<std::size_t> RunsPerBlock(const Benchmark& benchmark, Method method = Method::kPaired);

/// One of several builds of an arm, by its name: "base/3" is the third of base.
struct ArmLayout {
  std::string group;
  std::uint32_t number = 0;  ///< from 1
  bool operator==(const ArmLayout&) const = default;
};

/// Nothing for a name that is none of a build: GROUP/NUMBER, below 1000.
std::optional<ArmLayout> LayoutOf(const std::string& arm);

/// The metrics without which `benchmark` cannot be decided, of those that not every machine has
/// (OptionalMetrics()).
std::vector<std::string> OptionalGates(const Benchmark& benchmark);

}  // namespace benchd
