#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/arguments.h"
#include "client/option_field.h"

namespace benchd::client {

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
/// value, how often it may be given, whether a [[benchmark]] of a file may have its own, and what
/// it says of a table of measurements.
struct SessionOption {
  OptionInfo info;
  OptionField field;
  bool repeatable = false;
  bool per_benchmark = false;
  /// Its help in `analyze`; empty = it makes sense only where something is measured.
  std::string_view help_of_table;
};

/// The options that describe a session: the same in `compare`, `submit` and a file.
std::span<const SessionOption> SessionOptions();
/// Those of them that `analyze` takes as well, with the same meaning.
std::vector<OptionInfo> TableOptions();
const SessionOption* FindSessionOption(std::string_view name);

/// Takes the session options out of a command line. Of an option that is not repeatable the last
/// one counts. Other options (json, detach, ...) are left to the command.
OptionValues CollectSessionOptions(const ParsedArguments& arguments);

/// `over`'s options replace those of `base` by name, whole lists too.
OptionValues Overlay(OptionValues base, const OptionValues& over);

}  // namespace benchd::client
