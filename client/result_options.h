#pragma once

#include <string_view>

#include "client/arguments.h"
#include "client/render/report.h"
#include "client/render/text.h"

namespace benchd::client {

/// How a result is printed on stdout, as the command line says it.
struct ResultChoice {
  Detail detail = Detail::kUsual;
  std::string_view time_unit;  ///< Style::time_unit; of the arguments
  bool bisect = false;         ///< one line for `git bisect run`

  /// That of stdout, with the unit.
  Style StyleOfStdout() const;
};

/// Reads those of ResultOptions() and --bisect.
///
/// @param arguments  outlive the choice
/// @errors (exit 2) --quiet together with --verbose.
Result<ResultChoice> ReadResultChoice(const ParsedArguments& arguments);

}  // namespace benchd::client
