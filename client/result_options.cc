#include "client/result_options.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "client/terminal.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr auto kTimeUnits = std::to_array<std::string_view>({"ns", "us", "ms", "s"});

}  // namespace

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
  if (const std::string* unit = LastValue(arguments, "time-unit"); unit != nullptr) {
    const auto known = std::ranges::find(kTimeUnits, *unit);
    if (known == kTimeUnits.end()) {
      return UsageError("--time-unit " + *unit + ": unknown unit",
                        "write " + JoinWithOr(kTimeUnits));
    }
    choice.time_unit = *known;
  }
  return choice;
}

}  // namespace benchd::client
