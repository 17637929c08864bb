#include "tests/client/samples.h"

#include <chrono>

#include "client/present/exports.h"
#include "client/present/json.h"
#include "core/analysis/forecast.h"
#include "core/analysis/geometric_mean.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

struct Numbers {
  double mean_reference, sd_reference, mean_candidate, sd_candidate;
  double estimate, lo, hi;
};

v1::Comparison* AddComparison(v1::Update* update, const std::string& benchmark,
                              const std::string& metric, const std::string& unit,
                              std::uint64_t blocks, const Numbers& n) {
  v1::Comparison* c = update->add_comparisons();
  c->set_benchmark(benchmark);
  c->set_reference("base");
  c->set_candidate("candidate");
  c->set_metric(metric);
  c->set_unit(unit);
  c->set_role(v1::COMPARISON_ROLE_INFO);
  c->set_better(v1::BETTER_LOWER);
  c->set_confidence(0.99);
  c->set_method(v1::METHOD_PAIRED);
  c->mutable_estimator()->set_kind(v1::ESTIMATOR_KIND_MEAN);
  c->set_n_reference(blocks);
  c->set_n_candidate(blocks);
  c->set_mean_reference(n.mean_reference);
  c->set_mean_candidate(n.mean_candidate);
  c->set_sd_reference(n.sd_reference);
  c->set_sd_candidate(n.sd_candidate);
  c->mutable_change()->set_estimate(n.estimate);
  c->mutable_change()->set_lo(n.lo);
  c->mutable_change()->set_hi(n.hi);
  c->mutable_difference()->set_estimate(n.mean_candidate - n.mean_reference);
  c->set_p_value(0.25);
  c->set_flag(v1::FLAG_UNSPECIFIED);
  return c;
}

void MakeGate(v1::Comparison* c, double margin, v1::Verdict verdict) {
  c->set_role(v1::COMPARISON_ROLE_GATE);
  c->set_margin_ratio(margin);
  c->set_verdict(verdict);
  if (verdict == v1::VERDICT_UNDECIDED) return;
  c->mutable_decided()->set_blocks(c->n_candidate());
  c->mutable_decided()->set_lo(c->change().lo());
  c->mutable_decided()->set_hi(c->change().hi());
}

void AddRuns(v1::Update* update, const std::string& benchmark, std::uint64_t runs) {
  for (const char* arm : {"base", "candidate"}) {
    v1::ArmRuns* entry = update->add_runs();
    entry->set_benchmark(benchmark);
    entry->set_arm(arm);
    entry->set_runs(runs);
  }
}

v1::Run MakeRun(const std::string& arm, std::uint64_t block, v1::RunPhase phase, int second) {
  v1::Run run;
  run.set_benchmark("main");
  run.set_arm(arm);
  run.set_block(block);
  run.set_phase(phase);
  run.mutable_started_at()->set_seconds(1767323045 + second);
  return run;
}

void AddSample(v1::Run* run, const std::string& metric, double value,
               const std::string& inner = "") {
  v1::Sample* sample = run->add_samples();
  sample->set_metric(metric);
  sample->set_value(value);
  sample->set_inner_benchmark(inner);
}

}  // namespace

v1::Update RegressionUpdate() {
  v1::Update update;
  update.set_state(v1::SESSION_STATE_DONE);
  update.set_verdict(v1::VERDICT_REGRESSION);
  update.set_basis(v1::BASIS_INTERVAL);
  update.set_elapsed_seconds(14.25);
  update.set_disturbances(1);
  AddRuns(&update, "main", 12);
  MakeGate(AddComparison(&update, "main", "wall_time", "s", 12,
                         {0.010123, 0.000054, 0.011155, 0.000061, 0.102, 0.098, 0.106}),
           0.02, v1::VERDICT_REGRESSION);
  AddComparison(&update, "main", "cpu_time", "s", 12,
                {0.0098, 0.00004, 0.0108, 0.00005, 0.1, 0.095, 0.105})
      ->set_flag(v1::FLAG_WORSE);
  AddComparison(&update, "main", "max_rss", "B", 12, {1572864, 0, 1572864, 0, 0, 0, 0});
  v1::Warning* warning = update.add_warnings();
  warning->set_code("outliers");
  warning->set_message("2 of 12 values lie far out: the guarantee is weakened");
  warning->set_benchmark("main");
  warning->set_arm("candidate");
  return update;
}

v1::Update EarlyUpdate() {
  v1::Update update;
  update.set_state(v1::SESSION_STATE_RUNNING);
  update.set_verdict(v1::VERDICT_UNDECIDED);
  update.set_elapsed_seconds(3.5);
  AddRuns(&update, "main", 6);
  v1::Comparison* c = AddComparison(&update, "main", "wall_time", "s", 6,
                                    {0.0101, 0.00005, 0.0102, 0.00006, 0.0099, 0, 0});
  MakeGate(c, 0.02, v1::VERDICT_UNDECIDED);
  c->mutable_change()->clear_lo();
  c->mutable_change()->clear_hi();
  return update;
}

v1::Update PausedUpdate() {
  v1::Update update = EarlyUpdate();
  update.set_state(v1::SESSION_STATE_PAUSED);
  v1::Warning* warning = update.add_warnings();
  warning->set_code("disk_full");
  warning->set_message(
      "paused: storing a block: the disk is full; make room below /var/lib/benchd, the session "
      "goes "
      "on by itself");
  return update;
}

v1::Update SuiteUpdate() {
  v1::Update update;
  update.set_state(v1::SESSION_STATE_RUNNING);
  update.set_verdict(v1::VERDICT_REGRESSION);
  update.set_basis(v1::BASIS_INTERVAL);
  update.set_elapsed_seconds(75);
  update.set_eta_seconds(42.4);
  AddRuns(&update, "parse", 40);
  AddRuns(&update, "render a page", 40);
  MakeGate(AddComparison(&update, "parse", "wall_time", "s", 40,
                         {1.25, 0.01, 1.24, 0.012, -0.008, -0.014, -0.002}),
           0.02, v1::VERDICT_PASS);
  v1::Comparison* open = AddComparison(&update, "render a page", "wall_time", "s", 40,
                                       {0.5, 0.02, 0.506, 0.02, 0.012, -0.006, 0.0305});
  MakeGate(open, 0.02, v1::VERDICT_UNDECIDED);
  open->set_eta_seconds(42.4);
  v1::Comparison* memory = AddComparison(&update, "render a page", "max_rss", "B", 40,
                                         {50e6, 20e3, 53e6, 25e3, 0.06, 0.0598, 0.0602});
  MakeGate(memory, 0, v1::VERDICT_REGRESSION);
  memory->set_margin_absolute(1048576);
  memory->mutable_difference()->set_lo(2.99e6);
  memory->mutable_difference()->set_hi(3.01e6);
  memory->mutable_decided()->set_blocks(8);
  memory->mutable_decided()->set_lo(2.8e6);
  memory->mutable_decided()->set_hi(3.2e6);
  return WithFindings(update);
}

v1::Update WithFindings(v1::Update update, const SessionSpec& spec, DataSource source) {
  Report report;
  report.verdict =
      convert::ToModel<benchd::Verdict>(update.verdict()).value_or(Verdict::kUndecided);
  report.elapsed =
      std::chrono::round<Nanoseconds>(std::chrono::duration<double>(update.elapsed_seconds()));
  for (const v1::Comparison& one : update.comparisons()) {
    report.comparisons.push_back(convert::FromProto(one).value());
  }
  for (const v1::Warning& one : update.warnings()) {
    report.warnings.push_back(convert::FromProto(one));
  }
  ForecastGates(spec, source, report);
  report.geometric_means = ChangesOverBenchmarks(report.comparisons);
  v1::Update found;
  convert::ToProto(report, SessionState::kDone, &found);
  *update.mutable_geometric_means() = found.geometric_means();
  for (int i = 0; i < update.comparisons_size(); ++i) {
    update.mutable_comparisons(i)->clear_forecast();
    if (!found.comparisons(i).has_forecast()) continue;
    *update.mutable_comparisons(i)->mutable_forecast() = found.comparisons(i).forecast();
  }
  return update;
}

v1::Started SampleStarted() {
  v1::Started started;
  started.set_user_mode(true);
  started.set_seed(18446744073709551615U);
  v1::EnvironmentFact* fact = started.add_environment();
  fact->set_name("kernel");
  fact->set_value("6.1.0");
  fact = started.add_environment();
  fact->set_name("cpu");
  fact->set_value("A CPU");
  v1::Setting* setting = started.add_isolation();
  setting->set_setting("affinity");
  setting->set_wanted("1");
  setting->set_actual("1");
  setting->set_held(true);
  setting = started.add_isolation();
  setting->set_setting("governor");
  setting->set_wanted("performance");
  setting->set_actual("powersave");
  setting->set_why("user mode changes no machine setting");
  started.add_benchmark_cpus(1);
  started.add_housekeeping_cpus(0);
  return started;
}

v1::Failed SampleFailed() {
  v1::Failed failed;
  failed.set_error("candidate exited with code 1");
  failed.set_hint("--ignore-failure counts failed runs like any other");
  v1::FailedRun* run = failed.mutable_run();
  run->set_benchmark("main");
  run->set_arm("candidate");
  run->set_block(3);
  run->set_exit_code(1);
  run->set_stderr_tail("reading input\n\x1b[31mcannot open\x1b[0m file\n");
  return failed;
}

v1::Session SampleSession() {
  v1::Session session;
  session.set_session("k3x9m2pq");
  session.set_state(v1::SESSION_STATE_DONE);
  session.set_uid(1000);
  session.mutable_submitted_at()->set_seconds(1767323045);
  session.mutable_started_at()->set_seconds(1767323046);
  session.mutable_ended_at()->set_seconds(1767323060);
  session.mutable_ended_at()->set_nanos(250000000);
  v1::SessionSpec* spec = session.mutable_spec();
  v1::Benchmark* benchmark = spec->add_benchmarks();
  benchmark->set_name("main");
  for (const bool reference : {true, false}) {
    v1::Arm* arm = benchmark->add_arms();
    arm->set_name(reference ? "base" : "candidate");
    arm->set_role(reference ? v1::ARM_ROLE_REFERENCE : v1::ARM_ROLE_CANDIDATE);
    arm->set_command(reference ? "./bench --size 10" : "./bench --size 11 --note 'it''s'");
    arm->set_cwd("/home/user/my project");
  }
  (*benchmark->mutable_arms(1)->mutable_env())["MALLOC_ARENA_MAX"] = "a secret";
  v1::Gate* gate = benchmark->add_gates();
  gate->set_metric("wall_time");
  gate->set_ratio(0.02);
  benchmark->mutable_hooks()->set_setup("make -s");
  spec->set_alpha(0.01);
  spec->set_margin(0.02);
  spec->set_seed(42);
  spec->mutable_limits()->set_min_runs(8);
  spec->mutable_limits()->set_max_time_seconds(60);
  spec->mutable_limits()->set_timeout_seconds(300);
  spec->set_machine_profile("default");
  (*spec->mutable_labels())["branch"] = "main";
  session.add_environment_names("HOME");
  session.add_environment_names("PATH");
  *session.mutable_started() = SampleStarted();
  *session.mutable_report() = RegressionUpdate();
  int second = 1767323045;
  for (const char* what : {"submitted by uid 1000 (pid 123)", "running", "done"}) {
    v1::HistoryEntry* entry = session.add_history();
    entry->mutable_time()->set_seconds(second++);
    entry->mutable_time()->set_nanos(500000000);
    entry->set_what(what);
  }
  return session;
}

v1::Session SuiteSession() {
  v1::Session session;
  session.set_session("k3x9m2pq");
  session.set_state(v1::SESSION_STATE_DONE);
  *session.mutable_report() = SuiteUpdate();
  session.mutable_report()->set_state(v1::SESSION_STATE_DONE);
  return session;
}

std::vector<v1::Run> SampleRuns() {
  std::vector<v1::Run> runs;
  int second = 0;
  for (const char* arm : {"base", "candidate"}) {
    runs.push_back(MakeRun(arm, 0, v1::RUN_PHASE_WARMUP, second++));
    AddSample(&runs.back(), "wall_time", 1);
  }
  const std::vector<std::string> order = {"candidate", "base", "base", "candidate"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    runs.push_back(MakeRun(order[i], i / 2, v1::RUN_PHASE_MEASURED, second++));
    v1::Run* run = &runs.back();
    run->set_position(static_cast<std::uint32_t>(i % 2));
    AddSample(run, "wall_time", 0.1 + 0.01 * static_cast<double>(i));
    if (i != 2)
      AddSample(run, "latency, \"p99\"", 1e-7 * static_cast<double>(i + 1), "BM_X/threads:2");
    AddSample(run, "rate", 2);
    AddSample(run, "rate", 4);
  }
  runs.push_back(MakeRun("base", 2, v1::RUN_PHASE_DROPPED, second++));
  AddSample(&runs.back(), "wall_time", 9);
  return runs;
}

std::string SampleExport(const std::string& machine) {
  v1::Session session = SampleSession();
  session.set_state(v1::SESSION_STATE_DONE);
  session.mutable_started_at()->set_seconds(1767323045);
  v1::EnvironmentFact* fact = session.mutable_started()->add_environment();
  fact->set_name("machine");
  fact->set_value(machine);
  return ExportJson(session, SampleRuns());
}

std::string Exported(std::string_view format, const v1::Session& session) {
  return FindExportFormat(format)->render(session, {});
}

}  // namespace benchd::client
