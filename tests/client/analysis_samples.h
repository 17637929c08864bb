#pragma once

#include "client/present/analysis.h"

namespace benchd::client {

// Hand-made analyses. The numbers are made up.

/// RegressionUpdate, decided at 12 pairs.
Analysis DecidedAnalysis();

/// One metric that lower is better in and one rate, two arms, the candidate starred in the first;
/// in the rate one arm has a single value.
Analysis SummarizedAnalysis();

/// One metric, `arms` arms over six bins.
Analysis DrawnAnalysis(int arms);

}  // namespace benchd::client
