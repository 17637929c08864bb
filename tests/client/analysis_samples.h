#pragma once

#include "client/present/analysis.h"

namespace benchd::client {

// Hand-made analyses with invented numbers.

/// RegressionUpdate, decided at 12 pairs.
Analysis DecidedAnalysis();

/// Two arms with one metric for which lower is better and one rate. The candidate is starred in the
/// first metric; in the rate, one arm has a single value.
Analysis SummarizedAnalysis();

/// One metric, `arms` arms over six bins.
Analysis DrawnAnalysis(int arms);

}  // namespace benchd::client
