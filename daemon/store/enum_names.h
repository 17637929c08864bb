#pragma once

#include "core/model/metric.h"
#include "core/model/session_spec.h"
#include "daemon/store/json_codec.h"

/// How enums that stand both in a spec and in a snapshot are spelled in the database.
namespace benchd::store {

template <>
inline constexpr Names<Better, 2> kNames<Better>{{
    {Better::kLower, "lower"},
    {Better::kHigher, "higher"},
}};
template <>
inline constexpr Names<MarginKind, 2> kNames<MarginKind>{{
    {MarginKind::kRatio, "ratio"},
    {MarginKind::kAbsolute, "absolute"},
}};
template <>
inline constexpr Names<Method, 4> kNames<Method>{{
    {Method::kPaired, "paired"},
    {Method::kWelch, "welch"},
    {Method::kExactT, "exact-t"},
    {Method::kFixed, "fixed"},
}};
template <>
inline constexpr Names<EstimatorKind, 6> kNames<EstimatorKind>{{
    {EstimatorKind::kMean, "mean"},
    {EstimatorKind::kHodgesLehmann, "hl"},
    {EstimatorKind::kMedian, "median"},
    {EstimatorKind::kQuantile, "quantile"},
    {EstimatorKind::kLognormalMean, "lognormal-mean"},
    {EstimatorKind::kSubselection, "subselection"},
}};

template <>
struct Fields<Estimator> {
  static void Visit(auto& visit, auto& v) {
    visit("kind", v.kind);
    visit("quantile", v.quantile);
  }
};

}  // namespace benchd::store
