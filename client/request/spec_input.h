#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/request/caller.h"
#include "client/request/session_options.h"
#include "core/model/session_spec.h"

namespace benchd::client {

/// The commit from which an arm is built.
struct CommitInput {
  std::string id;
  std::string description;
  bool operator==(const CommitInput&) const = default;
};

/// An arm as given, before placeholders are replaced.
struct ArmInput {
  std::string name;
  std::string role;                   ///< "", "reference" or "candidate"
  std::string command;                ///< may be empty if every benchmark has a command
  std::string dir;                    ///< absolute path that replaces {dir}
  std::string origin;                 ///< for messages: "BASE", "suite.toml:4: arm"
  std::optional<CommitInput> commit;  ///< if set, the arm runs in `dir`
  std::string cwd = {};               ///< default of --cwd; empty: the caller's working directory
  OptionValues options = {};          ///< the arm's own values; per_arm only
  bool operator==(const ArmInput&) const = default;
};

/// A benchmark as given. If its command is empty, each arm has a command.
struct BenchmarkInput {
  std::string name;  ///< empty: main
  std::string command;
  OptionValues options;  ///< override the options of the session; per_benchmark only
  std::string origin;
  std::vector<ArmInput> arms;  ///< replace the arms of the session unless empty
  std::string family;          ///< the name without the values of parameters (ExpandSuite)
  bool operator==(const BenchmarkInput&) const = default;
};

/// The input from which a SessionSpec is built, from a command line or a file.
struct SpecInput {
  OptionValues options;
  std::vector<ArmInput> arms;
  std::vector<BenchmarkInput> benchmarks;
  bool templates = false;  ///< whether commands may contain {name} and {dir}
  /// Whether the arms are measured and not compared. Their roles are then ignored.
  bool measures = false;
  std::string build;     ///< build command of every benchmark; empty: none
  BuildPlan build_plan;  ///< the plan of that command
  std::string origin;    ///< name of the file; empty: the command line
  /// With --same-is-pass: the commit of both sides of --git. If set, nothing is measured.
  std::optional<CommitInput> same_commit = {};
  /// Whether the base of --git takes both sides (request/self_comparison.h).
  bool against_itself = false;
  bool operator==(const SpecInput&) const = default;
};

/// Returns the arms and the only benchmark of `compare BASE CANDIDATE...`, with -n and --reference.
/// With --git, two arms share one command; they do not have folders yet, and only -n gives them
/// names (git/git_arms.h). The name of the benchmark is that of --benchmark, else main.
///
/// @errors no candidate, more names than commands, --reference without NAME=, --reference with
///         --git.
Result<SpecInput> InputFromCommandLine(const ParsedArguments& arguments);

/// Returns the arms and the only benchmark of `measure COMMAND...`. An arm without a name in -n
/// gets that of its program: "gzip", "gzip-2" and so on. With --between, the only command is that
/// of every value.
///
/// @errors no command, more names than commands, several commands with --between.
Result<SpecInput> MeasuredInput(const ParsedArguments& arguments);

/// Maximum number of benchmarks in a session; benchd enforces the same limit.
inline constexpr std::size_t kMostBenchmarks = 1000;

/// A parameter whose values replace `{NAME}` in commands, with one benchmark per value.
struct Parameter {
  std::string name;
  std::vector<std::string> values;  ///< distinct; at least one
  bool operator==(const Parameter&) const = default;
};

/// Parses `NAME A,B,...`. A comma inside a value is written `\,`, an empty value `""`. Pure.
///
/// @errors (exit 2) NAME has characters other than letters, digits, `_` and `-`, or is `name` or
///         `dir`, which are reserved; no values, an unquoted empty value, equal values, or more
///         than kMostBenchmarks values.
Result<Parameter> ParseParameterList(std::string_view text);

/// Parses `NAME MIN MAX STEP`: MIN, MIN + STEP, ... up to and including MAX. Decimal arithmetic
/// makes 0.1 to 0.3 by 0.1 three values. They are written with the decimals of MIN and STEP. Pure.
///
/// @errors (exit 2) an invalid name, as above; a number that is not a decimal of at most 18 digits;
///         STEP not above zero, MAX below MIN, or more than kMostBenchmarks values.
Result<Parameter> ParseParameterScan(std::string_view text);

/// Expands a suite into one benchmark per combination of the values of the parameters that it uses
/// (`NAME/size=8/mode=fast`). Replaces `{size}` in commands, options and names of arms. Keeps only
/// the benchmarks that --only selects. With a harness, a pattern that names no benchmark becomes
/// the benchmark's own `only`, because it selects among those inside the program. The result does
/// not have the options parameter-list, parameter-scan and only of the session. Pure.
///
/// With `between`, the values of that parameter become arms instead (`size=8` and so on), and the
/// first is the reference.
///
/// A benchmark that does not use `{size}` is kept once, because running it for each value would
/// repeat the same measurement.
///
/// @errors (exit 2) those of ParseParameterList and ParseParameterScan; a parameter that is given
///         twice or not used; `between` without such a parameter, with a single value, with other
///         arms, or with `{size}` outside of a command; more than kMostBenchmarks benchmarks; a
///         pattern of --only that no benchmark matches (the hint suggests the nearest name).
Result<SpecInput> ExpandSuite(SpecInput input);

/// Returns a note for each parameter that only some arms use in their commands, because the other
/// arms then do the same in all of its benchmarks. Takes a suite that is not expanded yet. Pure.
std::vector<std::string> NotesOnParameters(const SpecInput& input);

/// Reads the TOML of `compare -f FILE`: [defaults], [[arm]], [[benchmark]], and `confirm`, which
/// may stand at the top instead of in [defaults].
///
/// Keys are the long names of the options with `_` for `-`. [[benchmark]] accepts only
/// per_benchmark options, and [[arm]] only per_arm options. `dir` of an arm is relative to the
/// file. Pure.
///
/// @param name       the name of the file in messages: "suite.toml:12: ..."
/// @param directory  the folder of the file, absolute
/// @errors (exit 2) invalid TOML, an unknown key or a value of the wrong type, each with its line.
Result<SpecInput> ParseSpecFile(std::string_view text, const std::string& name,
                                const std::string& directory);

/// Reads the file from disk and parses it; "-" is stdin.
///
/// @param remote  whether the paths in the file are on another machine, relative to `cwd` there
Result<SpecInput> ReadSpecFile(const std::string& path, const std::string& cwd,
                               bool remote = false);

/// Builds the message to submit from options and commands.
///
/// Fields that were not given stay absent, so that the daemon's defaults apply. Paths are made
/// absolute here, because the daemon has another working directory. Files are not opened before the
/// run, which opens them as the caller. Pure.
///
/// @errors (exit 2) an invalid value; --confidence with --alpha; missing or equal names; no
///         reference or no candidate, unless the arms are measured; an empty, too long or
///         unsendable command; equal names of benchmarks.
Result<v1::SessionSpec> BuildSpec(const SpecInput& input, const CallerContext& caller);

/// Builds a spec from the options of `analyze`. It does not have arms, because these come from the
/// table, and it has one benchmark with the gates, if there are any. Pure.
///
/// @errors (exit 2) those of BuildSpec() for these options.
Result<v1::SessionSpec> BuildTableSpec(const OptionValues& options);

}  // namespace benchd::client
