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
#include "core/model/profile.h"

namespace benchd {

/// The permanent identifier of a session. Users type the id or a unique prefix of it.
///
/// It has eight characters (40 bits) of Crockford's base 32 in lower case, which avoids characters
/// that look alike.
struct SessionId {
  std::string value;
  auto operator<=>(const SessionId&) const = default;
};

/// Encodes the low 40 bits of `random` as an id.
SessionId MakeSessionId(std::uint64_t random);

/// The role of an arm. The placebo is a copy of the first reference that is compared but never
/// gates: it is a control (Benchmark::control). A measured arm is not compared: the result is its
/// mean or quantile (model/measurement.h), and all arms of its session are measured.
enum class ArmRole { kReference, kCandidate, kPlacebo, kMeasured };
BENCHD_NAMES(ArmRole, "reference", "candidate", "placebo", "measured")

/// The commit from which an arm was built, for information only.
struct Commit {
  std::string id;           ///< 40 or 64 hexadecimal digits
  std::string description;  ///< output of `git describe`
  bool operator==(const Commit&) const = default;
};
BENCHD_FIELDS(Commit, id, description)

/// A command that runs before or after the measured runs, as the caller and untimed. If the command
/// is empty, there is no hook.
struct Hook {
  std::string command;  ///< as the user wrote it
  /// The words to execute, filled in at submission. Empty if there is no command.
  std::vector<std::string> argv;
  bool Exists() const { return !command.empty(); }
  bool operator==(const Hook&) const = default;
};
BENCHD_FIELDS(Hook, command, argv)

/// One of the systems that are compared: a command and its directory.
struct Arm {
  std::string name;
  ArmRole role = ArmRole::kCandidate;
  /// A single string as the user wrote it. It is split by shell quoting rules, or passed to a
  /// shell's -c if `shell` is set.
  std::string command;
  bool shell = false;
  /// The program of `shell`: a name in the caller's PATH, or an absolute path. Empty: /bin/sh.
  std::string interpreter;
  /// The words to execute, filled in at submission (for `shell`: INTERPRETER -c COMMAND).
  std::vector<std::string> argv;
  /// Merged into SessionSpec::environment, whose values it overrides.
  std::map<std::string, std::string> env;
  std::string cwd;  ///< absolute
  /// The program of the command, filled in at submission. If the program has changed when a run
  /// starts, the session fails. Absent if the session's build or setup creates the program; then
  /// SessionSnapshot::setup contains it.
  std::optional<ProgramIdentity> program;
  std::optional<Commit> commit;
  /// Overrides the benchmark's hook; after submission all arms have one, or none has.
  Hook prepare;
  Hook conclude;      ///< like `prepare`
  std::string input;  ///< path like Benchmark::input, which it overrides; set for all arms or none
  bool operator==(const Arm&) const = default;
};
BENCHD_FIELDS(Arm, name, role, command, shell, interpreter, argv, env, cwd, program, commit,
              prepare, conclude, input)

/// A git worktree that a build creates.
struct BuildTree {
  std::string commit;
  std::string key;          ///< the name of its folder below BuildPlan::root
  std::string layout_seed;  ///< BENCHD_LAYOUT_SEED of its build; empty: not set
  bool operator==(const BuildTree&) const = default;
};
BENCHD_FIELDS(BuildTree, commit, key, layout_seed)

/// The description of a build command that benchctl wrote to build commits. The daemon stores it
/// for clients, and takes the folders of the second phase from it (model/second_trees.h).
struct BuildPlan {
  std::string root;        ///< absolute directory of the worktrees
  std::string repository;  ///< git's common directory, as an absolute path
  std::string build;       ///< command for `sh -c`; empty: nothing is built
  /// In the order of the arms, without the placebo. With SessionSpec::confirm, those of the second
  /// phase follow in the same order.
  std::vector<BuildTree> trees;
  bool from_bundle = false;  ///< the session's bundle contains the commits, not `repository`
  bool operator==(const BuildPlan&) const = default;
};
BENCHD_FIELDS(BuildPlan, root, repository, build, trees, from_bundle)

/// The hooks of a benchmark, in order of execution.
struct Hooks {
  bool shell = false;       ///< pass each hook to a shell's -c
  std::string interpreter;  ///< as Arm::interpreter, for all hooks except `build`
  /// The absolute directory of build, setup and cleanup; empty = the directory of the first arm.
  /// The other hooks run in the directory of their arm.
  std::string cwd;
  Hook build;  ///< once before setup, on the whole machine and with a longer time limit
  /// Once before the first run, and again after the machine has rebooted. Build and setup run again
  /// before the second phase (SessionSpec::confirm), with BENCHD_PHASE=confirming.
  Hook setup;
  Hook prepare;   ///< before every run, in the directory and environment of its arm
  Hook conclude;  ///< after every run
  Hook cleanup;   ///< once after the session ends in any way, even by a crash of benchd
  std::optional<BuildPlan> build_plan;  ///< the description of `build`, if benchctl wrote it
  bool operator==(const Hooks&) const = default;
};
BENCHD_FIELDS(Hooks, shell, interpreter, cwd, build, setup, prepare, conclude, cleanup, build_plan)

/// How a gate measures a worsening. An exact gate has no margin while the values of each arm are
/// all equal: any worsening is a regression. If values vary, its margin is one unit, as a
/// difference.
enum class MarginKind { kRatio, kAbsolute, kExact };
BENCHD_NAMES(MarginKind, "ratio", "absolute", "exact")

/// A metric that decides the verdict. A margin above zero is the smallest worsening that counts. A
/// margin below zero is the smallest improvement that passes: -0.05 passes if the candidate is at
/// least 5 % better, and is a regression if it is not.
struct Gate {
  std::string metric;
  MarginKind kind = MarginKind::kRatio;
  /// For kRatio a fraction (0.02 = 2 %), for kAbsolute in `unit`, and for kExact 1. Never 0 in a
  /// session, and above -1 for a ratio of which lower is better.
  double margin = 0.02;
  std::optional<Better> better;  ///< overrides the metric's own direction
  std::string unit = {};  ///< unit of an absolute margin, "s" or "B"; empty: the metric's unit
  /// Whether the user gave no margin, so that `margin` is the default. A gate on a count of work
  /// (CountsWork()) is then exact, unless that default asks for an improvement.
  bool margin_implied = false;
  bool operator==(const Gate&) const = default;
};
BENCHD_FIELDS(Gate, metric, kind, margin, better, unit, margin_implied)

/// The destination of a child's stdout and stderr. It does not affect `parse`, which reads stdout
/// first, unless the numbers are in files. With kDiscard stdout is /dev/null, with kPipe it is a
/// pipe whose content is discarded.
enum class OutputKind { kDiscard, kLog, kFile, kPipe };
BENCHD_NAMES(OutputKind, "null", "log", "file", "pipe")

/// One benchmark of a session: the same work in every arm.
struct Benchmark {
  std::string name = "main";
  std::vector<Arm> arms;
  Hooks hooks;
  std::string parse;    ///< harness format, or an adapter's name or file; empty = not parsed
  std::string adapter;  ///< text of the adapter if `parse` names a file
  /// Whether the adapter reads stderr instead of stdout. Set at admission (queue/validate_spec.cc),
  /// and not part of the message.
  bool parse_stderr = false;
  /// Pattern of the files with the numbers (base/file_pattern.h), in the directory of the arm;
  /// empty if they are in the output. Files that match are removed before each run.
  std::string parse_file;
  /// If empty, the gate is wall_time, or with `parse` every parsed metric with a direction.
  std::vector<Gate> gates;
  std::optional<double> default_margin;  ///< replaces the default margin of the session
  std::string input;  ///< path opened with the caller's permissions; empty = /dev/null
  OutputKind output = OutputKind::kDiscard;
  std::string output_path;  ///< used by kFile
  bool ignore_failure = false;
  std::vector<int> accept_exit;  ///< exit codes of a successful run; empty: 0
  bool allow_missing = false;    ///< a metric that an arm lacks causes a warning and does not gate
  bool check_output = false;     ///< all arms must print the same stdout; not with kFile
  /// The kind of program that the commands start, whose benchmarks become those of the session
  /// (model/inner_benchmarks.h); empty = the command is one benchmark.
  std::string harness;
  std::vector<std::string> only;  ///< patterns of the benchmarks to take; empty = all
  /// The benchmark of the program that this one runs. Set by the session once it has listed them;
  /// until then, and without `harness`, empty.
  std::string inner;
  /// Whether each benchmark of the program always runs alone. Otherwise those whose runs are mostly
  /// the start of the program share processes (analysis/benchmark_groups.h).
  bool no_groups = false;
  /// Whether the benchmark is a control: something that must not change. All of its gates are
  /// controls, which tell a machine that changed from code that did (analysis/controls.h).
  bool control = false;
  /// Names of controls, or patterns for them (analysis/controls.h): of this benchmark, and of those
  /// that its program lists or prints. It is an error if a name matches nothing in any benchmark
  /// that has it.
  std::vector<std::string> controls;
  bool operator==(const Benchmark&) const = default;
};
BENCHD_FIELDS(Benchmark, name, arms, hooks, parse, adapter, parse_stderr, parse_file, gates, input,
              output, output_path, ignore_failure, accept_exit, allow_missing, check_output,
              default_margin, harness, only, inner, no_groups, control, controls)

/// The maximum number of benchmarks of a session, including those found in its programs.
inline constexpr std::size_t kMaxBenchmarks = 1000;
/// The maximum number of names of controls that a benchmark may have.
inline constexpr std::size_t kMaxControlNames = 100;
/// The maximum number of gates that a benchmark may name, and that of patterns among them and in
/// --only. A program chooses the names that they are compared with.
inline constexpr std::size_t kMaxGateNames = 1000;
inline constexpr std::size_t kMaxNamePatterns = 100;
/// The maximum size of a gate's name (INNER/NAME), and of one that is a pattern.
inline constexpr std::size_t kMaxGateNameBytes = 1281;
inline constexpr std::size_t kMaxPatternBytes = 256;

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
  /// For kPrecision: the required hi - lo of the relative change or, for measured arms, the
  /// required (hi - lo) / estimate.
  double width = 0;
  bool operator==(const Rule&) const = default;
};
BENCHD_FIELDS(Rule, kind, width)
enum class Sided { kTwo, kOne };
BENCHD_NAMES(Sided, "two", "one")
/// The meaning of alpha if there are several gates: the probability of any wrong verdict, or the
/// expected share of wrong ones among the regressions, and among the passes.
enum class ErrorRate { kFamily, kFdr };
BENCHD_NAMES(ErrorRate, "family", "fdr")
enum class AtLimit { kUndecided, kEstimate };
BENCHD_NAMES(AtLimit, "undecided", "estimate")

/// The largest limits that a user may set. A forecast above them is treated as unknown, because no
/// limit could allow it.
inline constexpr std::uint64_t kMostBlocks = 10'000'000;
inline constexpr Nanoseconds kLongestDuration = std::chrono::hours(24 * 30);

/// The limits of a session. Runs are counted in blocks.
struct Limits {
  std::uint64_t min_runs = 8;
  std::optional<std::uint64_t> max_runs;  ///< at most this many blocks; uses the horizon boundary
  std::optional<std::uint64_t> runs;      ///< exactly this many blocks, with one look
  Nanoseconds max_time = std::chrono::minutes(10);  ///< time limit from the first measured run
  Nanoseconds timeout = std::chrono::minutes(5);    ///< time limit of each run
  AtLimit at_limit = AtLimit::kUndecided;
  bool fail_fast = false;
  bool operator==(const Limits&) const = default;
};
BENCHD_FIELDS(Limits, min_runs, max_runs, runs, max_time, timeout, at_limit, fail_fast)

enum class ScheduleKind { kPairs, kCoin };
BENCHD_NAMES(ScheduleKind, "pairs", "coin")
struct ScheduleSpec {
  ScheduleKind kind = ScheduleKind::kPairs;
  std::uint64_t warmup = 1;  ///< number of discarded blocks
  bool operator==(const ScheduleSpec&) const = default;
};
BENCHD_FIELDS(ScheduleSpec, kind, warmup)

enum class Isolation { kStrict, kBestEffort, kOff };
BENCHD_NAMES(Isolation, "strict", "best-effort", "off")

/// The complete request for a session, as a user submitted it, after validation
/// (queue/validate_spec.h).
struct SessionSpec {
  std::vector<Benchmark> benchmarks;
  Method method = Method::kPaired;
  Estimator estimator;
  Rule rule;
  double alpha = 0.01;  ///< 1 - confidence, in (0, 1)
  /// The one-sided confidence of a pass, in (0.5, 1): P(false pass) <= 1 - this. Absent: passes
  /// have the level of regressions.
  std::optional<double> pass_confidence;
  double default_margin = 0.02;  ///< for gates without a margin, if the benchmark has no default
  Sided sided = Sided::kTwo;
  ErrorRate error_rate = ErrorRate::kFamily;
  Limits limits;
  ScheduleSpec schedule;
  std::uint64_t seed = 0;
  std::string machine_profile = "default";
  Isolation isolation = Isolation::kBestEffort;
  std::string cpus;  ///< CPU list within the profile's CPUs; empty = the profile's CPUs
  /// Settings of the profile to leave unchanged, by their names in MachineSettingNames().
  std::vector<std::string> settings_off;
  bool placebo = false;
  /// Compare gates that regressed once more, in a second phase with builds and runs of its own. A
  /// regression is one of both phases.
  bool confirm = false;
  /// Every block has a run of every arm. Otherwise arms retire whose gates are all settled, while
  /// their benchmark has other gates (analysis/retirement.h).
  bool keep_all = false;
  /// Whether looks at fewer than eight pairs may decide that an arm takes a multiple
  /// (stats/early_look.h). Set at admission (EarlyLooksByDefault()); absent in sessions of releases
  /// without early looks, which have none.
  std::optional<bool> early_looks;
  /// Samples what the runs execute. Such a session has `limits.runs`, and its result is what each
  /// function costs (Report::explanations).
  std::optional<Profile> profile;
  std::int32_t priority = 0;
  std::map<std::string, std::string> labels;
  /// The arguments of `benchctl compare` that requested the session, quoted for a shell, without
  /// --seed and without the values of variables. Empty if another client requested it.
  std::string invocation;
  /// Files that occur in commands and that the client recognised as git-lfs pointers.
  std::vector<std::string> lfs_pointers;
  /// The caller's environment. Its values are kept as long as the session is kept, and are never
  /// exported.
  std::map<std::string, std::string> environment;
  Caller caller;
  bool operator==(const SessionSpec&) const = default;
};
BENCHD_FIELDS(SessionSpec, benchmarks, method, estimator, rule, alpha, pass_confidence,
              default_margin, sided, error_rate, limits, schedule, seed, machine_profile, isolation,
              cpus, settings_off, placebo, confirm, keep_all, early_looks, profile, priority,
              labels, invocation, lfs_pointers, environment, caller)

/// Returns the indices of the arms with this role, in the order of the spec.
std::vector<std::size_t> ArmsWithRole(const Benchmark& benchmark, ArmRole role);

/// Returns whether the arms of the benchmark, or of the whole session, are measured and not
/// compared (ArmRole::kMeasured).
bool IsMeasured(const Benchmark& benchmark);
bool IsMeasured(const SessionSpec& spec);

/// Returns whether a session may have early looks: it watches means of pairs against a margin, from
/// the default of min_runs on.
bool PermitsEarlyLooks(const SessionSpec& spec);
/// Returns whether a session has early looks if nobody asked: it permits them, and a benchmark has
/// several candidates, so that an arm may retire.
bool EarlyLooksByDefault(const SessionSpec& spec);

/// Returns the number of pairs of a reference and a candidate, or of measured arms. Each has a row
/// per metric in every report.
std::uint64_t PairsOf(const Benchmark& benchmark);

/// The name of the arm that `--placebo` adds.
inline constexpr const char* kPlaceboName = "placebo";

/// Returns how often each arm of `benchmark` runs in one block.
///
/// This is once, except that reference arms run floor(sqrt(k)) times if there are k >= 4 candidates
/// (docs/statistics.md section 6). With Method::kLayouts every arm runs once.
std::vector<std::size_t> RunsPerBlock(const Benchmark& benchmark, Method method = Method::kPaired);

/// The name of one of several builds of an arm: "base/3" is the third build of base.
struct ArmLayout {
  std::string group;
  std::uint32_t number = 0;  ///< number of the build, from 1
  bool operator==(const ArmLayout&) const = default;
};

/// Parses GROUP/NUMBER, with a number below 1000. Returns std::nullopt for any other name.
std::optional<ArmLayout> LayoutOf(const std::string& arm);

/// Returns the optional metrics (OptionalMetrics()) that are gates of `benchmark`. Without them it
/// cannot be decided. A pattern stands for all optional metrics that it matches, unless it also
/// matches a metric of every run: then it can be decided without them.
std::vector<std::string> OptionalGates(const Benchmark& benchmark);

}  // namespace benchd
