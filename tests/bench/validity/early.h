#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// Sessions with early looks (stats/early_look.h), up to 1000 pairs. For each family and level: the
/// false verdicts if the true change is the margin, and the intervals that exclude the true ratio
/// if that is 1.5, 1/1.5 or 4, by an early look alone and by any look. In addition, the mean number
/// of pairs until a multiple is decided.
///
/// @errors kInvalidArgument for an unknown family.
Result<std::string> EarlyReport(const Options& options, Format format);

}  // namespace benchd::validity
