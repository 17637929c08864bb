#pragma once

#include <optional>
#include <vector>

#include "benchd/v1/analysis.pb.h"
#include "core/analysis/similarity_analysis.h"
#include "daemon/rpc/gather_reactor.h"

namespace benchd::rpc {

/// Checks only what the wire can say wrong; the rest is AssessFile()'s matter.
/// @errors kInvalidArgument "format: ..."
Result<SimilarityRequest> FromProto(const v1::SimilarityOptions& proto);

void ToProto(const std::vector<RunSetReport>& reports, const SimilarityRequest& request,
             v1::AssessSimilarityResponse* to);

/// AnalysisService.AssessSimilarity: options first, then the file.
class SimilarityReactor final
    : public GatherReactor<v1::AssessSimilarityRequest, v1::AssessSimilarityResponse> {
 public:
  using GatherReactor::GatherReactor;

 private:
  Result<void> Take(const v1::AssessSimilarityRequest& request) override;
  Result<void> CheckComplete() override;
  Result<void> Compute(std::string_view data, v1::AssessSimilarityResponse* response) override;

  std::optional<SimilarityRequest> options_;
};

}  // namespace benchd::rpc
