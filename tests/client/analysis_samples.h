#pragma once

#include "benchd/v1/analysis.pb.h"

namespace benchd::client {

// Hand-made answers to an analysis, as a daemon would send them. The numbers are made up.

/// RegressionUpdate, decided at 12 pairs.
v1::AnalyzeResponse DecidedAnalysis();

/// One metric that lower is better in and one rate, two arms, the candidate starred in the first;
/// in the rate one arm has a single value.
v1::AnalyzeResponse SummarizedAnalysis();

/// One metric, `arms` arms over six bins.
v1::AnalyzeResponse DrawnAnalysis(int arms);

}  // namespace benchd::client
