#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

/// Values in which no field has its default, with numbers and texts that break careless codecs.
namespace benchd::store {

/// Invalid UTF-8: a lone continuation byte, an overlong slash, a NUL.
inline const std::string kBytes{
    "a\x80"
    "b\xc0\xaf\0c",
    7};

inline SessionSpec RichSpec() {
  ProgramIdentity program{.path = "/usr/bin/gr\xc3\xbc\xc3\x9f",
                          .device = 65024,
                          .inode = std::numeric_limits<std::uint64_t>::max(),
                          .size_bytes = 1234567,
                          .mtime_ns = -1};
  for (std::size_t i = 0; i < 32; ++i) program.sha256[i] = static_cast<std::uint8_t>(i * 8 + 7);
  const Arm reference{.name = "base",
                      .role = ArmRole::kReference,
                      .command = "gzip -1 'a b'\n\t\"c\"",
                      .shell = true,
                      .interpreter = "/opt/b sh",
                      .argv = {"/opt/b sh", "-c", "gzip", ""},
                      .env = {{"TOKEN", "secret"}, {"EMPTY", ""}},
                      .cwd = "/tmp/" + kBytes,
                      .program = program,
                      .commit = Commit{"0123456789abcdef0123456789abcdef01234567", "v1-3-g0123"},
                      .prepare = {"q 1", {"q", "1"}},
                      .conclude = {"d", {"d"}},
                      .input = "/tmp/in 1"};
  const Arm candidate{.name = "feature", .command = "gzip -9", .argv = {"gzip", "-9"}, .cwd = "/"};
  const Benchmark benchmark{.name = "parse",
                            .arms = {reference, candidate},
                            .hooks = {.shell = true,
                                      .interpreter = "zsh",
                                      .cwd = "/srv",
                                      .build = {"b 1", {"b", "1"}},
                                      .setup = {"s", {"s"}},
                                      .prepare = {"p", {"p"}},
                                      .conclude = {"c", {"c"}},
                                      .cleanup = {"u", {"u"}},
                                      .build_plan = BuildPlan{.root = "/srv/trees",
                                                              .repository = "/home/a/x/.git",
                                                              .build = "make 'all'",
                                                              .trees = {{"0123", "k1", "7"}},
                                                              .from_bundle = true}},
                            .parse = "/srv/own.toml",
                            .adapter = "input = \"text\"\n# µ",
                            .parse_stderr = true,
                            .parse_file = "out/*.json",
                            .gates = {{.metric = "BM_X/threads:2",
                                       .kind = MarginKind::kAbsolute,
                                       .margin = 0.1 + 0.2,
                                       .better = Better::kHigher},
                                      {.metric = "wall_time", .margin = 5e-324},
                                      {.metric = "*/allocs/op",
                                       .kind = MarginKind::kExact,
                                       .margin = 1,
                                       .unit = "B",
                                       .margin_implied = true}},
                            .default_margin = 0.03,
                            .input = "/dev/zero",
                            .output = OutputKind::kFile,
                            .output_path = "/tmp/out",
                            .ignore_failure = true,
                            .accept_exit = {0, 3},
                            .allow_missing = true,
                            .check_output = true,
                            .harness = "google-benchmark",
                            .only = {"BM_*", "x?"},
                            .inner = "BM_X/8",
                            .no_groups = true,
                            .control = true,
                            .controls = {"BM_Z", "calibration/*"}};
  return SessionSpec{
      .benchmarks = {benchmark, Benchmark{}},
      .method = Method::kExactT,
      .estimator = {.kind = EstimatorKind::kQuantile, .quantile = 0.99},
      .rule = {.kind = RuleKind::kPrecision, .width = 1.0 / 3},
      .alpha = 0.05,
      .pass_confidence = 0.9,
      .default_margin = 0.07,
      .sided = Sided::kOne,
      .error_rate = ErrorRate::kFdr,
      .limits = {.min_runs = 9,
                 .max_runs = 100,
                 .runs = 50,
                 .max_time = Nanoseconds(1),
                 .timeout = Nanoseconds(std::numeric_limits<std::int64_t>::max()),
                 .at_limit = AtLimit::kEstimate,
                 .fail_fast = true},
      .schedule = {.kind = ScheduleKind::kCoin, .warmup = 3},
      .seed = std::numeric_limits<std::uint64_t>::max() - 1,
      .machine_profile = "quiet",
      .isolation = Isolation::kStrict,
      .cpus = "1-3",
      .settings_off = {"governor"},
      .placebo = true,
      .confirm = true,
      .keep_all = true,
      .early_looks = true,
      .profile = Profile{.frequency_hz = 4000, .call_graph = CallGraph::kDwarf, .explains = "k7"},
      .priority = -5,
      .labels = {{"branch", "feature/x"}, {"ticket", "7"}},
      .invocation = "-f 'my suite.toml'",
      .lfs_pointers = {"data/big.bin"},
      .environment = {{"PATH", "/bin:/usr/bin"}, {"BYTES", kBytes}},
      .caller = {.uid = 1000,
                 .gid = 1001,
                 .groups = {4, 24, 4294967295},
                 .pid = 4711,
                 .umask = 077,
                 .limits = {{.resource = 7, .soft = 1024, .hard = 18446744073709551615U}}}};
}

inline Confirmation RichConfirmation() {
  return Confirmation{.verdict = Verdict::kPass,
                      .change = Effect{.estimate = 0.125, .lo = {}, .hi = 0.25},
                      .blocks = 21,
                      .difference = Effect{.estimate = 1e-9, .lo = -1e-9, .hi = {}},
                      .reason = "missing_values",
                      .confidence = 0.9975,
                      .first_reason = "failed_in_candidate"};
}

inline Comparison RichComparison() {
  return Comparison{.benchmark = "parse",
                    .reference = "base",
                    .candidate = "feature",
                    .metric = "BM_A/wall_time",
                    .unit = "s",
                    .role = ComparisonRole::kGate,
                    .better = Better::kLower,
                    .margin = 0.02,
                    .margin_kind = MarginKind::kAbsolute,
                    .confidence = 0.995,
                    .pass_confidence = 0.975,
                    .method = Method::kWelch,
                    .estimator = {.kind = EstimatorKind::kHodgesLehmann, .quantile = 0.5},
                    .n_reference = 12,
                    .n_candidate = 13,
                    .mean_reference = 1.0000000000000002,
                    .mean_candidate = 1e300,
                    .sd_reference = 0.0,
                    .sd_candidate = -0.0,
                    .change = Effect{.estimate = -0.25, .lo = -0.5, .hi = {}},
                    .difference = Effect{.estimate = 1e-9, .lo = {}, .hi = 2e-9},
                    .last_change = Effect{.estimate = -0.25, .lo = -0.75, .hi = 0.5},
                    .last_difference = Effect{.estimate = 1e-9, .lo = -1e-9, .hi = {}},
                    .p_value = 1e-17,
                    .verdict = Verdict::kRegression,
                    .decided = Decision{.blocks = 11, .lo = -0.5, .hi = 0.125, .by = "holm"},
                    .reason = "left_zero",
                    .flag = Flag::kWorse,
                    .pairing_gain = 0.625,
                    .change_allowance = 0.001953125,
                    .difference_allowance = 0.5,
                    .expected_blocks = 12.5,
                    .eta = Nanoseconds(99),
                    .forecast = Forecast{.remedy = Remedy::kMoreRuns, .seconds = 1.5, .runs = 77},
                    .basis = Basis::kExact,
                    .confirmation = RichConfirmation(),
                    .control = ControlState::kChanged};
}

inline Explanation RichExplanation() {
  return Explanation{.benchmark = "parse",
                     .reference = "base",
                     .candidate = "feature",
                     .blocks = 40,
                     .samples_reference = 41'000,
                     .samples_candidate = 43'000,
                     .lost = 3,
                     .seconds_reference = 1.0000000000000002,
                     .seconds_candidate = 1.05,
                     .change = {.estimate = 0.05, .lo = 0.03, .hi = {}},
                     .explained_seconds = 0.046,
                     .explained = 0.92,
                     .confidence = 0.99,
                     .compared = 57,
                     .functions = {{.function = "parse<long> (a.c)",
                                    .matched = "parse<int> (a.c)",
                                    .presence = Presence::kOutlined,
                                    .self_reference = 0.2,
                                    .self_candidate = 0.246,
                                    .self = {.estimate = 0.046, .lo = 0.03, .hi = 0.062},
                                    .total_reference = 0.4,
                                    .total_candidate = 0.45,
                                    .total = {.estimate = 0.05, .lo = {}, .hi = 0.07},
                                    .changed = true,
                                    .instructions_reference = 1e9,
                                    .instructions_candidate = 0.0,
                                    .cache_misses_reference = 12.5,
                                    .cache_misses_candidate = 5e-324},
                                   FunctionChange{}},
                     .rest_reference = 0.001,
                     .rest_candidate = 0.002,
                     .unnamed = 0.125,
                     .kernel_reference = 0.25,
                     .kernel_candidate = 0.5,
                     .left_out = 3};
}

inline SessionSnapshot RichSnapshot() {
  const MachineReport machine{
      .environment = {{{"kernel", "6.1.0"}, {"cpu", "X \xe2\x84\xa2"}, {"kernel", "twice"}}},
      .isolation = {{.setting = "governor",
                     .wanted = "performance",
                     .actual = "powersave",
                     .held = false,
                     .why = "no permission",
                     .at_end = "schedutil"},
                    {.setting = "cpuset", .wanted = "1", .actual = "1", .held = true}},
      .benchmark_cpus = {1, 2},
      .housekeeping_cpus = {0},
      .user_mode = true};
  const Report report{
      .verdict = Verdict::kPass,
      .basis = Basis::kEstimate,
      .elapsed = Nanoseconds(123456789),
      .eta = Nanoseconds(5),
      .disturbances = 2,
      .runs = {{.benchmark = "parse", .arm = "base", .runs = 7, .retired_after = 8}},
      .comparisons = {RichComparison(), Comparison{}},
      .warnings = {{.code = "guard",
                    .message = "values drift",
                    .benchmark = "parse",
                    .arm = "base",
                    .severity = Severity::kInvalidates,
                    .hint = "wait",
                    .metric = "wall_time",
                    .reference = "base",
                    .share = 0.25}},
      .geometric_means = {{.reference = "base",
                           .candidate = "feature",
                           .metric = "wall_time",
                           .benchmarks = 3,
                           .confidence = 0.99,
                           .change = {.estimate = 0.125, .lo = {}, .hi = 0.25}}},
      .time_left = Nanoseconds(6),
      .orders = {{.benchmark = "parse",
                  .metric = "ops",
                  .better = Better::kHigher,
                  .groups = {{.arms = {"feature", "base"},
                              .clear = {{.better = "base", .worse = "feature"}}}},
                  .factors = {{.arm = "base", .factor = {.estimate = 2, .lo = 1.5, .hi = {}}}},
                  .confidence = 0.95}},
      .worst_runs = {{.number = 5,
                      .benchmark = "parse",
                      .arm = "base",
                      .metric = "wall_time",
                      .unit = "s",
                      .value = 3.5,
                      .ratio = 7,
                      .causes = {{.metric = "interrupts", .value = 40, .median = 2}}}},
      .estimates = {{.benchmark = "parse",
                     .arm = "base",
                     .metric = "rate",
                     .unit = "1/s",
                     .asked = true,
                     .better = Better::kHigher,
                     .estimator = {EstimatorKind::kQuantile, 0.9},
                     .confidence = 0.995,
                     .n = 12,
                     .value = Effect{0.1, 0.05, 0.15},
                     .last = Effect{0.1, 0.04, std::nullopt},
                     .sd = 0.02,
                     .min = 0.07,
                     .max = 0.2,
                     .precision = 0.01,
                     .precise = false,
                     .reason = "resolution",
                     .expected_blocks = 7.5,
                     .eta = Nanoseconds(9)}},
      .control_changed = true,
      .explanations = {RichExplanation(), Explanation{}}};
  const FailedRun run{.benchmark = "parse",
                      .arm = "feature",
                      .block = 4,
                      .phase = RunPhase::kWarmup,
                      .exit_code = 3,
                      .signal = 9,
                      .stderr_tail = kBytes,
                      .commit = "0123"};
  return SessionSnapshot{
      .id = {"0123abcd"},
      .state = SessionState::kRunning,
      .submitted_at = Timestamp(Nanoseconds(1772366400123456789)),
      .started_at = Timestamp(Nanoseconds(1772366401000000001)),
      .ended_at = Timestamp(Nanoseconds(1772366402000000002)),
      .position = 3,
      .eta = Nanoseconds(1),
      .machine = machine,
      .report = report,
      .failure = Failure{.error = {ErrorCode::kDeadlineExceeded, "run: too long", "--timeout"},
                         .run = run,
                         .refused = true},
      .cancelled_by = "uid 1000",
      .setup = SetupResult{{{.path = "/tmp/made", .inode = 5, .size_bytes = 6}},
                           {MakeWarning("lfs_pointers", "1 file")}},
      .held = Nanoseconds(86'400'000'000'001),
      .found = {{.benchmark = 1,
                 .names = {"BM_X/8"},
                 .unmatched = {{.name = "BM_Y", .missing_in = {"feature"}}},
                 .commands = {{"./x", kBytes}, {}},
                 .start = Nanoseconds(250'000'001)}},
      .second_phase = SecondPhase{SetupResult{{{.path = "/tmp/made again", .inode = 7}}, {}},
                                  Nanoseconds(600'000'000'001)}};
}

inline SessionRecord RichRecord() { return {RichSpec(), RichSnapshot(), "request-1"}; }

/// A short record that differs from others in its id and time of submission.
inline SessionRecord PlainRecord(const std::string& id, std::int64_t submitted_at_ns = 0) {
  SessionRecord record;
  record.snapshot.id = SessionId{id};
  record.snapshot.submitted_at = Timestamp(Nanoseconds(submitted_at_ns));
  return record;
}

/// A run as RunSession creates it, with the nine metrics of every run.
inline Run PlainRun(std::uint64_t block, std::uint32_t position) {
  Run run{.block = block,
          .position = position,
          .arm = position,
          .started_at = Timestamp(Nanoseconds(1772366400000000000)),
          .disturbances = 1};
  double value = 0.001 * static_cast<double>(block + 1);
  for (const MetricInfo& metric : BuiltinMetrics()) {
    run.samples.push_back({.metric = metric.name, .value = value});
    value += 0.1;
    if (run.samples.size() == 9) break;
  }
  return run;
}

/// Runs of every phase, with parsed metrics, values at the edges of double, and none at all.
inline std::vector<Run> RichRuns() {
  Run parsed{.benchmark = 1,
             .block = 1ULL << 40,
             .position = 1,
             .arm = 2,
             .phase = RunPhase::kWarmup,
             .started_at = Timestamp(Nanoseconds(-1)),
             .exit = {.code = 3, .signal = 9, .timed_out = true},
             .disturbances = 4294967295U};
  parsed.samples = {{.metric = "wall_time", .value = -0.0},
                    {.metric = "ops", .inner_benchmark = "BM_X/2", .iteration = 0, .value = 5e-324},
                    {.metric = "ops", .inner_benchmark = "BM_X/2", .iteration = 1, .value = 1e308},
                    {.metric = "ops", .inner_benchmark = "", .iteration = 0, .value = 3.0},
                    {.metric = kBytes, .inner_benchmark = kBytes, .value = 0.1 + 0.2},
                    // Two names that a key joined with a NUL would confuse.
                    {.metric = std::string("a\0b", 3), .inner_benchmark = "", .value = 1},
                    {.metric = "a", .inner_benchmark = std::string("b\0", 2), .value = 2}};
  parsed.metrics = {{.name = "ops", .unit = "1/s", .better = Better::kHigher, .resolution = 0.5},
                    {.name = kBytes, .unit = "", .better = {}, .resolution = 1e-9}};
  Run other = parsed;
  other.phase = RunPhase::kDropped;
  other.metrics[0].resolution = 0.25;
  Run confirming = PlainRun(0, 1);
  confirming.phase = RunPhase::kConfirming;
  return {parsed, PlainRun(0, 0), other, parsed, Run{}, confirming};
}

}  // namespace benchd::store
