#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// The format for people who write their own benchmark: one value a line,
/// `[ITERATION] [SAMPLE] NAME VALUE [UNIT]`, separated by blanks or tabs. Pure; any thread.
///
/// - Empty lines and lines starting with `#` say nothing. `#! prefer=lower|higher unit=U` (one or
///   both) holds for all lines after it; a UNIT on the line goes before it. Without `prefer` the
///   metric has no direction: it can be reported, and gate only when the gate names one.
/// - NAME is anything that is not a number. ITERATION and SAMPLE are whole numbers that tell values
///   of one NAME apart, each pair once; Sample::iteration counts them in order of appearance, from
///   0.
/// - VALUE is kept in the unit it was printed in: nothing is converted.
/// - Resolution: the last decimal printed, the smallest over the run.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected; "no value ..." for a text
///         without one. A NAME twice without numbers, with another unit or direction than before,
///         or that is one of benchd's own metrics is an error too.
Result<HarnessOutput> ParseLines(std::string_view text);

}  // namespace benchd
