#pragma once

#include <vector>

#include "core/analysis/similarity_analysis.h"

namespace benchd::client {

/// Four runs of 80 values; the second one is at another level.
std::vector<RunSetReport> SampleAssessment();

/// Two tools and a human on four subjects; one tool is scored against the human.
AgreementReport SampleAgreement();

}  // namespace benchd::client
