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

/// Identifies a session permanently. Users type it or a unique prefix.
///
/// Eight characters of Crockford's base 32 in lower case (40 bits), which has no look-alikes.
struct SessionId {
  std::string value;
  auto operator<=>(const SessionId&) const = default;
};

/// Encodes the low 40 bits of `random` as an id.
SessionId MakeSessionId(std::uint64_t random);

/// The placebo is a second copy of the first reference that is compared but never gates.
enum class ArmRole { kReference, kCandidate, kPlacebo };
BENCHD_NAMES(ArmRole, "reference", "candidate", "placebo")

/// The state of the repository from which an arm was built; for information only.
struct Commit {
  std::string id;           ///< 40 or 64 hexadecimal digits
  std::string description;  ///< output of `git describe`
  bool operator==(const Commit&) const = default;
};
BENCHD_FIELDS(Commit, id, description)

/// A command that runs around the measured runs, as the caller and untimed. An empty command means
/// that there is no hook.
struct Hook {
  std::string command;  ///< as the user wrote it
  /// The words to execute; filled in at submission, empty without a command.
  std::vector<std::string> argv;
  bool Exists() const { return !command.empty(); }
  bool operator==(const Hook&) const = default;
};
BENCHD_FIELDS(Hook, command, argv)

/// One of the systems compared: a command and its directory.
struct Arm {
  std::string name;
  ArmRole role = ArmRole::kCandidate;
  /// A single string as the user wrote it. It is split by shell quoting rules, or passed to `sh -c`
  /// if `shell` is set.
  std::string command;
  bool shell = false;
  /// The words to execute, filled in at submission (for `shell`: /bin/sh -c COMMAND).
  std::vector<std::string> argv;
  /// Merged into SessionSpec::environment, whose values it overrides.
  std::map<std::string, std::string> env;
  std::string cwd;  ///< absolute
  /// Filled in at submission; a run of another program fails the session. Absent if the session's
  /// build or setup makes the program; then SessionSnapshot::setup has it.
  std::optional<ProgramIdentity> program;
  std::optional<Commit> commit;
  Hook prepare;   ///< overrides the benchmark's; after submission either all arms have one or none
  Hook conclude;  ///< likewise
  bool operator==(const Arm&) const = default;
};
BENCHD_FIELDS(Arm, name, role, command, shell, argv, env, cwd, program, commit, prepare, conclude)

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

/// The hooks of a benchmark, in order of execution.
struct Hooks {
  bool shell = false;  ///< pass each to `sh -c`
  /// Directory of build, setup and cleanup, absolute; empty = that of the first arm. The other
  /// hooks run in the directory of their arm.
  std::string cwd;
  Hook build;     ///< once before setup, on the whole machine and with a longer time limit
  Hook setup;     ///< once before the first run, and again after the machine has rebooted
  Hook prepare;   ///< before every run, in its arm's directory and environment
  Hook conclude;  ///< after every run
  Hook cleanup;   ///< once after any end of the session, benchd's crash included
  std::optional<BuildPlan> build_plan;  ///< what `build` does, where benchctl wrote it
  bool operator==(const Hooks&) const = default;
};
BENCHD_FIELDS(Hooks, shell, cwd, build, setup, prepare, conclude, cleanup, build_plan)

enum class MarginKind { kRatio, kAbsolute };
BENCHD_NAMES(MarginKind, "ratio", "absolute")

/// A metric that decides the verdict; `margin` is the smallest worsening that counts.
struct Gate {
  std::string metric;
  MarginKind kind = MarginKind::kRatio;
  double margin = 0.02;          ///< ratio: a fraction (0.02 = 2 %); absolute: in `unit`
  std::optional<Better> better;  ///< overrides the metric's own direction
  std::string unit = {};         ///< of an absolute margin, "s" or "B"; empty: the metric's own
  bool operator==(const Gate&) const = default;
};
BENCHD_FIELDS(Gate, metric, kind, margin, better, unit)

/// The destination of a child's stdout and stderr. Independent of `parse`, which reads stdout
/// first.
enum class OutputKind { kDiscard, kLog, kFile };
BENCHD_NAMES(OutputKind, "null", "log", "file")

/// One benchmark of a session: the same work in every arm.
struct Benchmark {
  std::string name = "main";
  std::vector<Arm> arms;
  Hooks hooks;
  std::string parse;  ///< harness format, empty = none
  /// If empty: wall_time, or with `parse` every parsed metric with a direction.
  std::vector<Gate> gates;
  std::optional<double> default_margin;  ///< instead of the session's
  std::string input;                     ///< path opened as the caller, empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;  ///< for kFile
  bool ignore_failure = false;
  std::vector<int> accept_exit;  ///< exit codes of a successful run; empty: 0
  bool allow_missing = false;    ///< a metric that an arm lacks gives a warning instead of a gate
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
  double width = 0;  ///< for kPrecision: the required hi - lo of the relative change
  bool operator==(const Rule&) const = default;
};
BENCHD_FIELDS(Rule, kind, width)
enum class Sided { kTwo, kOne };
BENCHD_NAMES(Sided, "two", "one")
enum class AtLimit { kUndecided, kEstimate };
BENCHD_NAMES(AtLimit, "undecided", "estimate")

/// The largest limits that a user may set. A longer forecast is treated as unknown, because no
/// limit could allow it.
inline constexpr std::uint64_t kMostBlocks = 10'000'000;
inline constexpr Nanoseconds kLongestDuration = std::chrono::hours(24 * 30);

/// The limits of a session. Runs are counted in blocks.
struct Limits {
  std::uint64_t min_runs = 8;
  std::optional<std::uint64_t> max_runs;            ///< uses the horizon boundary
  std::optional<std::uint64_t> runs;                ///< exactly this many blocks, with one look
  Nanoseconds max_time = std::chrono::minutes(10);  ///< from the first measured run
  Nanoseconds timeout = std::chrono::minutes(5);    ///< for each run
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

/// The full request for a session, as users submit it, after validation (queue/validate_spec.h).
struct SessionSpec {
  std::vector<Benchmark> benchmarks;
  Method method = Method::kPaired;
  Estimator estimator;
  Rule rule;
  double alpha = 0.01;           ///< 1 - confidence, in (0, 1)
  double default_margin = 0.02;  ///< for gates without one; a benchmark's comes first
  Sided sided = Sided::kTwo;
  Limits limits;
  ScheduleSpec schedule;
  std::uint64_t seed = 0;
  std::string machine_profile = "default";
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;  ///< CPU list within the profile's, empty = the profile's
  /// Settings of the profile to leave unchanged, by the names of MachineSettingNames().
  std::vector<std::string> settings_off;
  bool placebo = false;
  std::int32_t priority = 0;
  std::map<std::string, std::string> labels;
  /// The arguments of `benchctl compare` that requested it, quoted for a shell, without --seed and
  /// without values of variables; empty = another client.
  std::string invocation;
  /// Files named in commands that are git-lfs pointers, as found by the client.
  std::vector<std::string> lfs_pointers;
  /// The caller's environment. Its values are kept as long as the session, and never exported.
  std::map<std::string, std::string> environment;
  Caller caller;
  bool operator==(const SessionSpec&) const = default;
};
BENCHD_FIELDS(SessionSpec, benchmarks, method, estimator, rule, alpha, default_margin, sided,
              limits, schedule, seed, machine_profile, isolation, cpus, settings_off, placebo,
              priority, labels, invocation, lfs_pointers, environment, caller)

/// Indices of the arms with that role, in spec order.
std::vector<std::size_t> ArmsWithRole(const Benchmark& benchmark, ArmRole role);

/// The name of the arm that `--placebo` adds.
inline constexpr const char* kPlaceboName = "placebo";

/// How often each arm of `benchmark` runs in one block.
///
/// Once, but reference arms floor(sqrt(k)) times for k >= 4 candidates (docs/statistics.md
/// section 6). With Method::kLayouts always once.
std::vector<std::size_t> RunsPerBlock(const Benchmark& benchmark, Method method = Method::kPaired);

/// One of several builds of an arm, from its name: "base/3" is the third build of base.
struct ArmLayout {
  std::string group;
  std::uint32_t number = 0;  ///< from 1
  bool operator==(const ArmLayout&) const = default;
};

/// Parses GROUP/NUMBER, with a number below 1000; std::nullopt for any other name.
std::optional<ArmLayout> LayoutOf(const std::string& arm);

/// The optional metrics (OptionalMetrics()) that are gates of `benchmark`; without them it cannot
/// be decided.
std::vector<std::string> OptionalGates(const Benchmark& benchmark);

}  // namespace benchd
