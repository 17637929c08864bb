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
  /// One entry per metric, in order of appearance. `name` is the user-visible form: NAME or
  /// INNER/NAME, because a unit and a resolution may apply to only one benchmark.
  std::vector<MetricInfo> metrics;
  /// Commands that the harness timed and that did not exit with 0. Their values are ordinary
  /// samples; the caller decides whether they count.
  std::vector<InnerExit> exits;
  /// Whether some value is the mean of iterations that the text does not contain, so that their
  /// spread is unknown.
  bool means_alone = false;
  bool operator==(const HarnessOutput&) const = default;
};

/// The stream of a run that has the numbers.
enum class OutputStream { kStdout, kStderr };

/// Where the numbers of a run are.
struct HarnessSource {
  OutputStream stream = OutputStream::kStdout;
  std::string file = {};  ///< pattern of the files that have them instead (base/file_pattern.h)
  bool operator==(const HarnessSource&) const = default;
};

/// Checks at submission, before anything runs, whether ParseHarnessOutput() supports a format.
/// Takes up to some milliseconds for an adapter, whose expressions are compiled.
///
/// @param format   a format below, a shipped adapter, or the file of `adapter`
/// @param adapter  the text of an adapter (adapter.h); empty if `format` is a name
/// @return where the format finds the numbers, unless the user names files
/// @errors kInvalidArgument "parse: unknown format 'xml'"; the hint lists the known ones. Errors of
///         Adapter::Parse(), prefixed by `format`.
Result<HarnessSource> CheckHarnessFormat(std::string_view format, std::string_view adapter = {});

/// Converts a run's output to samples. Pure; called in benchd-helper with the caller's ids, never
/// in the daemon.
///
/// The parsers below document each format. In all of them, values are in SI units where possible,
/// directions are set if known, names are limited in length, and there are at most kMaxSamples
/// (harness_builder.h) values.
///
/// @errors kInvalidArgument "line 3: ..." and what was expected, for a malformed number, NaN,
///         infinity, a duplicate name, invalid UTF-8, too deep nesting, or a text without values;
///         the errors of CheckHarnessFormat() and of ParseWithAdapter(). If the text looks like the
///         output of another tool, the hint names it.
Result<HarnessOutput> ParseHarnessOutput(std::string_view format, std::string_view text,
                                         std::string_view adapter = {});

/// Parses the format `lines`, for benchmarks written by hand. Each line has one value, in the form
/// `[ITERATION] [SAMPLE] NAME VALUE [UNIT]`, separated by blanks or tabs. Pure and thread-safe.
///
/// - Empty lines and lines starting with `#` are ignored. `#! prefer=lower|higher unit=U` (one or
///   both) applies to all lines after it. A UNIT on a value's line takes precedence over `unit=`,
///   but must be compatible with `prefer=`: it must be the same unit or another unit of time, or,
///   without `unit=`, a unit whose usual direction is not the opposite. Without `prefer=`, the
///   metric has no direction: it is reported, and gates only if the gate names a direction.
/// - NAME is any word that is not a number, or any text in double quotes. ITERATION and SAMPLE are
///   integers that distinguish the values of a NAME; each combination may occur once.
///   Sample::iteration counts these values from 0 in order of appearance.
/// - VALUE is kept in the unit in which its NAME was first printed; only units of time are
///   converted.
/// - The resolution is the last decimal printed, the smallest over the run.
///
/// @errors kInvalidArgument "line 3: ..." and what was expected, also for a repeated NAME without
///         numbers, a NAME with another unit or direction than before, the name of one of benchd's
///         own metrics, and a UNIT that is a number; "no value ..." for a text without values.
Result<HarnessOutput> ParseLines(std::string_view text);

/// Parses the output of Google Benchmark with `--benchmark_format=json`. Pure and thread-safe.
///
/// INNER is the benchmark's name. NAME is one of:
/// - real_time and cpu_time: seconds per iteration, lower is better;
/// - items_per_second and bytes_per_second: higher is better; they are reciprocals of a time, so
///   they gate only if named;
/// - the counts of a MemoryManager (allocs_per_iter, max_bytes_used): lower is better;
/// - each user counter, without unit and direction, because the JSON has neither.
///
/// Repetitions are the samples of a run. Aggregates (mean, median, BigO...) are derived from them
/// and ignored.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a benchmark that failed
///         (error_occurred), a time that is missing or not a number, an unknown time unit, a
///         duplicate repetition, or a text with only aggregates.
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
  std::size_t line = 0;  ///< line in which its entry begins, from 1
  std::vector<HyperfineSeries> series;
  /// By run; std::nullopt if a signal ended the run. Empty if the file has no exit codes.
  std::vector<std::optional<int>> exit_codes;
};

/// Reads the output of hyperfine's `--export-json`: schema 1 (until 1.20) and schema 2 (from 2.0).
/// Pure and thread-safe. Takes as much memory as the report.
///
/// Metric names are the same for both schemas. Each run of the command yields one sample of time
/// (seconds), of memory_usage (bytes, in versions that measure it), and in schema 2 of cpu, user,
/// system (seconds) and the processor's counters (cpu_cycles, cpu_instructions...). In schema 1,
/// user and system are means. Lower is better. CPU times and counters gate only if named, since
/// they are parts of the time. Unknown metrics have no direction.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a time or an exit code that is
///         missing or not a number, a duplicate command, or a metric in two units.
Result<std::vector<HyperfineCommand>> ReadHyperfine(std::string_view text);

/// Parses the output of hyperfine to samples of one run. INNER is the command's name. If there is
/// only one command, INNER is empty, so that two arms that time different commands can be compared.
Result<HarnessOutput> ParseHyperfine(std::string_view text);

/// Parses the output of `go test -bench` (golang.org/design/14313-benchmark-format) or
/// `go test -json`. Pure and thread-safe.
///
/// A line `BenchmarkName-8  1000  12.5 ns/op  16 B/op` is one sample of each of its units; with
/// `-count`, a benchmark has several such lines. INNER is the benchmark's name as printed, prefixed
/// by its package if the output has several packages. NAME is the unit as Go's own tools write it:
/// "sec/op", "B/op", "allocs/op", "B/s". Values are in SI units: seconds, bytes.
///
/// - `Unit UNIT better=higher` sets the direction for all lines before and after it. The direction
///   of the four units above is known; any other unit has none.
/// - "B/s" is the reciprocal of "sec/op". If both are present, "B/s" gates only if named.
/// - Other lines are ignored: configuration, PASS, ok, and the program's log. If log output splits
///   a result, the parts are joined.
/// - The resolution is the last decimal printed.
///
/// @errors kInvalidArgument "line 3: ..." for a result without its number of iterations or a value,
///         a malformed number, a duplicate unit in a line, an incomplete result, or any line that
///         reports a failure: `--- FAIL: ...`, `FAIL`, `panic: ...`, `fatal error: ...`, or a
///         failure event of -json. "no value ..." for a text without results.
Result<HarnessOutput> ParseGoBenchmark(std::string_view text);

/// The raw data of one metric of one benchmark in a JMH report: `values[fork][iteration]`.
///
/// A fork is a separate process. Forks may be compared as runs; iterations happen within one.
struct JmhSeries {
  std::string benchmark;  ///< name in JMH; with parameters, "a.B.c:size=10,kind=x"
  /// The mode (thrpt, avgt, sample, ss) or a secondary metric's name, prefixed by the mode
  /// ("thrpt/gc.count") if the benchmark was run in several. Secondary metrics gate only if named.
  std::string metric;
  std::string unit;  ///< an SI unit if there is one: "s" for any time per operation, "1/s"
  std::optional<Better> better;
  double resolution = 0;  ///< last decimal printed, the finest of the series; in `unit`
  bool primary = true;
  std::size_t line = 0;  ///< line in which its raw data begin, from 1
  std::vector<std::vector<double>> values;
};

/// Reads a report that JMH wrote with `-rf json`. Pure and thread-safe. Takes as much memory as the
/// report.
///
/// In mode `sample`, JMH keeps a histogram of each iteration; its mean is used as the value.
///
/// @errors kInvalidArgument "line 3: ..." and what was expected, for text that is not JSON or
///         nested too deeply, a benchmark that occurs twice in one mode, a duplicate metric,
///         missing raw data (jmh.json.rawData=false), or a value that JMH wrote as "NaN" or "+INF".
Result<std::vector<JmhSeries>> ReadJmh(std::string_view text);

/// Parses the output of JMH to samples of one run. INNER is the benchmark, NAME the metric.
/// Iterations are numbered across forks.
Result<HarnessOutput> ParseJmh(std::string_view text);

/// Parses the output of pytest-benchmark with `--benchmark-json`. Pure and thread-safe.
///
/// INNER is the test's full name ("bench_x.py::test_parse[10]"). NAME is `time` (seconds, lower is
/// better). Its values are the rounds in `stats.data` if the file has them, else `stats.mean`.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a round that is not a number,
///         a test with neither rounds nor a mean, or a duplicate test.
Result<HarnessOutput> ParsePytestBenchmark(std::string_view text);

/// Parses Bencher Metric Format, which is JSON: {"BENCHMARK": {"MEASURE": {"value": 88.0}}}. Pure
/// and thread-safe.
///
/// INNER is the benchmark, NAME the measure. The file has neither units nor directions. Bencher
/// itself defines them for four measures: `latency` in nanoseconds (kept as seconds, lower is
/// better), `throughput` in operations per second (higher), `build-time` in seconds and `file-size`
/// in bytes (lower). Any other measure needs `--metric NAME:lower|:higher` to gate. lower_value and
/// upper_value are bounds, not measurements, and are ignored.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a value that is missing or not
///         a number, or a duplicate benchmark or measure.
Result<HarnessOutput> ParseBmf(std::string_view text);

/// Parses what Rust's `cargo bench` prints: the lines of libtest, which Criterion and the crate
/// `bencher` also print (`--output-format bencher`), or libtest's `--format json`. Pure and
/// thread-safe.
///
/// A line is `test NAME ... bench: 1,234.56 ns/iter (+/- 56) = 78 MB/s`. INNER is the benchmark's
/// name. NAME is one of:
/// - time: seconds per iteration, lower is better. It is the median of samples that are not in the
///   text;
/// - bytes_per_second: the reciprocal of the time, so it gates only if named.
///
/// Other lines are ignored: tests, warnings and the program's log. If log output splits a result,
/// the parts are joined.
///
/// @errors kInvalidArgument "line 3: ..." for a malformed number, a unit that is not a time per
///         iteration, a duplicate name, a result that is missing, or any line that reports a
///         failure: a test that FAILED, `test result: FAILED`, a panic, or an error of cargo.
Result<HarnessOutput> ParseLibtest(std::string_view text);

/// Parses measurements of Criterion.rs: the lines of `cargo criterion --message-format=json`, or
/// the files benchmark.json, sample.json and estimates.json of `target/criterion/BENCHMARK/new`,
/// one after another, each benchmark's files side by side. Pure and thread-safe.
///
/// INNER is the benchmark's full name. NAME is `time` (seconds per iteration, lower is better), or
/// `measurement` if the program measures something else, for which Criterion also prefers lower
/// values. Each sample of Criterion is one value, its measurement divided by its iterations. If
/// there is no sample.json, the value is Criterion's estimate: the slope, else the mean. Throughput
/// is the reciprocal of the time, and is ignored.
///
/// A lone sample.json has no name. Then INNER is empty.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, lists of different lengths,
///         iterations that are not positive, a duplicate benchmark, or files that cannot be
///         assigned to a benchmark.
Result<HarnessOutput> ParseCriterion(std::string_view text);

/// Parses the benchmarks in the report of Catch2's console reporter, versions 2.9 to 3. Pure and
/// thread-safe.
///
/// INNER is TEST_CASE/SECTION/BENCHMARK. NAME is `time`: the mean, in seconds, lower is better. The
/// samples are not in the text. Everything outside the tables of benchmarks is ignored. A name that
/// the reporter wrapped is joined by blanks.
///
/// @errors kInvalidArgument "line 3: ..." for a malformed number, an unknown unit, a duplicate
///         name, a benchmark without a result or that failed, and a failed assertion. A failure
///         that the test case expects is not an error if the summary says so. Catch2's XML is
///         refused with a hint.
Result<HarnessOutput> ParseCatch2(std::string_view text);

/// Parses the output of nanobench: its table, or its JSON template (`templates::json()`). Pure and
/// thread-safe.
///
/// INNER is TITLE/NAME. NAME is one of:
/// - time: seconds per unit (call, byte...), lower is better. In the JSON, each epoch is one value;
///   the table has only their median;
/// - instructions, cpucycles, branchinstructions, and from the JSON branchmisses, pagefaults and
///   contextswitches, per unit: lower is better. They explain the time, so they gate only if
///   named. They are omitted if the processor's counters were not available.
///
/// @errors kInvalidArgument "line 3: ..." for a malformed number, a column that is not a time, a
///         duplicate name, a batch that is not positive, a benchmark that overflowed (`:boom:`), or
///         text that is not JSON, such as a name with a quote, which nanobench does not escape.
Result<HarnessOutput> ParseNanobench(std::string_view text);

/// Parses the file of `vitest bench --outputJson`. Pure and thread-safe.
///
/// INNER is GROUP > BENCHMARK, where GROUP contains the file. NAME is one of:
/// - time: seconds, lower is better; each sample is one value if the file has samples, else the
///   mean;
/// - p50, p75, p99 and p999: seconds; throughput: 1/s, higher is better. They repeat the time, so
///   they gate only if named.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a number that is missing, a
///         benchmark without samples, or a duplicate name.
Result<HarnessOutput> ParseVitest(std::string_view text);

/// Parses the tasks of tinybench as JSON: {"tasks": [...]}, or the list `bench.tasks` alone. Pure
/// and thread-safe.
///
/// INNER is the task's name. NAME is as for ParseVitest(). Versions before 3, whose results have
/// `mean` and `hz`, are also supported.
///
/// @errors as for ParseVitest(), and for a task that did not complete or has no result.
Result<HarnessOutput> ParseTinybench(std::string_view text);

/// Parses the JSON of mitata (`format: 'json'`). Pure and thread-safe.
///
/// INNER is the run's name, with its arguments filled in. NAME is one of:
/// - time: seconds, lower is better; the average, because mitata's list of samples is sorted and
///   may have a million numbers;
/// - p50, p75, p99 and p999: seconds; heap: bytes. They explain the time, so they gate only if
///   named.
///
/// @errors as for ParseVitest(), and for a run with an error.
Result<HarnessOutput> ParseMitata(std::string_view text);

/// The values of one metric of one benchmark in a report, by process: `processes[i]` has the values
/// that process i measured.
struct ProcessSeries {
  std::string benchmark;
  MetricInfo metric;     ///< NAME alone
  std::size_t line = 0;  ///< line in which its values begin, from 1
  std::vector<std::vector<double>> processes;
};

/// The series of a report.
struct ProcessReport {
  std::vector<ProcessSeries> series;  ///< in order of appearance
  bool means_alone = false;           ///< as in HarnessOutput
};

/// Reads the full JSON export of BenchmarkDotNet (`--exporters fulljson`). Pure and thread-safe.
/// Takes as much memory as the report.
///
/// The benchmark is its FullName, such as `Ns.Type.Method(N: 10)`, or its DisplayInfo, which
/// contains the job, if several have that name. The metrics are:
/// - time: seconds per operation, lower is better. Each iteration of the workload is one value
///   (stage Result, else Actual); a launch is a process. A report without measurements (brief)
///   gives `OriginalValues`, else the mean;
/// - allocated: bytes per operation, lower is better; if MemoryDiagnoser was on.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a benchmark without
///         statistics, which failed, a number that is missing, or a duplicate benchmark.
Result<ProcessReport> ReadBenchmarkDotNet(std::string_view text);

/// Parses the output of BenchmarkDotNet to samples of one run. INNER is the benchmark.
Result<HarnessOutput> ParseBenchmarkDotNet(std::string_view text);

/// Reads a file of pyperf, version 1.0 of its format (since pyperf 1.0). Pure and thread-safe.
/// Takes as much memory as the file.
///
/// Each run is a process. Runs that only calibrate are skipped. The metric is `time` (seconds per
/// loop, lower is better), or `memory` (bytes, lower) for --track-memory and --tracemalloc, or
/// `value` for unit "integer", which has no direction.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a benchmark without a name or
///         without values, an unknown unit, or a duplicate benchmark.
Result<ProcessReport> ReadPyperf(std::string_view text);

/// Parses the output of pyperf to samples of one run. INNER is the benchmark.
Result<HarnessOutput> ParsePyperf(std::string_view text);

/// Parses the custom format of github-action-benchmark, a JSON list of {"name", "unit", "value"}.
/// Pure and thread-safe.
///
/// NAME is `name`. The direction is not in the text: it is the tool's name in the action's
/// configuration, customSmallerIsBetter or customBiggerIsBetter. `range` and `extra` are ignored.
///
/// @errors kInvalidArgument "line 3: ..." for text that is not JSON, a value that is missing or not
///         a number, a duplicate name, or the name of one of benchd's own metrics.
Result<HarnessOutput> ParseGithubSmaller(std::string_view text);
Result<HarnessOutput> ParseGithubBigger(std::string_view text);

/// Parses the output of mmtests' `extract-mmtests.pl --format script`, which has one OPERATION
/// ITERATION SAMPLE VALUE per line. Older versions omit ITERATION or SAMPLE. Pure and thread-safe.
///
/// The operation is the metric's name. The output has neither unit nor direction. A preceding line
/// `#! prefer=higher unit=1/s` can set them, and a gate can set the direction
/// (`--metric NAME:higher`).
///
/// @errors kInvalidArgument "line 3: ..." and what was expected, also for a duplicate sample.
Result<HarnessOutput> ParseMmtests(std::string_view text);

}  // namespace benchd
