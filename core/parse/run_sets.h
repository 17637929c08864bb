#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/parse/run_set.h"

namespace benchd {

enum class RunsFormat : std::uint8_t {
  kByContent,  ///< raw where a shape is given, JSON where the text begins with [ or {, else CSV
  kCsv,
  kJson,
  kRaw,
};

struct RunsLayout {
  RunsFormat format = RunsFormat::kByContent;
  std::size_t runs = 0;    ///< the shape of raw data; both 0: none is given
  std::size_t values = 0;  ///< of each run
};

/// The runs in `data`: one set or, from JMH, one a benchmark; at least one.
///
/// @errors kInvalidArgument with the place: those of run_set_csv.h, run_set_json.h, run_set_raw.h;
///         a shape for data that are not raw, none for those that are.
Result<std::vector<RunSet>> ParseRuns(std::string_view data, const RunsLayout& layout,
                                      const RunSetLimits& limits = {});

}  // namespace benchd
