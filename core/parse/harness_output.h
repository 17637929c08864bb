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

/// What a harness printed in one run.
struct HarnessOutput {
  std::vector<Sample> samples;  ///< in order of appearance
  /// One for each metric, in order of appearance. `name` is what users read and write: NAME, or
  /// INNER/NAME, because a unit and a resolution may be one benchmark's alone.
  std::vector<MetricInfo> metrics;
  /// Commands that the harness timed and that did not end with 0: their values are samples like any
  /// other, and whether they count is not the parser's to decide.
  std::vector<InnerExit> exits;
  /// A value is the mean of iterations that the text does not have: how they spread is unknown.
  bool means_alone = false;
  bool operator==(const HarnessOutput&) const = default;
};

/// Whether ParseHarnessOutput takes that format; asked at submit, before anything runs.
///
/// @errors kInvalidArgument "parse: 'xml' is not a known format; known: lines, ...".
Result<void> CheckHarnessFormat(std::string_view format);

/// Turns a run's stdout into samples. Pure; runs in benchd-helper with the caller's ids, never in
/// the daemon.
///
/// What becomes of each format stands with its parser, below. For all of them: values in SI units
/// where there is one, the direction where it is known, names of a bounded length, kMaxSamples of
/// harness_builder.h.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected: no number, NaN, infinity, a
///         name twice, invalid UTF-8, nesting too deep, no value at all; those of
///         CheckHarnessFormat.
Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text);

/// The format for people who write their own benchmark: one value a line,
/// `[ITERATION] [SAMPLE] NAME VALUE [UNIT]`, separated by blanks or tabs. Pure; any thread.
///
/// - Empty lines and lines starting with `#` say nothing. `#! prefer=lower|higher unit=U` (one or
///   both) holds for all lines after it; a UNIT on the line goes before it, and must be one that
///   the direction was said of: the same, or another unit of time, or without `unit=` none whose
///   usual direction is the opposite. Without `prefer` the metric has no direction: it can be
///   reported, and gate only when the gate names one.
/// - NAME is anything that is not a number, or anything in double quotes. ITERATION and SAMPLE are
///   whole numbers that tell values of one NAME apart, each pair once; Sample::iteration counts
///   them in order of appearance, from 0.
/// - VALUE is kept in the unit in which its NAME was printed first: another unit of time is
///   converted to it, nothing else.
/// - Resolution: the last decimal printed, the smallest over the run.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected; "no value ..." for a text
///         without one. A NAME twice without numbers, with another unit or direction than before,
///         or that is one of benchd's own metrics is an error too, and a number for a UNIT.
Result<HarnessOutput> ParseLines(std::string_view text);

/// What Google Benchmark prints by `--benchmark_format=json`. Pure; any thread.
///
/// INNER is the benchmark's name; NAME is real_time and cpu_time (seconds an iteration, lower is
/// better), items_per_second and bytes_per_second (higher; their reciprocals, so that they gate by
/// name only), what a MemoryManager counts (allocs_per_iter, max_bytes_used; lower), and each user
/// counter under its own name: without unit and direction, because the JSON tells neither.
/// Repetitions are the samples of a run. Aggregates (mean, median, BigO...) are computed from them
/// and left out.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a benchmark that failed (error_occurred), a
///         time that is missing or no number, an unknown time unit, a repetition twice; nothing but
///         aggregates.
Result<HarnessOutput> ParseGoogleBenchmark(std::string_view text);

/// One metric of one command that hyperfine timed.
struct HyperfineSeries {
  MetricInfo metric;           ///< NAME alone
  std::vector<double> values;  ///< in the order of its runs
  bool is_mean = false;        ///< of all runs, no measurement (CPU times of schema 1)
};

/// One command that hyperfine timed; its first series is `time`, with a value a run.
struct HyperfineCommand {
  std::string name;      ///< what -n says, else the command
  std::size_t line = 0;  ///< where it begins, from 1
  std::vector<HyperfineSeries> series;
  std::vector<std::optional<int>> exit_codes;  ///< by run; absent: ended by a signal. Empty:
                                               ///< the file does not say
};

/// Reads what hyperfine writes by `--export-json`: schema 1 (until 1.20) and schema 2 (from 2.0).
/// Pure; any thread; as much memory as the report.
///
/// Both give the metrics the same names. A sample a run of the command: time (seconds),
/// memory_usage (bytes, of versions that measure it), and of schema 2 cpu, user, system (seconds)
/// and the processor's counters (cpu_cycles, cpu_instructions...). Of schema 1 user and system are
/// means. Lower is better; CPU times and counters gate by name only, as parts of the time. A metric
/// that is not known has no direction.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a time or an exit code that is missing or no
///         number, a command twice, one metric in two units.
Result<std::vector<HyperfineCommand>> ReadHyperfine(std::string_view text);

/// The same as samples of one run: INNER is the command's name, but not when there is only one: two
/// arms time two different commands, and are to be compared.
Result<HarnessOutput> ParseHyperfine(std::string_view text);

/// What `go test -bench` prints (golang.org/design/14313-benchmark-format), or `go test -json`.
/// Pure; any thread.
///
/// A line `BenchmarkName-8  1000  12.5 ns/op  16 B/op` is one sample of each of its units; with
/// `-count` a benchmark has several. INNER is the benchmark's name as printed, behind its package
/// where the output has several; NAME is the unit as Go's own tools write it: "sec/op", "B/op",
/// "allocs/op", "B/s". Values are SI: seconds, bytes.
///
/// - `Unit UNIT better=higher` says which direction is good, for all lines before and after it. For
///   the four units above it is known; any other has none.
/// - "B/s" gates by name only where "sec/op" stands beside it: it is its reciprocal.
/// - Lines that are no results say nothing: configuration, PASS, ok, and what the program logs. A
///   benchmark's result that its log has torn apart is put together again.
/// - Resolution: the last decimal printed.
///
/// @errors kInvalidArgument "line 3: ...": a result without its number of iterations or a value, a
///         number that is none, a unit twice in a line, a result that never came; a line that
///         says a failure, wherever it stands: `--- FAIL: ...`, `FAIL`, `panic: ...`, `fatal error:
///         ...`, of -json the events too; "no value ...".
Result<HarnessOutput> ParseGoBenchmark(std::string_view text);

/// The raw data of one metric of one benchmark in a JMH report: `values[fork][iteration]`.
///
/// A fork is a process of its own: forks are what may be compared as runs, iterations are what
/// happened inside one.
struct JmhSeries {
  std::string benchmark;  ///< as JMH names it; with parameters "a.B.c:size=10,kind=x"
  /// The mode (thrpt, avgt, sample, ss), or a secondary metric's name, behind the mode
  /// ("thrpt/gc.count") where the benchmark was run in several. Secondary ones gate by name only.
  std::string metric;
  std::string unit;  ///< SI where there is one: "s" for any time per operation, "1/s"
  std::optional<Better> better;
  double resolution = 0;  ///< in `unit`: the last decimal printed, the finest of the series
  bool primary = true;
  std::size_t line = 0;  ///< where its raw data begin, from 1
  std::vector<std::vector<double>> values;
};

/// Reads a report that JMH wrote by `-rf json`. Pure; any thread; as much memory as the report.
///
/// In mode `sample` JMH keeps histograms of each iteration: its value here is their mean.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected: text that is no JSON or nested
///         too deeply, a benchmark in a mode or a metric twice, no raw data
///         (jmh.json.rawData=false), a value that JMH wrote as "NaN" or "+INF".
Result<std::vector<JmhSeries>> ReadJmh(std::string_view text);

/// The same as samples of one run: INNER is the benchmark, NAME the metric; forks and iterations
/// are counted through.
Result<HarnessOutput> ParseJmh(std::string_view text);

/// What pytest-benchmark writes by `--benchmark-json`. Pure; any thread.
///
/// INNER is the test's full name ("bench_x.py::test_parse[10]"), NAME is time (seconds, lower is
/// better): each round of `stats.data` where the file has them, else `stats.mean`.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a round that is no number, neither rounds nor a
///         mean, a test twice.
Result<HarnessOutput> ParsePytestBenchmark(std::string_view text);

/// The Bencher Metric Format, JSON: {"BENCHMARK": {"MEASURE": {"value": 88.0}}}. Pure; any thread.
///
/// INNER is the benchmark, NAME the measure. The file has neither units nor directions; Bencher
/// itself fixes them for four measures: `latency` is nanoseconds (kept as seconds, lower is
/// better), `throughput` operations a second (higher), `build-time` seconds and `file-size` bytes
/// (lower). Any other gates by `--metric NAME:lower|:higher`. lower_value and upper_value are
/// bounds, no measurements: left out.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a value that is missing or no number, a
///         benchmark or measure twice.
Result<HarnessOutput> ParseBmf(std::string_view text);

/// What `extract-mmtests.pl --format script` of mmtests prints: OPERATION ITERATION SAMPLE VALUE, a
/// line each; older versions leave out one of the two in the middle. Pure; any thread.
///
/// The operation is the metric's name. mmtests says neither its unit nor its direction here: a line
/// `#! prefer=higher unit=1/s` in front does, or the gate itself (`--metric NAME:higher`).
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected; a sample twice.
Result<HarnessOutput> ParseMmtests(std::string_view text);

}  // namespace benchd
