#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/result.h"
#include "core/parse/run_set.h"

namespace benchd {

/// Doubles of 8 bytes, little-endian, without a header: the values of the first run, then those of
/// the second...
///
/// @errors kInvalidArgument: not runs x values x 8 bytes; "run 2, value 3: ..." for one that is not
///         finite; limits.
Result<RunSet> ParseRunsRaw(std::string_view bytes, std::size_t runs, std::size_t values,
                            const RunSetLimits& limits = {});

}  // namespace benchd
