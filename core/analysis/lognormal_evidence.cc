#include "core/analysis/lognormal_evidence.h"

#include <algorithm>
#include <cmath>

#include "core/stats/lognormal_mean.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

// Any level gives the same estimate.
constexpr double kLognormalLevel = 0.5;

}  // namespace

void LognormalEvidence::Take(Values reference, Values candidate) {
  const auto take = [this](const ArmValue& value, Arm& arm) {
    arm.raw.Add(value.value);
    if (positive()) arm.logs.Add(rate() ? -std::log(value.value) : std::log(value.value));
  };
  for (const ArmValue& value : reference) take(value, reference_);
  for (const ArmValue& value : candidate) take(value, candidate_);
  alpha_.reset();
}

bool LognormalEvidence::Defined(Contrast scale) const {
  return scale == Contrast::kLogRatio && positive() &&
         std::min(reference_.logs.count(), candidate_.logs.count()) >= 2;
}

double LognormalEvidence::Widening(double resolution) const {
  if (!NeedsWidening(reference_.raw, candidate_.raw, resolution)) return 0;
  return RatioWidening(reference_.raw, candidate_.raw, resolution);
}

/// As many pairs as would carry what the logs of two independent arms do.
double LognormalEvidence::Clock() const {
  return EstimateWelchDifference(reference_.logs, candidate_.logs).clock;
}

double LognormalEvidence::PValueAt(double resolution) const {
  const auto p = LognormalMeanP(reference_.logs, candidate_.logs, subject().Hypothesis(),
                                Widening(resolution));
  return p ? *p : 1;
}

ScaleEstimate LognormalEvidence::On(Contrast /*scale*/, double resolution) const {
  const auto look = LognormalMeanRatio(reference_.logs, candidate_.logs, kLognormalLevel);
  return {look ? look->estimate : 0, Widening(resolution)};
}

std::optional<Interval> LognormalEvidence::IntervalOn(Contrast scale, double resolution) const {
  if (!alpha_ || !Defined(scale)) return std::nullopt;
  const auto look = LognormalMeanRatio(reference_.logs, candidate_.logs, *alpha_);
  if (!look || !look->interval) return std::nullopt;
  const double widening = Widening(resolution);
  return Interval{look->interval->lo - widening, look->interval->hi + widening};
}

bool LognormalEvidence::Look(Contrast deciding, double resolution, Level& level) {
  const SequentialBoundary& boundary = level.boundary();
  if (std::min(reference_.logs.count(), candidate_.logs.count()) < boundary.first_look()) {
    return false;
  }
  const double clock = Clock();
  alpha_ = LevelOfOneLook(boundary, clock);
  p_.running().Update(PValueAt(resolution), SignOf(On(deciding, resolution).centre), clock,
                      boundary);
  return true;
}

bool LognormalEvidence::LookOnce(Contrast deciding, double resolution, const Level& level) {
  if (!Defined(deciding)) return false;
  alpha_ = level.two_sided();
  p_.TakeOnce(PValueAt(resolution), On(deciding, resolution).centre);
  return true;
}

}  // namespace benchd
