#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/model/run.h"

namespace benchd {

/// The output of a harness in one run.
struct HarnessOutput {
  std::vector<Sample> samples;  ///< in order of appearance
  /// One per metric, in order of appearance. `name` is the user-visible form: NAME or INNER/NAME,
  /// because a unit and a resolution may apply to one benchmark only.
  std::vector<MetricInfo> metrics;
  /// Commands that the harness timed and that did not exit with 0. Their values are ordinary
  /// samples; the parser does not decide whether they count.
  std::vector<InnerExit> exits;
  /// Some value is the mean of iterations that the text does not contain, so their spread is
  /// unknown.
  bool means_alone = false;
  bool operator==(const HarnessOutput&) const = default;
};

/// Checks at submission, before anything runs, whether ParseHarnessOutput() supports a format.
///
/// @errors kInvalidArgument "parse: unknown format 'xml'"; the hint lists the known ones.
Result<void> CheckHarnessFormat(std::string_view format);

/// Converts a run's stdout to samples. Pure; runs in benchd-helper with the caller's ids, never in
/// the daemon.
///
/// The parsers below document each format. In all of them, values are in SI units where possible,
/// directions are set if known, names are limited in length, and there are at most kMaxSamples
/// (harness_builder.h) values.
///
/// @errors kInvalidArgument "line 3: ..." with what was expected: a malformed number, NaN,
///         infinity, a duplicate name, invalid UTF-8, nesting too deep, no value at all; and those
///         of CheckHarnessFormat().
Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text);

/// The format for people who write their own benchmarks: one value per line,
/// `[ITERATION] [SAMPLE] NAME VALUE [UNIT]`, separated by blanks or tabs. Pure; any thread.
///
/// - Empty lines and lines starting with `#` are ignored. `#! prefer=lower|higher unit=U` (one or
///   both) applies to all lines after it. A UNIT on the line takes precedence over its unit, but
///   must be compatible with its direction: the same unit, another unit of time, or without `unit=`
///   any unit whose usual direction is not the opposite. Without `prefer`, the metric has no
///   direction: it is reported, and gates only if the gate names a direction.
/// - NAME is anything that is not a number, or anything in double quotes. ITERATION and SAMPLE are
///   integers that distinguish values of one NAME, each pair once; Sample::iteration counts them
///   from 0 in order of appearance.
/// - VALUE is kept in the unit in which its NAME was first printed; only units of time are
///   converted.
/// - Resolution: the last decimal printed, the smallest over the run.
///
/// @errors kInvalidArgument "line 3: ..." with what was expected; "no value ..." for a text without
///         values. Also a repeated NAME without numbers, with another unit or direction than
///         before, or equal to one of benchd's own metrics, and a UNIT that is a number.
Result<HarnessOutput> ParseLines(std::string_view text);

/// The output of Google Benchmark with `--benchmark_format=json`. Pure; any thread.
///
/// INNER is the benchmark's name. NAME is real_time and cpu_time (seconds per iteration, lower is
/// better), items_per_second and bytes_per_second (higher; their reciprocals, so they gate only if
/// named), the counts of a MemoryManager (allocs_per_iter, max_bytes_used; lower), and each user
/// counter under its own name, without unit and direction, because the JSON has neither.
/// Repetitions are the samples of a run. Aggregates (mean, median, BigO...) are derived from them
/// and ignored.
///
/// @errors kInvalidArgument "line 3: ...": not JSON, a benchmark that failed (error_occurred), a
///         time that is missing or not a number, an unknown time unit, a duplicate repetition, or
///         only aggregates.
Result<HarnessOutput> ParseGoogleBenchmark(std::string_view text);

/// One metric of one command that hyperfine timed.
struct HyperfineSeries {
  MetricInfo metric;           ///< NAME alone
  std::vector<double> values;  ///< in the order of its runs
  bool is_mean = false;        ///< the mean of all runs, not a measurement (CPU times of schema 1)
};

/// One command that hyperfine timed; its first series is `time`, with one value per run.
struct HyperfineCommand {
  std::string name;      ///< the name given by -n, else the command
  std::size_t line = 0;  ///< where it begins, from 1
  std::vector<HyperfineSeries> series;
  std::vector<std::optional<int>> exit_codes;  ///< by run; absent: ended by a signal. Empty:
                                               ///< not in the file
};

/// Reads the output of hyperfine's `--export-json`: schema 1 (until 1.20) and schema 2 (from 2.0).
/// Pure; any thread; as much memory as the report.
///
/// Metric names are the same for both. One sample per run of the command: time (seconds),
/// memory_usage (bytes, of versions that measure it), and in schema 2 cpu, user, system (seconds)
/// and the processor's counters (cpu_cycles, cpu_instructions...). In schema 1, user and system are
/// means. Lower is better. CPU times and counters gate only if named, since they are parts of the
/// time. Unknown metrics have no direction.
///
/// @errors kInvalidArgument "line 3: ...": not JSON, a time or an exit code that is missing or not
///         a number, a duplicate command, one metric in two units.
Result<std::vector<HyperfineCommand>> ReadHyperfine(std::string_view text);

/// The same as samples of one run. INNER is the command's name, but empty if there is only one,
/// since two arms that time different commands should still be compared.
Result<HarnessOutput> ParseHyperfine(std::string_view text);

/// The output of `go test -bench` (golang.org/design/14313-benchmark-format) or `go test -json`.
/// Pure; any thread.
///
/// A line `BenchmarkName-8  1000  12.5 ns/op  16 B/op` is one sample of each of its units; with
/// `-count`, a benchmark has several. INNER is the benchmark's name as printed, prefixed by its
/// package if the output has several. NAME is the unit as Go's own tools write it: "sec/op",
/// "B/op", "allocs/op", "B/s". Values are SI: seconds, bytes.
///
/// - `Unit UNIT better=higher` sets the direction for all lines before and after it. The direction
///   of the four units above is known; any other unit has none.
/// - "B/s" gates only if named when "sec/op" is present, whose reciprocal it is.
/// - Other lines are ignored: configuration, PASS, ok, and the program's log. A result that log
///   output has split is reassembled.
/// - Resolution: the last decimal printed.
///
/// @errors kInvalidArgument "line 3: ...": a result without its number of iterations or a value, a
///         malformed number, a duplicate unit in a line, an incomplete result; a line that reports
///         a failure, anywhere: `--- FAIL: ...`, `FAIL`, `panic: ...`, `fatal error: ...`, or a
///         failure event of -json; "no value ...".
Result<HarnessOutput> ParseGoBenchmark(std::string_view text);

/// The raw data of one metric of one benchmark in a JMH report: `values[fork][iteration]`.
///
/// A fork is a separate process. Forks may be compared as runs; iterations happen within one.
struct JmhSeries {
  std::string benchmark;  ///< name in JMH; with parameters "a.B.c:size=10,kind=x"
  /// The mode (thrpt, avgt, sample, ss) or a secondary metric's name, prefixed by the mode
  /// ("thrpt/gc.count") if the benchmark was run in several. Secondary metrics gate only if named.
  std::string metric;
  std::string unit;  ///< an SI unit if there is one: "s" for any time per operation, "1/s"
  std::optional<Better> better;
  double resolution = 0;  ///< in `unit`: last decimal printed, the finest of the series
  bool primary = true;
  std::size_t line = 0;  ///< where its raw data begin, from 1
  std::vector<std::vector<double>> values;
};

/// Reads a report that JMH wrote with `-rf json`. Pure; any thread; as much memory as the report.
///
/// In mode `sample`, JMH keeps a histogram of each iteration; the value here is its mean.
///
/// @errors kInvalidArgument "line 3: ..." with what was expected: text that is not JSON or nested
///         too deeply, a benchmark twice in one mode, a duplicate metric, no raw data
///         (jmh.json.rawData=false), a value that JMH wrote as "NaN" or "+INF".
Result<std::vector<JmhSeries>> ReadJmh(std::string_view text);

/// The same as samples of one run: INNER is the benchmark, NAME the metric; iterations are numbered
/// across forks.
Result<HarnessOutput> ParseJmh(std::string_view text);

/// The output of pytest-benchmark with `--benchmark-json`. Pure; any thread.
///
/// INNER is the test's full name ("bench_x.py::test_parse[10]"), NAME is time (seconds, lower is
/// better): each round of `stats.data` if the file has them, else `stats.mean`.
///
/// @errors kInvalidArgument "line 3: ...": not JSON, a round that is not a number, neither rounds
///         nor a mean, a duplicate test.
Result<HarnessOutput> ParsePytestBenchmark(std::string_view text);

/// The Bencher Metric Format, JSON: {"BENCHMARK": {"MEASURE": {"value": 88.0}}}. Pure; any thread.
///
/// INNER is the benchmark, NAME the measure. The file has neither units nor directions; Bencher
/// itself defines them for four measures: `latency` in nanoseconds (kept as seconds, lower is
/// better), `throughput` in operations per second (higher), `build-time` in seconds and `file-size`
/// in bytes (lower). Any other needs `--metric NAME:lower|:higher` to gate. lower_value and
/// upper_value are bounds, not measurements, and are ignored.
///
/// @errors kInvalidArgument "line 3: ...": not JSON, a value that is missing or not a number, a
///         duplicate benchmark or measure.
Result<HarnessOutput> ParseBmf(std::string_view text);

/// The output of mmtests' `extract-mmtests.pl --format script`: one OPERATION ITERATION SAMPLE
/// VALUE per line; older versions omit ITERATION or SAMPLE. Pure; any thread.
///
/// The operation is the metric's name. The output has neither unit nor direction; a preceding line
/// `#! prefer=higher unit=1/s` sets them, or the gate itself does (`--metric NAME:higher`).
///
/// @errors kInvalidArgument "line 3: ..." with what was expected; a duplicate sample.
Result<HarnessOutput> ParseMmtests(std::string_view text);

}  // namespace benchd
