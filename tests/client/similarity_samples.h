#pragma once

#include "benchd/v1/analysis.pb.h"

namespace benchd::client {

/// Four runs of 80 values, of which the second is at another level.
v1::AssessSimilarityResponse SampleAssessment();

/// Two tools against a human on four subjects.
v1::AgreementResponse SampleAgreement();

}  // namespace benchd::client
