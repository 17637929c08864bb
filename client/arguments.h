#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/exit_code.h"

namespace benchd::client {

/// The name that somebody who typed `typed` most likely meant, or "" when none is near: one that
/// begins so (three letters at least), or with at most two letters inserted, left out, changed or
/// swapped, and fewer than half of the word.
std::string Nearest(std::string_view typed, std::span<const std::string_view> names);

/// One option of a command: a row of its table, which both the parser and `--help` read.
struct OptionInfo {
  std::string_view name;   ///< long name without dashes
  char letter = 0;         ///< short name, 0 = none
  std::string_view value;  ///< how the help calls its value; empty = a switch
  std::string_view help;
  std::string_view group;  ///< heading in the help
  int words = 1;           ///< that its value takes on the command line
};

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
/// @errors an unknown option (with the nearest known one as hint), a missing or an unwanted value.
Result<ParsedArguments> ParseArguments(std::span<const std::string> words,
                                       std::span<const OptionInfo> options);

/// The last value of an option, or nullptr when it was not given.
const std::string* LastValue(const ParsedArguments& arguments, std::string_view name);
bool IsGiven(const ParsedArguments& arguments, std::string_view name);

}  // namespace benchd::client
