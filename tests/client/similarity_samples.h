#pragma once

#include <vector>

#include "core/analysis/similarity_analysis.h"

namespace benchd::client {

/// Four runs of 80 values, of which the second is at another level.
std::vector<RunSetReport> SampleAssessment();

/// Two tools against a human on four subjects, the one held against him.
AgreementReport SampleAgreement();

}  // namespace benchd::client
