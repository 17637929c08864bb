#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// What the intervals of all looks of a session have in common, beside the last one's: equal arms,
/// the default method, 1000 pairs of which every one from the eighth on is a look, whatever was
/// decided meanwhile.
///
/// Of each family and level: the share of sessions whose looks exclude each other, and of those
/// whose last estimate lies outside; the mean width as a share of the last look's; the sessions
/// whose verdict is another one than that of the first single look that leaves the margin; and the
/// decided sessions whose interval does not lie on their verdict's side.
///
/// @errors kInvalidArgument for an unknown family.
Result<std::string> IntersectionReport(const Options& options, Format format);

}  // namespace benchd::validity
