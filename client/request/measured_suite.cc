#include "client/request/measured_suite.h"

#include <cmath>

#include "client/request/verdict_settings.h"

namespace benchd::client {
namespace {

void KeepWidth(bool exact_runs, v1::Gate* gate) {
  gate->set_exact(false);
  gate->clear_unit();
  const bool has_width = gate->margin_case() == v1::Gate::kRatio && !exact_runs;
  if (has_width) {
    gate->set_ratio(std::abs(gate->ratio()));
  } else {
    gate->clear_margin();
  }
}

}  // namespace

void MeasureSuite(v1::SessionSpec* spec) {
  ClearVerdictSettings(spec);
  spec->clear_method();
  spec->clear_schedule();
  const bool exact_runs = spec->limits().has_runs();
  const bool stated = spec->rule().precision_width() > 0;
  if (spec->has_margin() && !stated && !exact_runs) {
    spec->mutable_rule()->set_precision_width(std::abs(spec->margin()));
  }
  spec->clear_margin();
  for (v1::Benchmark& benchmark : *spec->mutable_benchmarks()) {
    if (benchmark.has_margin()) benchmark.set_margin(std::abs(benchmark.margin()));
    if (exact_runs) benchmark.clear_margin();
    for (v1::Gate& gate : *benchmark.mutable_gates()) KeepWidth(exact_runs, &gate);
  }
}

}  // namespace benchd::client
