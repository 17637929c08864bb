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

/// The state of a repository that an arm is built from.
struct CommitInput {
  std::string id;
  std::string description;
  bool operator==(const CommitInput&) const = default;
};

/// One arm as it was written, before commands are filled in.
struct ArmInput {
  std::string name;
  std::string role;                   ///< "", "reference" or "candidate"
  std::string command;                ///< may be empty when every benchmark brings its own
  std::string dir;                    ///< what {dir} stands for, absolute
  std::string origin;                 ///< for messages: "BASE", "suite.toml:4: arm"
  std::optional<CommitInput> commit;  ///< then it runs in `dir`
  std::string cwd = {};  ///< where it runs without --cwd; empty: where the caller stands
  bool operator==(const ArmInput&) const = default;
};

/// One benchmark as it was written; an empty command means each arm's own.
struct BenchmarkInput {
  std::string name;  ///< empty: main
  std::string command;
  OptionValues options;  ///< over the session's, per_benchmark ones only
  std::string origin;
  std::vector<ArmInput> arms;  ///< its own ones; empty: the session's
  std::string family;          ///< its name without the values of parameters (ExpandSuite)
  bool operator==(const BenchmarkInput&) const = default;
};

/// Everything that becomes a SessionSpec, from a command line or a file.
struct SpecInput {
  OptionValues options;
  std::vector<ArmInput> arms;
  std::vector<BenchmarkInput> benchmarks;
  bool templates = false;  ///< {name} and {dir} stand in commands (files and --git only)
  std::string build;       ///< every benchmark's build command; empty: none
  BuildPlan build_plan;    ///< what it does
  std::string origin;      ///< the file's name; empty: the command line
  /// With --same-is-pass: what both sides of --git are. Then there is nothing to measure.
  std::optional<CommitInput> same_commit = {};
  bool operator==(const SpecInput&) const = default;
};

/// The arms and the one benchmark of `compare BASE CANDIDATE...`, with -n and --reference; with
/// --git one command for two arms, which have no folders yet, and no names but those of -n
/// (git/git_arms.h). The benchmark is called what --benchmark says, else main.
///
/// @errors no candidate, more names than commands, --reference without NAME=, --reference with
/// --git.
Result<SpecInput> InputFromCommandLine(const ParsedArguments& arguments);

/// More benchmarks than that are not for one session; benchd refuses them as well.
inline constexpr std::size_t kMostBenchmarks = 1000;

/// What `{NAME}` stands for in commands: one benchmark a value.
struct Parameter {
  std::string name;
  std::vector<std::string> values;  ///< all different, never empty
  bool operator==(const Parameter&) const = default;
};

/// `NAME A,B,...`; `\,` is a comma inside a value, `""` a value without text. Pure.
///
/// @errors (exit 2) no NAME of letters, digits, `_` and `-`, or `name` or `dir`, which stand for
///         the arm; no values, an empty or equal ones, more than kMostBenchmarks.
Result<Parameter> ParseParameterList(std::string_view text);

/// `NAME MIN MAX STEP`: MIN, MIN + STEP, ... up to MAX, which belongs to it. Decimal arithmetic:
/// 0.1 to 0.3 by 0.1 are three values, each written with the decimals of MIN and STEP. Pure.
///
/// @errors (exit 2) the name, as above; what is no decimal of 18 digits at most; a STEP that is not
///         above zero, MAX below MIN, more than kMostBenchmarks values.
Result<Parameter> ParseParameterScan(std::string_view text);

/// A suite as it is run: one benchmark for each combination of the values of the parameters that
/// it uses (`NAME/size=8/mode=fast`), with `{size}` filled in wherever its commands and options
/// have it; of all these those that --only asks for. Pure; nothing is left of the options
/// parameter-list, parameter-scan and only.
///
/// With `between`, the values of that parameter are arms instead: `size=8` and so on, the first is
/// the reference.
///
/// The names of arms have them filled in as well.
///
/// A benchmark that says `{size}` nowhere is there once: to run it for each value would measure the
/// same thing several times.
///
/// @errors (exit 2) what ParseParameterList and ParseParameterScan refuse; a parameter that is
///         there twice or used nowhere; `between` without such a parameter, with a single value,
///         beside other arms, or with `{size}` outside of a command; more than kMostBenchmarks
///         benchmarks; a pattern of --only
///         that no benchmark matches, with the nearest name.
Result<SpecInput> ExpandSuite(SpecInput input);

/// A sentence for each parameter that differs between some of the arms' commands alone, since the
/// other arms then do the same in all of its benchmarks. Pure; of a suite before it is expanded.
std::vector<std::string> NotesOnParameters(const SpecInput& input);

/// Reads the TOML of `compare -f FILE`: [defaults], [[arm]], [[benchmark]].
///
/// Keys are the long names of the options with `_` for `-`; in [[benchmark]] those that a benchmark
/// may have for itself. `dir` of an arm is relative to the file. Pure.
///
/// @param name  how the file is called in messages: "suite.toml:12: ..."
/// @param directory  where the file lies, absolute
/// @errors (exit 2) no TOML, an unknown key or a value of the wrong type, each with its line.
Result<SpecInput> ParseSpecFile(std::string_view text, const std::string& name,
                                const std::string& directory);

/// The same from disk; "-" is stdin.
///
/// @param remote  `cwd` is on another machine, and so is what the file names: paths start at `cwd`
Result<SpecInput> ReadSpecFile(const std::string& path, const std::string& cwd,
                               bool remote = false);

/// Options and commands to the message that is submitted.
///
/// Fields that were not given stay absent, so that the daemon's defaults hold. Paths are made
/// absolute here, because the daemon has another working directory; files are opened by nobody
/// before the run, which does it as the caller. Pure.
///
/// @errors (exit 2) every value that its grammar does not take; --confidence with --alpha; no or
///         equal names; no reference or no candidate; an empty, too long or unsendable command;
///         equal benchmarks; a benchmark's margin where it cannot be told which metrics it belongs
///         to.
Result<v1::SessionSpec> BuildSpec(const SpecInput& input, const CallerContext& caller);

/// The options of `analyze` to a spec: no arms, which the table has, and one
/// benchmark with the gates if there are any. Pure.
///
/// @errors (exit 2) as BuildSpec's for these options.
Result<v1::SessionSpec> BuildTableSpec(const OptionValues& options);

}  // namespace benchd::client
