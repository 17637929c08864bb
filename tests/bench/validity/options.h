#pragma once

#include <span>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

struct CommandLine {
  Options options;
  Format format = Format::kText;
  bool check = false;
  bool coverage = false;
  bool change_points = false;
  bool replication = false;
  bool intersection = false;
  bool confirmation = false;
  bool measure = false;
  bool checks = false;
  bool early = false;
  bool help = false;
};

/// @param words  the arguments without the program's name; must outlive the result.
/// @errors kInvalidArgument for an unknown word or a value out of range.
Result<CommandLine> ParseCommandLine(std::span<const char* const> words);

const char* HelpText();

}  // namespace benchd::validity
