#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/arguments.h"
#include "client/app/exit_code.h"

namespace benchd::client {

/// Whether a shell runs a command, and which one (v1.Arm.shell and interpreter).
struct ShellChoice {
  bool used = false;
  std::string interpreter = {};  ///< a name or an absolute path; empty: /bin/sh
  bool operator==(const ShellChoice&) const = default;
};

/// Returns the shell of a message's commands, or sets it.
template <typename Message>
ShellChoice ShellOf(const Message& message) {
  return {message.shell(), message.interpreter()};
}
template <typename Message>
void SetShell(const ShellChoice& shell, Message* message) {
  message->set_shell(shell.used);
  message->set_interpreter(shell.interpreter);
}

/// Returns the shell of a benchmark's hooks if no shell is given for all arms: the one that the
/// arms share. If they differ, it is sh, which also runs hooks that need no shell.
ShellChoice ShellForHooks(const v1::Benchmark& benchmark);

/// Settings of a benchmark that messages store in its arms.
struct ArmSettings {
  std::string cwd;  ///< as given; empty: the caller's working directory
  ShellChoice shell;
  std::map<std::string, std::string> env;
};

/// The messages that options are parsed into. Options of a session need only `session`; options of
/// a benchmark need all other members.
struct OptionTarget {
  v1::SessionSpec* session = nullptr;
  v1::Benchmark* benchmark = nullptr;
  ArmSettings* arms = nullptr;
  std::string cwd;  ///< base of relative paths
};

/// The messages from which options are formatted.
struct OptionSource {
  const v1::SessionSpec& session;
  const v1::Benchmark& benchmark;
};

/// Describes where the value of an option is stored, and how it is parsed and formatted. This is
/// constant data in the table of options (session_options.cc).
///
/// Most options are stored in one field of a message, whose type determines the syntax: a switch, a
/// count, a word of an enum or free text. All others have a parser and a formatter.
struct OptionField {
  enum class Part { kElsewhere, kSession, kLimits, kBenchmark, kHooks };
  enum class Number { kMargin, kProbability, kDuration };  ///< syntax of a double
  using Parse = Result<void> (*)(const std::string& text, const OptionTarget& to);
  using Format = std::vector<std::string> (*)(const OptionSource& of);

  Part part = Part::kElsewhere;  ///< kElsewhere: the command itself reads the option
  int field = 0;                 ///< field number in that message
  Number number = Number::kDuration;
  Parse parse = nullptr;
  Format format = nullptr;

  bool OfSession() const { return part == Part::kSession || part == Part::kLimits; }
  bool OfBenchmark() const { return part == Part::kBenchmark || part == Part::kHooks; }
};

// Parsers and formatters of options that are not stored in a single field.
Result<void> ParseConfidence(const std::string& text, const OptionTarget& to);
Result<void> ParsePassConfidence(const std::string& text, const OptionTarget& to);
Result<void> ParseEstimator(const std::string& text, const OptionTarget& to);
Result<void> ParseRule(const std::string& text, const OptionTarget& to);
Result<void> ParseEarlyLooks(const std::string& text, const OptionTarget& to);
Result<void> ParseLabel(const std::string& text, const OptionTarget& to);
Result<void> ParseGate(const std::string& text, const OptionTarget& to);
Result<void> ParseInput(const std::string& text, const OptionTarget& to);
Result<void> ParseResultFile(const std::string& text, const OptionTarget& to);
Result<void> ParseOutput(const std::string& text, const OptionTarget& to);
Result<void> ParseAcceptExit(const std::string& text, const OptionTarget& to);
Result<void> ParseHarness(const std::string& text, const OptionTarget& to);
Result<void> ParseOnly(const std::string& text, const OptionTarget& to);
Result<void> ParseControl(const std::string& text, const OptionTarget& to);
Result<void> ParseShell(const std::string& text, const OptionTarget& to);
Result<void> ParseCwd(const std::string& text, const OptionTarget& to);
Result<void> ParseVariable(const std::string& text, const OptionTarget& to);
std::vector<std::string> FormatNothing(const OptionSource& of);  ///< never formats an option
std::vector<std::string> FormatEstimator(const OptionSource& of);
std::vector<std::string> FormatRule(const OptionSource& of);
/// Formats nothing if the session has early looks by default, or lacks them by default.
std::vector<std::string> FormatEarlyLooks(const OptionSource& of);
std::vector<std::string> FormatLabels(const OptionSource& of);
std::vector<std::string> FormatGates(const OptionSource& of);
std::vector<std::string> FormatOutput(const OptionSource& of);
std::vector<std::string> FormatInput(const OptionSource& of);
std::vector<std::string> FormatResultFile(const OptionSource& of);
std::vector<std::string> FormatPrepare(const OptionSource& of);
std::vector<std::string> FormatConclude(const OptionSource& of);
std::vector<std::string> FormatAcceptExit(const OptionSource& of);
/// Formats nothing if the harness implies the format.
std::vector<std::string> FormatParse(const OptionSource& of);
std::vector<std::string> FormatOnly(const OptionSource& of);
std::vector<std::string> FormatControl(const OptionSource& of);
std::vector<std::string> FormatShell(const OptionSource& of);
std::vector<std::string> FormatCwd(const OptionSource& of);

/// Parses the value of an option and stores it.
///
/// @errors those of its syntax, without the name of the option (Error::Within).
Result<void> ParseOption(const OptionField& field, const std::string& text, const OptionTarget& to);

/// Returns the texts from which ParseOption() restores the value, one per occurrence of the option;
/// none if the value is the default.
std::vector<std::string> FormatOption(const OptionField& field, const OptionSource& of);

/// Returns `path`, resolved against `base` unless it is absolute.
std::string Absolute(const std::string& path, const std::string& base);

/// Formats a gate in the syntax of `--metric`. A gate without a margin gets the default again.
std::string GateText(const v1::Gate& gate);

/// A value of a session option with its origin for messages: "--margin 2%" or
/// "suite.toml:3: margin = 2%".
struct OptionValue {
  std::string text;
  std::string origin;
  bool operator==(const OptionValue&) const = default;
};

/// Session options by long name. A switch has the value "true" or "false".
using OptionValues = std::map<std::string, std::vector<OptionValue>, std::less<>>;

/// An option of a session: its help, the parser and formatter of its value, whether a [[benchmark]]
/// or an [[arm]] of a file may have its own value, and the help for tables of measurements.
struct SessionOption {
  OptionInfo info;
  OptionField field;
  bool per_benchmark = false;
  /// Of several values, each belongs to one arm, in order; env instead names the arm in its value.
  bool per_arm = false;
  /// Help text of `analyze`; empty if the option is only for sessions.
  std::string_view help_of_table;
  /// Whether `measure` lacks the option, because it is about a comparison.
  bool only_compared = false;
  /// Whether true and false are values in a [[benchmark]], which then stand for its own name.
  bool switch_in_benchmark = false;
};

/// Returns the options that describe a session, which `compare`, `submit` and files share.
std::span<const SessionOption> SessionOptions();
/// Returns the session options that `analyze` also accepts, with the same meaning.
std::vector<OptionInfo> TableOptions();
const SessionOption* FindSessionOption(std::string_view name);

/// Collects the session options of a command line. The command itself reads all other options
/// (json, detach, ...).
OptionValues CollectSessionOptions(const ParsedArguments& arguments);

/// Merges two sets of options. An option of `over` replaces the option of `base` with the same
/// name, including its whole list of values.
OptionValues Overlay(OptionValues base, const OptionValues& over);

}  // namespace benchd::client
