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
  std::string name;                       ///< of the benchmark; empty if the file has none
  std::vector<std::string> run_names;     ///< one per run: from the file, else "1", "2"...
  std::vector<std::vector<double>> runs;  ///< finite values; lengths may differ
  bool operator==(const RunSet&) const = default;
};

/// Limits for a file of runs, over all its sets. Comparing runs takes a hundred times their memory,
/// and even more time.
struct RunSetLimits {
  std::size_t values = 1'000'000;
  std::size_t runs = 1000;  ///< per set
  std::size_t sets = 1000;
};

/// The format of a file of runs.
///
/// CSV has two forms:
///
/// - one column per run: an optional line with the runs' names, then rows with one value of each
///   run. A run shorter than others ends in empty fields.
/// - one row per value, if the first line has two names and the first is `run`: the run's name,
///   then the value. Rows of one run need not be adjacent; runs are in order of appearance.
///
/// JSON is an array with an array of numbers for each run, or JMH's own result (`-rf json`): an
/// array with an object for each benchmark, whose `primaryMetric.rawData[fork][iteration]` are its
/// runs. The set's name is the benchmark's, with its parameters after a colon.
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
  std::size_t runs = 0;    ///< the shape of raw data; both 0: not given
  std::size_t values = 0;  ///< per run
};

/// Reads the runs in `data`: at least one set, or with JMH one per benchmark.
///
/// @errors kInvalidArgument with the position. CSV, "line 3, column 5: ...": a malformed number,
///         NaN, infinity, an empty field with a value below it, a row with another number of
///         fields, a duplicate or missing name, no values; and those of ReadCsv(). JSON, "line 3:
///         ...": text that is not JSON or neither form, a value that is not a number or not finite
///         (JMH writes "NaN"), and those of ReadJmh(). Raw: a size other than runs x values x 8
///         bytes; "run 2, value 3: ..." for one that is not finite. A shape given for other
///         formats, or missing for raw data. Exceeded limits.
Result<std::vector<RunSet>> ParseRuns(std::string_view data, const RunsLayout& layout,
                                      const RunSetLimits& limits = {});

}  // namespace benchd
