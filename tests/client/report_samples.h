#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "client/report/report_source.h"
#include "tests/client/samples.h"

namespace benchd::client {

/// Reproducible noise between -1 and 1, without a visible pattern.
inline double Noise(std::size_t i) {
  return std::sin(static_cast<double>(i) * 12.9898) * std::cos(static_cast<double>(i * i) * 0.7);
}

/// Pairs of runs for SampleSession(), after a warm-up block. The candidate is a tenth slower, one
/// of its runs is an outlier, and one run of the base was disturbed.
inline std::vector<v1::Run> PairedRuns(std::size_t pairs) {
  std::vector<v1::Run> runs;
  for (std::size_t i = 0; i <= pairs; ++i) {
    for (const bool base : {i % 3 != 1, i % 3 == 1}) {
      v1::Run& run = runs.emplace_back();
      run.set_benchmark("main");
      run.set_arm(base ? "base" : "candidate");
      run.set_phase(i == 0 ? v1::RUN_PHASE_WARMUP : v1::RUN_PHASE_MEASURED);
      run.set_block(i == 0 ? 0 : i - 1);
      run.mutable_started_at()->set_seconds(1767323045 + static_cast<std::int64_t>(runs.size()));
      run.set_disturbances(base && i == 5 ? 2 : 0);
      v1::Sample* sample = run.add_samples();
      sample->set_metric("wall_time");
      const double usual = (base ? 0.0101 : 0.0111) + 0.0002 * Noise(2 * i + (base ? 0 : 1));
      sample->set_value(!base && i == 9 ? 0.0135 : usual);
    }
  }
  return runs;
}

/// SampleSession() with PairedRuns(). Its report is still the hand-made one.
inline ReportSource SampleSource(std::size_t pairs) {
  return SourceOfSession(SampleSession(), PairedRuns(pairs));
}

/// SampleSession() with `builds` builds of each of two commits. The builds differ by some per cent,
/// and the candidate is a tenth slower.
inline ReportSource LayoutSource(std::size_t builds, std::size_t blocks) {
  v1::Session session = SampleSession();
  session.mutable_spec()->set_method(v1::METHOD_LAYOUTS);
  v1::Benchmark* benchmark = session.mutable_spec()->mutable_benchmarks(0);
  benchmark->clear_arms();
  std::vector<v1::Run> runs(2 * builds * blocks);
  for (std::size_t i = 0; i < 2 * builds; ++i) {
    const bool base = i < builds;
    v1::Arm* arm = benchmark->add_arms();
    arm->set_name((base ? "base/" : "candidate/") + std::to_string(1 + i % builds));
    arm->set_role(base ? v1::ARM_ROLE_REFERENCE : v1::ARM_ROLE_CANDIDATE);
    arm->set_command("./bench");
    for (std::size_t block = 0; block < blocks; ++block) {
      v1::Run& run = runs[2 * builds * block + i];
      run.set_benchmark("main");
      run.set_arm(arm->name());
      run.set_phase(v1::RUN_PHASE_MEASURED);
      run.set_block(block);
      run.mutable_started_at()->set_seconds(1767323045 + static_cast<std::int64_t>(block));
      v1::Sample* sample = run.add_samples();
      sample->set_metric("wall_time");
      sample->set_value((base ? 0.0101 : 0.0111) * (1 + 0.03 * Noise(3 * i + 1)) +
                        0.00002 * Noise(i + 31 * block));
    }
  }
  for (v1::Comparison& one : *session.mutable_report()->mutable_comparisons()) {
    one.set_method(v1::METHOD_LAYOUTS);
    one.set_n_reference(builds);
    one.set_n_candidate(builds);
  }
  return SourceOfSession(std::move(session), runs);
}

/// SampleSource() from machine `number`, with the result `change`.
inline ReportSource MachineSource(std::size_t number, double change) {
  v1::Session session = SampleSession();
  session.set_session("session" + std::to_string(number));
  session.mutable_started_at()->set_seconds(1767323045);
  v1::EnvironmentFact* fact = session.mutable_started()->add_environment();
  fact->set_name("machine");
  fact->set_value(std::string(31, 'a') + static_cast<char>('a' + number));
  v1::Comparison* gate = session.mutable_report()->mutable_comparisons(0);
  gate->mutable_change()->set_estimate(change);
  gate->mutable_change()->set_lo(change - 0.004);
  gate->mutable_change()->set_hi(change + 0.004);
  ReportSource source = SourceOfSession(std::move(session), PairedRuns(12));
  source.on_machine->source = "node" + std::to_string(number) + ".json";
  return source;
}

}  // namespace benchd::client
