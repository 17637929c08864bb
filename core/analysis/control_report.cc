#include "core/analysis/control_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/model/warning.h"

namespace benchd {
namespace {

std::vector<const Comparison*> ControlsIn(const Report& report, ControlState state) {
  std::vector<const Comparison*> controls;
  for (const Comparison& one : report.comparisons) {
    if (one.control == state) controls.push_back(&one);
  }
  return controls;
}

std::string NameOfControl(const Comparison& control) {
  return control.metric + " of " + control.candidate + " against " + control.reference + " in " +
         control.benchmark;
}

// Names the first controls: "wall_time of candidate against base in calibration and 3 more".
std::string ControlList(const std::vector<const Comparison*>& controls) {
  constexpr std::size_t kControlsNamed = 3;
  std::vector<std::string> names;
  for (const Comparison* one : controls) {
    if (names.size() < kControlsNamed) names.push_back(NameOfControl(*one));
  }
  const std::string list = Join(names, ", ");
  if (controls.size() <= kControlsNamed) return list;
  return fmt::format("{} and {} more", list, controls.size() - kControlsNamed);
}

// Adds a warning about controls, which is about the whole session.
void WarnOfControls(WarningCode code, const std::string& words,
                    const std::vector<const Comparison*>& controls, Report& report) {
  report.warnings.push_back(MakeWarning(code, words + ": " + ControlList(controls)));
}

// Returns whether all gates that the warning is about are controls.
bool IsOfControls(const Warning& warning, const Report& report) {
  bool any = false;
  for (const Comparison& one : report.comparisons) {
    const bool counts = one.role == ComparisonRole::kGate || one.control;
    const bool about = one.benchmark == warning.benchmark &&
                       (warning.arm.empty() || warning.arm == one.candidate) &&
                       (warning.metric.empty() || warning.metric == one.metric) &&
                       (warning.reference.empty() || warning.reference == one.reference);
    if (!counts || !about) continue;
    if (!one.control) return false;
    any = true;
  }
  return any;
}

}  // namespace

void TellControls(bool ended, Report& report) {
  for (Warning& warning : report.warnings) {
    const bool invalidates = warning.severity == Severity::kInvalidates;
    if (invalidates && IsOfControls(warning, report)) warning.severity = Severity::kCaution;
  }
  const std::vector<const Comparison*> changed = ControlsIn(report, ControlState::kChanged);
  if (!changed.empty()) {
    WarnOfControls("control_changed", kControlChangedWords, changed, report);
    report.control_changed = true;
    report.verdict = Verdict::kUndecided;
  }
  const std::vector<const Comparison*> open = ControlsIn(report, ControlState::kOpen);
  if (ended && !open.empty()) {
    WarnOfControls("control_open", "a control was not shown to be unchanged", open, report);
  }
}

}  // namespace benchd
