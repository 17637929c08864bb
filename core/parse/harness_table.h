#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/parse/measurement_table.h"

namespace benchd {

/// A file that a harness wrote, and the arm that it measured.
struct HarnessFile {
  std::string name;  ///< for messages
  std::string arm;
  std::string text;
};

/// Converts harness files to a table. The arms are those of the files, in order; the benchmarks are
/// the harness's own, or `main` if it has only one, without a name. Pure.
///
/// A row is one process, because iterations within a process are not replicates: a run that
/// hyperfine timed, a fork of JMH, otherwise a file. Its values are the means of its iterations
/// (harmonic for rates; a metric's direction in any of the files applies to all). An arm with a
/// single process has its iterations as rows instead, and the table notes this
/// (MeasurementTable::one_process).
///
/// The arms of a single hyperfine file with several commands are these commands.
///
/// Means of all runs (hyperfine's user and system) are not measurements, and are ignored.
///
/// @param format  as for ParseHarnessOutput().
/// @errors those of ParseHarnessOutput(), prefixed by the file's name; kInvalidArgument for a
///         single arm, and for one metric in two units or with two directions; kResourceExhausted
///         above the limits of a table (kMaxTableArms, kMaxTableBenchmarks, kMaxTableCells) or a
///         GiB of values.
Result<MeasurementTable> ReadHarnessTable(std::string_view format,
                                          std::span<const HarnessFile> files);

}  // namespace benchd
