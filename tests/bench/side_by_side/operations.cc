// Operations for callgrind (bounds.py): each runs once over a fixed number of units, with
// everything it needs prepared before. The names are those of tests/bench/bounds.toml.
//
//     operations      prints NAME UNITS for each

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/model/session.h"
#include "core/parse/harness_output.h"
#include "core/parse/measurement_table.h"
#include "core/stats/one_look_intervals.h"
#include "core/stats/paired.h"
#include "core/stats/sequential_boundary.h"
#include "daemon/session/schedule.h"
#include "daemon/wire/messages.h"
#include "proto/convert/convert.h"

namespace benchd {
namespace {

constexpr std::uint64_t kSeed = 20260302;
constexpr std::size_t kValues = 2000;

// Uniform within 10 % of 1, with all digits.
std::vector<double> Draw(std::uint64_t stream) {
  RandomStream random(kSeed, stream);
  std::vector<double> values(kValues);
  for (double& value : values) {
    value = 0.9 + 0.2 * static_cast<double>(random.Next() >> 11U) * 0x1p-53;
  }
  return values;
}

struct Inputs {
  std::vector<double> base = Draw(0);
  std::vector<double> candidate = Draw(1);
  std::vector<double> sorted = Draw(2);
  SequentialBoundary boundary = SequentialBoundary::Robbins(0.01, 8).value();
  wire::Message batch;
  std::string record;
  std::string csv = "arm,pair,value\n";
  std::string json = R"({"results":[{"command":"a","times":[)";
  std::string lines;
  SessionRecord session;
};

// A session that has ended, with five metrics.
SessionRecord MakeSession() {
  SessionRecord session;
  session.snapshot.id = {"abcdefgh"};
  session.snapshot.state = SessionState::kDone;
  Benchmark& benchmark = session.spec.benchmarks.emplace_back();
  for (const char* name : {"base", "candidate"}) {
    Arm& arm = benchmark.arms.emplace_back();
    arm.name = name;
    arm.command = "build/benchmark --input data";
    arm.cwd = "/home/somebody/project";
  }
  Report& report = session.snapshot.report.emplace();
  for (const char* metric : {"wall_time", "cpu_time", "user_time", "system_time", "max_rss"}) {
    Comparison& comparison = report.comparisons.emplace_back();
    comparison.metric = metric;
    comparison.mean_reference = comparison.mean_candidate = 1.5;
    comparison.change = {0.01, -0.02, 0.04};
  }
  MachineReport& machine = session.snapshot.machine.emplace();
  for (int fact = 0; fact < 20; ++fact) {
    machine.environment.facts.emplace_back("fact " + std::to_string(fact),
                                           "a text of some thirty characters");
  }
  return session;
}

Inputs MakeInputs() {
  Inputs inputs;
  std::sort(inputs.sorted.begin(), inputs.sorted.end());
  for (std::size_t i = 0; i < kValues; ++i) {
    const std::string value = std::to_string(inputs.base[i]);
    inputs.csv +=
        (i % 2 == 0 ? "base," : "candidate,") + std::to_string(i / 2) + "," + value + "\n";
    inputs.json += (i == 0 ? "" : ",") + value;
    inputs.lines += std::to_string(i) + " 0 ops " + value + "\n";
  }
  inputs.json += R"(],"user":0.5,"system":0.1}]})";
  wire::RunFigures run;
  run.wall_time_ns = 5'000'000;
  run.counters = {{"task_clock", 5'000'000, 1, 1}};
  inputs.batch = wire::BatchFigures{std::vector<wire::RunFigures>(kValues, run), {}};
  inputs.record = wire::Encode(inputs.batch, 1);
  inputs.session = MakeSession();
  v1::Session first;  // initialises the fields of the message once
  convert::ToProto(inputs.session, &first);
  return inputs;
}

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "error: operations: %s failed\n", what);
  std::exit(1);
}

}  // namespace

// Not inlined and with names of their own, so that callgrind can distinguish them.
extern "C" {

// Adds a pair, its estimate, the t of that n, and the guarded interval.
[[gnu::noinline]] std::size_t operation_paired_look(const Inputs& inputs) {
  PairedMoments moments;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < kValues; ++i) {
    moments.Add(inputs.base[i], inputs.candidate[i]);
    if (moments.n() < 8) continue;
    const PairedEstimate estimate = EstimateRatio(moments.Centred());
    const Interval interval = GuardedInterval(estimate, inputs.boundary.CriticalT(moments.n()));
    inside += interval.lo < 0 && interval.hi > 0 ? 1 : 0;
  }
  if (inside == 0) Fail("paired_look");
  return kValues;
}

[[gnu::noinline]] std::size_t operation_hl_look(const Inputs& inputs) {
  if (!HodgesLehmann(inputs.sorted, 0.001)) Fail("hl_look");
  return 1;
}

[[gnu::noinline]] std::size_t operation_encode_run(const Inputs& inputs) {
  if (wire::Encode(inputs.batch, 1) != inputs.record) Fail("encode_run");
  return kValues;
}

[[gnu::noinline]] std::size_t operation_decode_run(const Inputs& inputs) {
  if (!wire::Decode(inputs.record)) Fail("decode_run");
  return kValues;
}

[[gnu::noinline]] std::size_t operation_csv_row(const Inputs& inputs) {
  std::string_view rest = inputs.csv;
  const auto all = [rest]() mutable -> Result<std::string_view> {
    return std::exchange(rest, std::string_view());
  };
  if (!ReadMeasurementTable(all)) Fail("csv_row");
  return kValues;
}

[[gnu::noinline]] std::size_t operation_json_value(const Inputs& inputs) {
  if (!ParseHarnessOutput("hyperfine", inputs.json)) Fail("json_value");
  return kValues;
}

[[gnu::noinline]] std::size_t operation_line(const Inputs& inputs) {
  if (!ParseHarnessOutput("lines", inputs.lines)) Fail("line");
  return kValues;
}

[[gnu::noinline]] std::size_t operation_listed_session(const Inputs& inputs) {
  constexpr int kSessions = 100;
  v1::ListSessionsResponse page;
  for (int i = 0; i < kSessions; ++i) convert::ToProto(inputs.session, page.add_sessions());
  if (page.ByteSizeLong() == 0) Fail("listed_session");
  return kSessions;
}

}  // extern "C"

namespace {

struct Operation {
  const char* name;
  std::size_t (*measure)(const Inputs&);
};

constexpr std::array kOperations{
    Operation{"paired_look", operation_paired_look},
    Operation{"hl_look", operation_hl_look},
    Operation{"encode_run", operation_encode_run},
    Operation{"decode_run", operation_decode_run},
    Operation{"csv_row", operation_csv_row},
    Operation{"json_value", operation_json_value},
    Operation{"line", operation_line},
    Operation{"listed_session", operation_listed_session},
};

}  // namespace
}  // namespace benchd

int main() {
  const benchd::Inputs inputs = benchd::MakeInputs();
  for (const benchd::Operation& operation : benchd::kOperations) {
    std::printf("%s %zu\n", operation.name, operation.measure(inputs));
  }
  return 0;
}
