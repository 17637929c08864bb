#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The runs of one benchmark in a file, each a series of values in time order.
struct RunSet {
  std::string name;                       ///< of the benchmark; empty if the file has no name
  std::vector<std::string> run_names;     ///< one per run: from the file, else "1", "2"...
  std::vector<std::vector<double>> runs;  ///< finite values; lengths may differ
  bool operator==(const RunSet&) const = default;
};

/// Limits for a file of runs, over all its sets. They exist because comparing runs takes a hundred
/// times the memory of the runs, and a long time.
struct RunSetLimits {
  std::size_t values = 1'000'000;
  std::size_t runs = 1000;  ///< per set
  std::size_t sets = 1000;
};

/// The format of a file of runs.
///
/// CSV has two forms:
///
/// - One column per run: an optional line with the names of the runs, then rows with one value of
///   each run. A run that is shorter than others ends in empty fields.
/// - One row per value: the name of the run, then the value. This form is assumed if the first line
///   has two names and the first is `run`. Rows of a run need not be adjacent; runs are in order of
///   appearance.
///
/// JSON is an array with an array of numbers for each run, or JMH's own result (`-rf json`). The
/// latter is an array with an object for each benchmark, and `primaryMetric.rawData[fork]` are the
/// runs. The name of the set is that of the benchmark, with its parameters after a colon.
///
/// Raw data are little-endian doubles of 8 bytes without a header: the values of the first run,
/// then those of the second, and so on.
enum class RunsFormat : std::uint8_t {
  kByContent,  ///< raw if a shape is given, JSON if the text begins with [ or {, else CSV
  kCsv,
  kJson,
  kRaw,
};

struct RunsLayout {
  RunsFormat format = RunsFormat::kByContent;
  std::size_t runs = 0;    ///< the shape of raw data; 0 and 0 if not given
  std::size_t values = 0;  ///< per run
};

/// Reads the runs in `data`: at least one set, or with JMH one per benchmark.
///
/// @errors kInvalidArgument, with the position. In CSV, "line 3, column 5: ..." for a malformed
///         number, NaN, infinity, an empty field with a value below it, a row with another number
///         of fields, a duplicate or missing name, a text without values; and the errors of
///         ReadCsv(). In JSON, "line 3: ..." for text that is not JSON or has neither form, a value
///         that is not a number or not finite (JMH writes "NaN"); and the errors of ReadJmh(). In
///         raw data, a size other than runs x values x 8 bytes, and "run 2, value 3: ..." for a
///         value that is not finite. For all formats: a shape that is given for CSV or JSON, or
///         missing for raw data; an exceeded limit.
Result<std::vector<RunSet>> ParseRuns(std::string_view data, const RunsLayout& layout,
                                      const RunSetLimits& limits = {});

}  // namespace benchd
