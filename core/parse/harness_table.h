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

/// Converts harness files to a table. The arms are those of the files, in order. The benchmarks are
/// the harness's own, or `main` if the harness has a single benchmark without a name. Pure.
///
/// A row is one process, because iterations within a process are not replicates. A process is a run
/// that hyperfine timed, a fork of JMH, a run of pyperf, a launch of BenchmarkDotNet, or, for other
/// formats, a file. The values of a row are the means of its iterations, harmonic means for rates.
/// A direction that any file gives for a metric applies to all files. If an arm has a single
/// process, its rows are the iterations instead, and MeasurementTable::one_process is set.
///
/// If there is a single hyperfine file with several commands, the commands are the arms.
///
/// Means of all runs (hyperfine's user and system) are not measurements, and are ignored.
///
/// @param format, adapter  as for ParseHarnessOutput().
/// @errors those of ParseHarnessOutput(), prefixed by the file's name; kInvalidArgument for a
///         single arm, and for a metric in two units or with two directions; kResourceExhausted
///         above the limits of a table (kMaxTableArms, kMaxTableBenchmarks, kMaxTableCells) or a
///         GiB of values.
Result<MeasurementTable> ReadHarnessTable(std::string_view format,
                                          std::span<const HarnessFile> files,
                                          std::string_view adapter = {});

}  // namespace benchd
