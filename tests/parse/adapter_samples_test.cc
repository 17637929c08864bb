#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "core/parse/adapter.h"
#include "tests/parse/harness_data.h"

// Each shipped adapter reads the output of its tool: a recorded one (tests/parse/data) if there is
// one, or else one written after the tool's documentation. Expected numbers are those of the text.

namespace benchd {
namespace {

/// A metric as this file states it: "NAME = VALUE [UNIT] DIRECTION", with "by name" for a metric
/// that gates only if it is named.
std::string Told(const HarnessOutput& output, const MetricInfo& info) {
  std::string told = info.name + " =";
  for (const double value : ValuesOf(output, info.name)) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), " %.10g", value);
    told += digits.data();
  }
  if (!info.unit.empty()) told += " " + info.unit;
  told += info.better ? " " + std::string(NameOf(*info.better)) : "";
  return told + (info.by_name_only ? " by name" : "");
}

using Lines = std::vector<std::string>;

Lines ReadBy(const std::string& adapter, const std::string& text) {
  const auto output = ParseHarnessOutput(adapter, text);
  if (!output) return {output.error().message};
  Lines lines;
  for (const MetricInfo& info : output->metrics) lines.push_back(Told(*output, info));
  return lines;
}

TEST(ShippedAdapterTest, EachIsValidAndHasItsOwnName) {
  ASSERT_GE(ShippedAdapters().size(), 18U);
  for (const ShippedAdapter& shipped : ShippedAdapters()) {
    const auto adapter = Adapter::Parse(shipped.text);
    EXPECT_TRUE(adapter) << shipped.name << ": " << adapter.error().message;
    EXPECT_TRUE(shipped.text.starts_with("# ")) << shipped.name << ": its tool and command";
    EXPECT_EQ(FindShippedAdapter(shipped.name), &shipped);
    EXPECT_TRUE(CheckHarnessFormat(shipped.name));
  }
  EXPECT_EQ(FindShippedAdapter("nosuch"), nullptr);
}

TEST(ShippedAdapterTest, ThoseOfToolsThatPrintToStderrReadIt) {
  Lines from_stderr;
  for (const ShippedAdapter& shipped : ShippedAdapters()) {
    const auto source = CheckHarnessFormat(shipped.name);
    ASSERT_TRUE(source) << source.error().message;
    if (source->stream == OutputStream::kStderr) from_stderr.emplace_back(shipped.name);
  }
  EXPECT_EQ(from_stderr, (Lines{"callgrind", "perf-stat-j", "perf-stat-x", "stress-ng", "time-v"}));
  EXPECT_EQ(*CheckHarnessFormat("lines"), HarnessSource());
}

TEST(ShippedAdapterTest, Wrk) {
  EXPECT_EQ(ReadBy("wrk", HarnessData("wrk.txt")),
            (Lines{"latency_mean = 0.00143 s lower by name",
                   "latency_p50 = 7.8e-05 s lower by name", "latency_p75 = 0.00095 s lower by name",
                   "latency_p90 = 0.00392 s lower by name", "latency_p99 = 0.02164 s lower by name",
                   "requests = 27261.5 1/s higher", "transfer = 3460300.8 B/s higher by name"}));
}

TEST(ShippedAdapterTest, AFailureThatTheToolReportsFailsTheRun) {
  const std::string text =
      With(HarnessData("wrk.txt"), "Requests/sec",
           "  Socket errors: connect 0, read 7, write 0, timeout 2\nRequests/sec");
  EXPECT_EQ(ReadBy("wrk", text),
            (Lines{"line 12: the output reports a failure: '  Socket errors: connect 0, read 7, "
                   "write 0, timeout 2'"}));
  EXPECT_EQ(ReadBy("ab", With(HarnessData("ab.txt"), "requests:        0", "requests:        3")),
            (Lines{"line 18: the output reports a failure: 'Failed requests:        3'"}));
  EXPECT_EQ(
      ReadBy("iperf3", R"({"start": {}, "error": "unable to connect to server"})"),
      (Lines{"line 1: the output reports a failure: '$.error: unable to connect to server'"}));
  EXPECT_EQ(ReadBy("pgbench",
                   With(HarnessData("pgbench.txt"), "transactions: 0 (0", "transactions: 12 (3"))
                .front(),
            "line 10: the output reports a failure: 'number of failed transactions: 12 (3.000%)'");
  EXPECT_EQ(ReadBy("fio", With(HarnessData("fio.json"), "\"error\" : 0", "\"error\" : 5")).size(),
            1U);
}

TEST(ShippedAdapterTest, ApacheBench) {
  const Lines lines = ReadBy("ab", HarnessData("ab.txt"));
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], "requests = 4023.43 1/s higher");
  EXPECT_EQ(lines[1], "latency_mean = 0.000994 s lower by name");
  EXPECT_EQ(lines[2], "transfer = 321873.92 B/s higher by name");
  EXPECT_EQ(lines[3], "latency_p50 = 0.001 s lower by name");
  EXPECT_EQ(lines[10], "latency_p99 = 0.004 s lower by name");
  EXPECT_EQ(lines[11], "latency_p100 = 0.015 s lower by name");
}

TEST(ShippedAdapterTest, Fio) {
  EXPECT_EQ(ReadBy("fio", HarnessData("fio.json")),
            (Lines{"r/read/iops = 11100.19646 1/s higher", "r/write/iops = 11030.45187 1/s higher",
                   "r/read/bandwidth = 45466404 B/s higher by name",
                   "r/write/bandwidth = 45180730 B/s higher by name",
                   "r/read/lat_mean = 5.817989611e-05 s lower by name",
                   "r/write/lat_mean = 2.896792234e-06 s lower by name",
                   "r/read/clat_mean = 5.81610846e-05 s lower by name",
                   "r/write/clat_mean = 2.868624365e-06 s lower by name",
                   "r/read/clat_p99 = 9.472e-05 s lower by name",
                   "r/write/clat_p99 = 6.88e-06 s lower by name"}))
      << "trim moved no bytes, and nothing was submitted asynchronously";
}

TEST(ShippedAdapterTest, FioWithSubmissionLatencyAndPercentilesOfTheTotal) {
  const Lines lines =
      ReadBy("fio", R"({"jobs": [{"jobname": "j", "error": 0, "trim": {"io_bytes": 4096, "iops": 10,
        "bw_bytes": 40960, "slat_ns": {"mean": 2000, "N": 1}, "clat_ns": {"mean": 3000, "N": 1},
        "lat_ns": {"mean": 5000, "N": 1, "percentile": {"99.000000": 6000}}}}]})");
  EXPECT_EQ(
      lines,
      (Lines{"j/trim/iops = 10 1/s higher", "j/trim/bandwidth = 40960 B/s higher by name",
             "j/trim/lat_mean = 5e-06 s lower by name", "j/trim/lat_p99 = 6e-06 s lower by name",
             "j/trim/clat_mean = 3e-06 s lower by name",
             "j/trim/slat_mean = 2e-06 s lower by name"}));
}

TEST(ShippedAdapterTest, Sysbench) {
  EXPECT_EQ(ReadBy("sysbench", HarnessData("sysbench_cpu.txt")),
            (Lines{"events = 2492.65 1/s higher", "latency_mean = 0.0004 s lower by name",
                   "latency_p95 = 0.00022 s lower by name"}));
  EXPECT_EQ(
      ReadBy("sysbench", HarnessData("sysbench_memory.txt")),
      (Lines{"operations = 3630264.53 1/s higher by name", "transferred = 3717390664 B/s higher",
             "latency_mean = 0 s lower by name", "latency_p95 = 0 s lower by name"}));
}

TEST(ShippedAdapterTest, Pgbench) {
  EXPECT_EQ(
      ReadBy("pgbench", HarnessData("pgbench.txt")),
      (Lines{"latency_mean = 0.00639 s lower by name", "connection_time = 0.025698 s lower by name",
             "transactions = 312.987455 1/s higher"}));
}

TEST(ShippedAdapterTest, RedisBenchmark) {
  const Lines lines = ReadBy("redis-benchmark", HarnessData("redis_benchmark.csv"));
  ASSERT_EQ(lines.size(), 15U);
  EXPECT_EQ(lines[0], "SET/requests = 70422.53 1/s higher");
  EXPECT_EQ(lines[1], "SET/latency_mean = 0.000476 s lower by name");
  EXPECT_EQ(lines[3], "SET/latency_p95 = 0.000663 s lower by name");
  EXPECT_EQ(lines[4], "SET/latency_p99 = 0.001303 s lower by name");
  EXPECT_EQ(lines[10], "LPUSH/requests = 43859.65 1/s higher");
}

TEST(ShippedAdapterTest, Iperf3) {
  EXPECT_EQ(ReadBy("iperf3", HarnessData("iperf3.json")),
            (Lines{"received = 1.636321779e+10 bit/s higher", "retransmits = 10 1 lower by name"}));
}

TEST(ShippedAdapterTest, PerfStat) {
  const Lines counters{"perf/task-clock = 0.000541077 s lower", "perf/page-faults = 49 1 lower",
                       "perf/context-switches = 0 1 lower"};
  const std::string text = HarnessData("perf_stat_j.txt");
  EXPECT_EQ(ReadBy("perf-stat-j", text), counters) << "what is not supported has no value";
  EXPECT_EQ(ReadBy("perf-stat-j", "a line of the program\n" + text), counters);
  EXPECT_EQ(ReadBy("perf-stat-x", HarnessData("perf_stat_x.txt")),
            (Lines{"perf/task-clock = 0.00049 s lower", "perf/page-faults = 49 1 lower"}));
}

// As perf prints where the processor's counters are permitted.
TEST(ShippedAdapterTest, PerfStatWithCounters) {
  EXPECT_EQ(ReadBy("perf-stat-j",
                   "{\"counter-value\" : \"12345678.000000\", \"unit\" : \"\", \"event\" : "
                   "\"instructions\", \"event-runtime\" : 1000}\n"),
            (Lines{"perf/instructions = 12345678 1 lower"}));
  EXPECT_EQ(
      ReadBy("perf-stat-x",
             "12345678,,instructions,1000,100.00,1.5,insn per cycle\n"
             "12,,cpu/event=0xb1,umask=0x01/,1000,100.00,,\n"
             "34,,cpu/event=0xb1,umask=0x02/u,1000,100.00,,\n"),
      (Lines{"perf/instructions = 12345678 1 lower", "perf/cpu/event=0xb1,umask=0x01/ = 12 1 lower",
             "perf/cpu/event=0xb1,umask=0x02/u = 34 1 lower"}));
}

TEST(ShippedAdapterTest, GnuTime) {
  EXPECT_EQ(
      ReadBy("time-v", HarnessData("time_v.txt")),
      (Lines{"user = 0 s lower by name", "system = 0 s lower by name", "elapsed = 0 s lower",
             "maximum_resident_set = 995328 B lower by name",
             "major_page_faults = 0 1 lower by name", "minor_page_faults = 73 1 lower by name"}));
  EXPECT_EQ(ReadBy("time-v", "\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:02:03\n"),
            (Lines{"elapsed = 3723 s lower"}));
}

TEST(ShippedAdapterTest, Callgrind) {
  EXPECT_EQ(ReadBy("callgrind", HarnessData("callgrind.txt")), (Lines{"Ir = 129654 1 lower"}));
}

TEST(ShippedAdapterTest, PerfBenchAndHackbench) {
  EXPECT_EQ(ReadBy("perf-bench-pipe", HarnessData("perf_bench_sched_pipe.txt")),
            (Lines{"time_per_op = 1.1414e-05 s lower", "operations = 87611 1/s higher by name"}));
  EXPECT_EQ(ReadBy("hackbench", HarnessData("hackbench.txt")), (Lines{"time = 0.149 s lower"}));
  EXPECT_EQ(ReadBy("hackbench", HarnessData("perf_bench_sched_messaging.txt")),
            (Lines{"time = 0.042 s lower"}));
}

TEST(ShippedAdapterTest, JUnit) {
  EXPECT_EQ(ReadBy("junit", HarnessData("junit.xml")),
            (Lines{"WordsTest/Splits/time = 0.012 s lower", "WordsTest/Joins/time = 0.003 s lower",
                   "Some/LengthTest/Counts/0/time = 0.002 s lower",
                   "Some/LengthTest/Counts/1/time = 0.005 s lower"}))
      << "neither the test that was skipped nor the one that is disabled";
  EXPECT_EQ(ReadBy("junit", HarnessData("junit_failed.xml")).front().substr(0, 65),
            "line 12: the output reports a failure: '<failure message=\"words_t");
  EXPECT_EQ(ReadBy("junit",
                   "<testsuite><testcase name='n' classname='a.B' time='1,234.5'/>"
                   "<testcase name='m' classname='a.B' time='2'><skipped/></testcase></testsuite>"),
            (Lines{"a.B/n/time = 1234.5 s lower"}));
}

TEST(ShippedAdapterTest, Catch2Xml) {
  const std::string text = HarnessData("catch2.xml");
  EXPECT_EQ(ReadBy("catch2-xml", text), (Lines{"Fibonacci/fib 10/time = 3.349e-07 s lower",
                                               "Fibonacci/fib 15/time = 4.6084e-07 s lower",
                                               "Fibonacci/adv <x> & y/time = 1.33578e-08 s lower",
                                               "Other/s1/fib 10/time = 3.2865e-08 s lower"}));
  EXPECT_EQ(ReadBy("catch2-xml", With(text, "<OverallResult success=\"true\"/>",
                                      "<OverallResult success=\"false\"/>")),
            (Lines{"line 23: the output reports a failure: '<OverallResult success=\"false\"/>'"}));
  EXPECT_EQ(ReadBy("catch2-xml", With(text, "<!--All values in nano seconds-->",
                                      "<failed message=\"no memory\"/>")),
            (Lines{"line 6: the output reports a failure: '<failed message=\"no memory\"/>'"}));
}

TEST(ShippedAdapterTest, Hey) {
  EXPECT_EQ(ReadBy("hey", HarnessData("hey.txt")),
            (Lines{"latency_mean = 0.0441 s lower by name", "requests = 87.7136 1/s higher",
                   "latency_p10 = 0.0437 s lower by name", "latency_p25 = 0.0439 s lower by name",
                   "latency_p50 = 0.044 s lower by name", "latency_p75 = 0.0442 s lower by name",
                   "latency_p90 = 0.048 s lower by name", "latency_p95 = 0.048 s lower by name",
                   "latency_p99 = 0.0481 s lower by name"}));
  const std::string few = HarnessData("hey_404.txt");
  const Lines lines = ReadBy("hey", With(few, "[404]", "[200]"));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back(), "latency_p95 = 0.0484 s lower by name")
      << "of 20 requests, hey prints no 99th percentile but '0% in 0.0000 secs'";
  EXPECT_EQ(ReadBy("hey", few),
            (Lines{"line 43: the output reports a failure: '  [404]\\x0920 responses'"}));
  EXPECT_EQ(ReadBy("hey", HarnessData("hey_refused.txt")),
            (Lines{"line 25: the output reports a failure: '  [20]\\x09Get "
                   "\"http://127.0.0.1:1/\": dial tcp 127.0.0.1:1: conn...'"}));
}

TEST(ShippedAdapterTest, OhaAsDocumented) {
  const std::string text =
      R"({"summary": {"successRate": 1.0, "total": 5.0, "average": 0.0012,
          "requestsPerSec": 40000.5}, "latencyPercentiles": {"p50": 0.001, "p99": 0.004}})";
  EXPECT_EQ(ReadBy("oha", text),
            (Lines{"requests = 40000.5 1/s higher", "latency_mean = 0.0012 s lower by name",
                   "latency/p50 = 0.001 s lower by name", "latency/p99 = 0.004 s lower by name"}));
  EXPECT_EQ(ReadBy("oha", With(text, "1.0", "0.98")),
            (Lines{"line 1: the output reports a failure: '$.summary.successRate: 0.98'"}));
  const std::string failed = R"("statusCodeDistribution": {"200": 5, "500": 4000}, "summary")";
  EXPECT_EQ(ReadBy("oha", With(text, "\"summary\"", failed)).front(),
            "line 1: the output reports a failure: '$.statusCodeDistribution.5* (500): 4000'");
}

TEST(ShippedAdapterTest, PgbenchWithAConnectionForEachTransaction) {
  EXPECT_EQ(ReadBy("pgbench",
                   "latency average = 1.5 ms\naverage connection time = 0.9 ms\n"
                   "tps = 666.6 (including reconnection times)\n"),
            (Lines{"latency_mean = 0.0015 s lower by name",
                   "connection_time = 0.0009 s lower by name", "transactions = 666.6 1/s higher"}));
}

TEST(ShippedAdapterTest, K6AsDocumented) {
  const Lines expected{"http_reqs = 99.5 1/s higher",
                       "http_req_duration_avg = 0.0125 s lower by name",
                       "http_req_duration_med = 0.011 s lower by name",
                       "http_req_duration_p95 = 0.03 s lower by name"};
  const std::string exported = R"k6({"metrics": {"http_reqs": {"count": 995, "rate": 99.5},
      "http_req_failed": {"fails": 995, "passes": 0, "value": 0},
      "http_req_duration": {"avg": 12.5, "med": 11, "p(95)": 30}}})k6";
  EXPECT_EQ(ReadBy("k6", exported), expected);
  EXPECT_EQ(
      ReadBy("k6", With(exported, "\"value\": 0", "\"value\": 0.2")),
      (Lines{"line 2: the output reports a failure: '$.metrics.http_req_failed.value: 0.2'"}));
  const std::string handled =
      R"k6({"metrics": {"http_reqs": {"values": {"count": 995, "rate": 99.5}},
      "http_req_duration": {"values": {"avg": 12.5, "med": 11, "p(95)": 30}}}})k6";
  EXPECT_EQ(ReadBy("k6", handled), expected);
}

TEST(ShippedAdapterTest, Autocannon) {
  const std::string text = HarnessData("autocannon.json");
  EXPECT_EQ(
      ReadBy("autocannon", text),
      (Lines{"requests = 90.5 1/s higher", "latency_mean = 0.04307 s lower by name",
             "latency_p99 = 0.054 s lower by name", "throughput = 10500 B/s higher by name"}));
  EXPECT_EQ(ReadBy("autocannon", With(text, "\"non2xx\":0", "\"non2xx\":4")),
            (Lines{"line 1: the output reports a failure: '$.non2xx: 4'"}));
  EXPECT_EQ(ReadBy("autocannon", With(text, "\"errors\":0", "\"errors\":7640")),
            (Lines{"line 1: the output reports a failure: '$.errors: 7640'"}));
}

TEST(ShippedAdapterTest, StressNg) {
  EXPECT_EQ(ReadBy("stress-ng", HarnessData("stress_ng.txt")),
            (Lines{"cpu/bogo_ops = 1117.95 1/s higher"}));
  EXPECT_EQ(
      ReadBy("stress-ng", HarnessData("stress_ng.yaml")),
      (Lines{"cpu/bogo_ops = 622.470182 1/s higher", "vm/bogo_ops = 33777.40992 1/s higher"}));
  // Older versions log metrics as "info".
  EXPECT_EQ(ReadBy("stress-ng",
                   "stress-ng: info:  [4711] cpu               1234      1.00      "
                   "0.99      0.00      1232.50        1246.46\n"),
            (Lines{"cpu/bogo_ops = 1232.5 1/s higher"}));
}

}  // namespace
}  // namespace benchd
