#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// The runs of one benchmark as a file has them: each a series of values in order of measuring.
struct RunSet {
  std::string name;                    ///< of the benchmark; empty where the file names none
  std::vector<std::string> run_names;  ///< as many as runs: as the file has them, else "1", "2"...
  std::vector<std::vector<double>> runs;  ///< finite values; lengths may differ
  bool operator==(const RunSet&) const = default;
};

/// What a file of runs may hold at most, over all its sets: what comparing them takes in memory is
/// a hundred times as much, in time more.
struct RunSetLimits {
  std::size_t values = 1'000'000;
  std::size_t runs = 1000;  ///< of one set
  std::size_t sets = 1000;
};

/// How a file of runs is written.
///
/// CSV is one of two forms:
///
/// - a column a run: a line with the runs' names, which may be missing, then a row of values each.
///   A run that is shorter than others ends in empty fields.
/// - a row a value, when the first line has two names of which the first is `run`: the run's name,
///   then the value; rows of one run need not stand together, runs are in order of appearance.
///
/// JSON is an array with an array of numbers for each run, or JMH's own result (`-rf json`), an
/// array with an object for each benchmark, whose `primaryMetric.rawData[fork][iteration]` are its
/// runs; the name is the benchmark's, with its parameters behind a colon.
///
/// Raw are doubles of 8 bytes, little-endian, without a header: the values of the first run, then
/// those of the second...
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
/// @errors kInvalidArgument with the place. CSV, "line 3, column 5: ...": no number, NaN, infinity,
///         an empty field with a value below it, a row with another number of fields, a name twice
///         or none, no values; those of ReadCsv(). JSON, "line 3: ...": what is no JSON, what is
///         neither form, a value that is no number or not finite (JMH writes "NaN"), those of
///         ReadJmh(). Raw: not runs x values x 8 bytes; "run 2, value 3: ..." for one that is not
///         finite. A shape for data that are not raw, none for those that are. Limits.
Result<std::vector<RunSet>> ParseRuns(std::string_view data, const RunsLayout& layout,
                                      const RunSetLimits& limits = {});

}  // namespace benchd
