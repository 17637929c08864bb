#include "client/request/self_comparison.h"

#include <algorithm>
#include <string>

#include "core/model/labels.h"

namespace benchd::client {
namespace {

void CopyReference(v1::Benchmark* benchmark) {
  const auto& arms = benchmark->arms();
  const auto reference = std::ranges::find(arms, v1::ARM_ROLE_REFERENCE, &v1::Arm::role);
  v1::Arm first = reference == arms.end() ? arms.at(0) : *reference;
  v1::Arm second = first;
  first.set_role(v1::ARM_ROLE_REFERENCE);
  second.set_name(first.name() + "-again");
  second.set_role(v1::ARM_ROLE_CANDIDATE);
  benchmark->clear_arms();
  *benchmark->add_arms() = std::move(first);
  *benchmark->add_arms() = std::move(second);
}

// Only these estimators cannot be watched (core/analysis/sequential_design.cc).
bool LooksOnlyOnce(const v1::SessionSpec& spec) {
  const v1::EstimatorKind kind = spec.estimator().kind();
  const bool pairs = spec.method() != v1::METHOD_WELCH && spec.schedule() != v1::SCHEDULE_KIND_COIN;
  return kind == v1::ESTIMATOR_KIND_LOGNORMAL_MEAN || kind == v1::ESTIMATOR_KIND_SUBSELECTION ||
         (kind == v1::ESTIMATOR_KIND_HODGES_LEHMANN && !pairs);
}

}  // namespace

Result<void> PrepareCalibration(SpecInput* input) {
  const auto labels = input->options.find("label");
  if (labels == input->options.end()) return {};
  input->against_itself = std::ranges::any_of(labels->second, [](const OptionValue& label) {
    return label.text.starts_with(std::string(kCalibrationLabel) + "=");
  });
  if (!input->against_itself) return {};
  input->options.erase("confirm");  // or the builds of its second phase would be planned
  const auto layouts = input->options.find("layouts");
  if (layouts == input->options.end()) return {};
  return Error{ErrorCode::kFailedPrecondition,
               layouts->second.front().origin +
                   ": the base against itself does not show the spread between builds"};
}

void CompareBaseWithItself(v1::SessionSpec* spec) {
  for (v1::Benchmark& benchmark : *spec->mutable_benchmarks()) {
    if (!benchmark.arms().empty()) CopyReference(&benchmark);
    benchmark.clear_control();
    benchmark.clear_controls();
  }
  v1::Limits* const limits = spec->mutable_limits();
  limits->clear_runs();
  limits->clear_max_runs();
  limits->clear_at_limit();
  limits->clear_fail_fast();
  spec->mutable_rule()->set_precision_width(kUnreachableWidth);
  // Only Welch's method is watched like the default.
  if (spec->method() != v1::METHOD_WELCH) spec->clear_method();
  if (LooksOnlyOnce(*spec)) spec->clear_estimator();
  spec->clear_sided();
  spec->clear_pass_confidence();
  spec->clear_error_rate();
  spec->clear_confirm();
  spec->clear_placebo();
}

}  // namespace benchd::client
