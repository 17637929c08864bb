#include "client/request/verdict_settings.h"

namespace benchd::client {

void ClearVerdictSettings(v1::SessionSpec* spec) {
  spec->clear_sided();
  spec->clear_pass_confidence();
  spec->clear_error_rate();
  spec->clear_confirm();
  spec->clear_placebo();
  spec->clear_keep_all();
  spec->clear_early_looks();
  if (spec->has_limits()) spec->mutable_limits()->clear_fail_fast();
  for (v1::Benchmark& benchmark : *spec->mutable_benchmarks()) {
    benchmark.clear_control();
    benchmark.clear_controls();
  }
}

}  // namespace benchd::client
