#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// One option of a command: a row of the table that the parser, `--help`, the manual pages and the
/// shell completions read.
struct OptionInfo {
  std::string_view name;   ///< long name without dashes
  char letter = 0;         ///< short name, 0 = none
  std::string_view value;  ///< placeholder of the value in the help; empty = a switch
  std::string_view help;
  std::string_view group;    ///< heading in the help
  int words = 1;             ///< number of command-line words of the value
  int numbers = 0;           ///< how many of these words, from the end, are numbers
  std::string_view choices;  ///< allowed values, "a|b|c"; empty: see FixedWords()
  bool repeatable = false;   ///< may be given more than once; a switch always may
  /// The value may be omitted. It is only taken after `=`, because the next word may be a command.
  bool optional = false;
};

constexpr OptionInfo Repeatable(OptionInfo option) {
  option.repeatable = true;
  return option;
}

/// Returns the fixed values of an option, from `choices` or else from a `value` such as "two|one".
/// Placeholders, which have capital letters ("FILE", "quantile:P"), are left out.
std::vector<std::string_view> FixedWords(const OptionInfo& option);

/// Returns the placeholder with what precedes it: "" for a switch, " FILE", or "[=PATH]" if the
/// value is optional.
std::string Placeholder(const OptionInfo& option);

/// An option as the user gave it. A switch, or an option without its optional value, has an empty
/// value. The words of a value are joined by spaces.
struct GivenOption {
  std::string name;
  std::string value;
  bool operator==(const GivenOption&) const = default;
};

struct ParsedArguments {
  std::vector<GivenOption> options;  ///< in the order given
  std::vector<std::string> positionals;
  bool operator==(const ParsedArguments&) const = default;
};

/// Sorts the words after a command's name into options and positionals.
///
/// Follows getopt_long: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`; an optional value is
/// only `--name=VALUE`. Options and positionals may be mixed, everything after `--` is positional,
/// and names cannot be abbreviated. Values are not interpreted, because commands are free text. An
/// option library that also parses lists ("[a,b]") would change them.
///
/// @errors an unknown option, or a value that is not one of its fixed words (the hint suggests the
///         nearest one); a missing or unexpected value; a word where a number is expected.
Result<ParsedArguments> ParseArguments(std::span<const std::string> words,
                                       std::span<const OptionInfo> options);

/// Rejects repeated options whose intended value is ambiguous.
///
/// @errors an option that is not repeatable has several values, or several K=V options have the
///         same key.
Result<void> CheckRepeats(const ParsedArguments& arguments, std::span<const OptionInfo> options);

/// The options before the first positional word, as in `benchctl --json list`.
struct LeadingOptions {
  std::vector<GivenOption> options;
  std::size_t words = 0;  ///< number of words that the options take
};

/// Parses the options before the first positional word.
///
/// @errors the errors of ParseArguments()
Result<LeadingOptions> ParseLeadingOptions(std::span<const std::string> words,
                                           std::span<const OptionInfo> options);

/// Returns the last value of an option, or nullptr if the option was not given.
const std::string* LastValue(const ParsedArguments& arguments, std::string_view name);
bool IsGiven(const ParsedArguments& arguments, std::string_view name);

/// Returns the options that all commands share (json, socket, ...). They may also precede the
/// command name.
std::span<const OptionInfo> EveryOption();

/// Returns `options`, followed by the options that all commands share (json, socket, ...).
std::vector<OptionInfo> WithEveryOption(std::vector<OptionInfo> options);

}  // namespace benchd::client
