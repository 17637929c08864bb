#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// A file that a harness wrote, and the arm that was measured in it.
struct HarnessFile {
  std::string name;  ///< for messages
  std::string arm;
  std::string text;
};

/// What harnesses wrote, as a table: the arms are those of the files, in their order, the
/// benchmarks are the harness' own, `main` where it has but one without a name. Pure.
///
/// A row is one process, because iterations inside of one are no replicates: a run that hyperfine
/// timed, a fork of JMH, else a file. Its values are the means of its iterations (harmonic for
/// rates: what any of the files says of a metric's direction holds for all). An arm with a single
/// process has its iterations as rows instead, and the table says so
/// (MeasurementTable::one_process).
///
/// A single file of hyperfine with several commands compares these: they are the arms.
///
/// What is a mean of all runs already (hyperfine's user and system) is no measurement: left out.
///
/// @param format  as ParseHarnessOutput() takes it.
/// @errors those of ParseHarnessOutput(), behind the file's name; kInvalidArgument for a single arm
///         and for one metric in two units or with two directions; kResourceExhausted for more than
///         a table may have (kMaxTableArms, kMaxTableBenchmarks, kMaxTableCells) or a GiB of
///         values.
Result<MeasurementTable> ReadHarnessTable(std::string_view format,
                                          std::span<const HarnessFile> files);

}  // namespace benchd
