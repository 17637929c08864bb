#include "client/result_options.h"

#include <unistd.h>

#include "client/terminal.h"

namespace benchd::client {
Style ResultChoice::StyleOfStdout() const {
  Style style = StyleOf(STDOUT_FILENO);
  style.time_unit = time_unit;
  return style;
}

Result<ResultChoice> ReadResultChoice(const ParsedArguments& arguments) {
  ResultChoice choice;
  choice.bisect = IsGiven(arguments, "bisect");
  const bool quiet = IsGiven(arguments, "quiet");
  const bool verbose = IsGiven(arguments, "verbose");
  if (quiet && verbose) return UsageError("--quiet: --verbose asks for the opposite");
  if (quiet) choice.detail = Detail::kVerdict;
  if (verbose) choice.detail = Detail::kAll;
  // One of its words: the parser takes no other.
  if (const std::string* unit = LastValue(arguments, "time-unit")) choice.time_unit = *unit;
  return choice;
}

}  // namespace benchd::client
