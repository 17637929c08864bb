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

/// What belongs to a benchmark but travels in its arms.
struct ArmSettings {
  std::string cwd;  ///< as it was written; empty: where the caller stands
  bool shell = false;
  std::map<std::string, std::string> env;
};

/// The messages that an option's text becomes a part of. A session's own options need the session
/// only, a benchmark's all the others.
struct OptionTarget {
  v1::SessionSpec* session = nullptr;
  v1::Benchmark* benchmark = nullptr;
  ArmSettings* arms = nullptr;
  std::string cwd;  ///< relative paths start there
};

/// What the text of an option is read back from.
struct OptionSource {
  const v1::SessionSpec& session;
  const v1::Benchmark& benchmark;
};

/// Where the value of an option stands and how it is written: what parses it and what says it
/// again. Constant data, a part of the option's row (session_options.cc).
///
/// Most stand in one field of a message, whose type says how they are written: a switch, a count, a
/// word of an enum or free text. Those that do not have two functions of their own.
struct OptionField {
  enum class Part { kElsewhere, kSession, kLimits, kBenchmark, kHooks };
  enum class Number { kMargin, kProbability, kDuration };  ///< the grammar of a double
  using Parse = Result<void> (*)(const std::string& text, const OptionTarget& to);
  using Format = std::vector<std::string> (*)(const OptionSource& of);

  Part part = Part::kElsewhere;  ///< elsewhere: the command reads the option itself
  int field = 0;                 ///< its number in that message
  Number number = Number::kDuration;
  Parse parse = nullptr;
  Format format = nullptr;

  bool OfSession() const { return part == Part::kSession || part == Part::kLimits; }
  bool OfBenchmark() const { return part == Part::kBenchmark || part == Part::kHooks; }
};

// The two functions of those whose value is more than one field.
Result<void> ParseConfidence(const std::string& text, const OptionTarget& to);
Result<void> ParseEstimator(const std::string& text, const OptionTarget& to);
Result<void> ParseRule(const std::string& text, const OptionTarget& to);
Result<void> ParseLabel(const std::string& text, const OptionTarget& to);
Result<void> ParseGate(const std::string& text, const OptionTarget& to);
Result<void> ParseInput(const std::string& text, const OptionTarget& to);
Result<void> ParseOutput(const std::string& text, const OptionTarget& to);
Result<void> ParseAcceptExit(const std::string& text, const OptionTarget& to);
Result<void> ParseShell(const std::string& text, const OptionTarget& to);
Result<void> ParseCwd(const std::string& text, const OptionTarget& to);
Result<void> ParseVariable(const std::string& text, const OptionTarget& to);
std::vector<std::string> FormatNothing(const OptionSource& of);  ///< another option says it
std::vector<std::string> FormatEstimator(const OptionSource& of);
std::vector<std::string> FormatRule(const OptionSource& of);
std::vector<std::string> FormatLabels(const OptionSource& of);
std::vector<std::string> FormatGates(const OptionSource& of);
std::vector<std::string> FormatOutput(const OptionSource& of);
std::vector<std::string> FormatPrepare(const OptionSource& of);
std::vector<std::string> FormatConclude(const OptionSource& of);
std::vector<std::string> FormatAcceptExit(const OptionSource& of);
std::vector<std::string> FormatShell(const OptionSource& of);
std::vector<std::string> FormatCwd(const OptionSource& of);

/// Puts the value of an option where it belongs.
/// @errors what its grammar says; without the option's name (Error::Within).
Result<void> ParseOption(const OptionField& field, const std::string& text, const OptionTarget& to);

/// The texts that ParseOption() makes the same of, one for each time the option is to be given;
/// none where it says what holds without it.
std::vector<std::string> FormatOption(const OptionField& field, const OptionSource& of);

/// `path`, which starts at `base` unless it is absolute.
std::string Absolute(const std::string& path, const std::string& base);

/// A gate as `--metric` takes it. Its margin is left out where it is `session_margin`.
std::string GateText(const v1::Gate& gate, std::optional<double> session_margin);

/// One value of a session option and where it stands, for messages: "--margin 2%" or
/// "suite.toml:3: margin = 2%".
struct OptionValue {
  std::string text;
  std::string origin;
  bool operator==(const OptionValue&) const = default;
};

/// Session options by long name. A switch has the value "true" or "false".
using OptionValues = std::map<std::string, std::vector<OptionValue>, std::less<>>;

/// One option of a session, and all there is to know of it: its help, what reads and writes its
/// value, whether a [[benchmark]] of a file may have its own, and what it says of a table of
/// measurements.
struct SessionOption {
  OptionInfo info;
  OptionField field;
  bool per_benchmark = false;
  /// Its help in `analyze`; empty = it makes sense only where something is measured.
  std::string_view help_of_table;
};

/// The options that describe a session: the same in `compare`, `submit` and a file.
std::span<const SessionOption> SessionOptions();
/// Those of them that `analyze` takes as well, with the same meaning.
std::vector<OptionInfo> TableOptions();
const SessionOption* FindSessionOption(std::string_view name);

/// Takes the session options out of a command line. Other options (json, detach, ...) are left to
/// the command.
OptionValues CollectSessionOptions(const ParsedArguments& arguments);

/// `over`'s options replace those of `base` by name, whole lists too.
OptionValues Overlay(OptionValues base, const OptionValues& over);

}  // namespace benchd::client
