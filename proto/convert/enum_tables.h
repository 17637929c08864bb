#pragma once

#include <array>
#include <optional>
#include <utility>

#include "benchd/v1/session.pb.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

/// Which word of the wire is which word of the model; one table an enum, read in both directions.
/// What a table leaves out (UNSPECIFIED) has a default or a meaning of its own where it is used.
namespace benchd::convert {

template <typename Wire, typename Model, std::size_t N>
using EnumTable = std::array<std::pair<Wire, Model>, N>;

template <typename Wire, typename Model, std::size_t N>
std::optional<Model> ModelValue(const EnumTable<Wire, Model, N>& table, Wire wire) {
  for (const auto& [w, m] : table) {
    if (w == wire) return m;
  }
  return std::nullopt;
}

template <typename Wire, typename Model, std::size_t N>
Wire WireValue(const EnumTable<Wire, Model, N>& table, Model model) {
  for (const auto& [w, m] : table) {
    if (m == model) return w;
  }
  return Wire{};
}

inline constexpr EnumTable<v1::ArmRole, ArmRole, 3> kArmRoles{{
    {v1::ARM_ROLE_REFERENCE, ArmRole::kReference},
    {v1::ARM_ROLE_CANDIDATE, ArmRole::kCandidate},
    {v1::ARM_ROLE_PLACEBO, ArmRole::kPlacebo},
}};
inline constexpr EnumTable<v1::Better, Better, 2> kBetters{{
    {v1::BETTER_LOWER, Better::kLower},
    {v1::BETTER_HIGHER, Better::kHigher},
}};
inline constexpr EnumTable<v1::OutputKind, OutputKind, 3> kOutputKinds{{
    {v1::OUTPUT_KIND_DISCARD, OutputKind::kDiscard},
    {v1::OUTPUT_KIND_LOG, OutputKind::kLog},
    {v1::OUTPUT_KIND_FILE, OutputKind::kFile},
}};
inline constexpr EnumTable<v1::Method, Method, 4> kMethods{{
    {v1::METHOD_PAIRED, Method::kPaired},
    {v1::METHOD_WELCH, Method::kWelch},
    {v1::METHOD_EXACT_T, Method::kExactT},
    {v1::METHOD_FIXED, Method::kFixed},
}};
inline constexpr EnumTable<v1::EstimatorKind, EstimatorKind, 6> kEstimatorKinds{{
    {v1::ESTIMATOR_KIND_MEAN, EstimatorKind::kMean},
    {v1::ESTIMATOR_KIND_HODGES_LEHMANN, EstimatorKind::kHodgesLehmann},
    {v1::ESTIMATOR_KIND_MEDIAN, EstimatorKind::kMedian},
    {v1::ESTIMATOR_KIND_QUANTILE, EstimatorKind::kQuantile},
    {v1::ESTIMATOR_KIND_LOGNORMAL_MEAN, EstimatorKind::kLognormalMean},
    {v1::ESTIMATOR_KIND_SUBSELECTION, EstimatorKind::kSubselection},
}};
inline constexpr EnumTable<v1::Sided, Sided, 2> kSided{{
    {v1::SIDED_TWO, Sided::kTwo},
    {v1::SIDED_ONE, Sided::kOne},
}};
inline constexpr EnumTable<v1::AtLimit, AtLimit, 2> kAtLimits{{
    {v1::AT_LIMIT_UNDECIDED, AtLimit::kUndecided},
    {v1::AT_LIMIT_ESTIMATE, AtLimit::kEstimate},
}};
inline constexpr EnumTable<v1::ScheduleKind, ScheduleKind, 2> kScheduleKinds{{
    {v1::SCHEDULE_KIND_PAIRS, ScheduleKind::kPairs},
    {v1::SCHEDULE_KIND_COIN, ScheduleKind::kCoin},
}};
inline constexpr EnumTable<v1::Isolation, Isolation, 3> kIsolations{{
    {v1::ISOLATION_STRICT, Isolation::kStrict},
    {v1::ISOLATION_BEST_EFFORT, Isolation::kBestEffort},
    {v1::ISOLATION_OFF, Isolation::kOff},
}};
inline constexpr EnumTable<v1::SessionState, SessionState, 7> kSessionStates{{
    {v1::SESSION_STATE_QUEUED, SessionState::kQueued},
    {v1::SESSION_STATE_PREPARING, SessionState::kPreparing},
    {v1::SESSION_STATE_RUNNING, SessionState::kRunning},
    {v1::SESSION_STATE_PAUSED, SessionState::kPaused},
    {v1::SESSION_STATE_DONE, SessionState::kDone},
    {v1::SESSION_STATE_FAILED, SessionState::kFailed},
    {v1::SESSION_STATE_CANCELLED, SessionState::kCancelled},
}};
inline constexpr EnumTable<v1::Verdict, Verdict, 3> kVerdicts{{
    {v1::VERDICT_PASS, Verdict::kPass},
    {v1::VERDICT_REGRESSION, Verdict::kRegression},
    {v1::VERDICT_UNDECIDED, Verdict::kUndecided},
}};
inline constexpr EnumTable<v1::Basis, Basis, 2> kBases{{
    {v1::BASIS_INTERVAL, Basis::kInterval},
    {v1::BASIS_ESTIMATE, Basis::kEstimate},
}};
inline constexpr EnumTable<v1::ComparisonRole, ComparisonRole, 2> kComparisonRoles{{
    {v1::COMPARISON_ROLE_GATE, ComparisonRole::kGate},
    {v1::COMPARISON_ROLE_INFO, ComparisonRole::kInfo},
}};
inline constexpr EnumTable<v1::Flag, Flag, 2> kFlags{{
    {v1::FLAG_IMPROVEMENT, Flag::kImprovement},
    {v1::FLAG_WORSE, Flag::kWorse},
}};
inline constexpr EnumTable<v1::RunPhase, RunPhase, 3> kRunPhases{{
    {v1::RUN_PHASE_WARMUP, RunPhase::kWarmup},
    {v1::RUN_PHASE_MEASURED, RunPhase::kMeasured},
    {v1::RUN_PHASE_DROPPED, RunPhase::kDropped},
}};

}  // namespace benchd::convert
