#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// One option of a command: a row of its table, which the parser, `--help`, the manual pages and
/// the completions of the shells read.
struct OptionInfo {
  std::string_view name;   ///< long name without dashes
  char letter = 0;         ///< short name, 0 = none
  std::string_view value;  ///< what the help calls its value; empty = a switch
  std::string_view help;
  std::string_view group;    ///< heading in the help
  int words = 1;             ///< that its value takes on the command line
  int numbers = 0;           ///< so many of these words, the last ones, are numbers
  std::string_view choices;  ///< what the value may be, "a|b|c"; empty = see FixedWords()
  bool repeatable = false;   ///< it may be given more than once; a switch always may
};

constexpr OptionInfo Repeatable(OptionInfo option) {
  option.repeatable = true;
  return option;
}

/// The words that an option's value may be: those of `choices`, else of a `value` such as
/// "two|one". What is not written in lower case stands for something ("FILE", "quantile:P") and is
/// left out.
std::vector<std::string_view> FixedWords(const OptionInfo& option);

/// An option as it was given; a switch has an empty value, several words stand between blanks.
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
/// The conventions of getopt_long: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, options
/// and positionals mixed, everything after `--` positional; names are never abbreviated. Values are
/// taken as they are: commands are free text, and libraries that also read lists ("[a,b]") would
/// change it.
///
/// @errors an unknown option, or a value that is none of its fixed words (each with the nearest
///         known one as hint); a missing or an unwanted value; a word that is not a number where
///         one is expected.
Result<ParsedArguments> ParseArguments(std::span<const std::string> words,
                                       std::span<const OptionInfo> options);

/// @errors an option with a value that was given more than once and is not repeatable, or a K=V
///         option whose key was: which of the values is meant cannot be known.
Result<void> CheckRepeats(const ParsedArguments& arguments, std::span<const OptionInfo> options);

/// The options in front of the first word that is none: `benchctl --json list`.
struct LeadingOptions {
  std::vector<GivenOption> options;
  std::size_t words = 0;  ///< that they take
};

/// @errors as ParseArguments
Result<LeadingOptions> ParseLeadingOptions(std::span<const std::string> words,
                                           std::span<const OptionInfo> options);

/// The last value of an option, or nullptr when it was not given.
const std::string* LastValue(const ParsedArguments& arguments, std::string_view name);
bool IsGiven(const ParsedArguments& arguments, std::string_view name);

/// The options of every command (json, socket, ...), which may stand before its name as well.
std::span<const OptionInfo> EveryOption();

/// `options` together with those of every command (json, socket, ...).
std::vector<OptionInfo> WithEveryOption(std::vector<OptionInfo> options);

}  // namespace benchd::client
