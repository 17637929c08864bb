#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "client/report/report_source.h"
#include "tests/client/samples.h"

namespace benchd::client {

/// Noise that is the same everywhere: between -1 and 1, without a pattern that a picture shows.
inline double Noise(std::size_t i) {
  return std::sin(static_cast<double>(i) * 12.9898) * std::cos(static_cast<double>(i * i) * 0.7);
}

/// SampleSession() with runs in pairs behind a warm-up: the candidate is a tenth slower, one of its
/// runs is an outlier, one of the base's was disturbed.
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

/// That session with those runs; what it reports is as hand-made as SampleSession()'s.
inline ReportSource SampleSource(std::size_t pairs) {
  return SourceOfSession(SampleSession(), PairedRuns(pairs));
}

}  // namespace benchd::client
