#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// The intersection of the intervals of all looks of a session, compared with the last one: equal
/// arms, the default method, 1000 pairs with a look after each from the eighth on, regardless of
/// decisions.
///
/// For each family and level: the share of sessions whose looks exclude each other, and of those
/// whose last estimate lies outside; the mean width as a share of the last look's; the sessions
/// whose verdict differs from that of the first single look that excludes the margin; and the
/// decided sessions whose interval is not on their verdict's side.
///
/// @errors kInvalidArgument for an unknown family.
Result<std::string> IntersectionReport(const Options& options, Format format);

}  // namespace benchd::validity
