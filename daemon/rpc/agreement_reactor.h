#pragma once

#include <optional>

#include "benchd/v1/analysis.pb.h"
#include "core/analysis/agreement_analysis.h"
#include "daemon/rpc/gather_reactor.h"

namespace benchd::rpc {

void ToProto(const AgreementReport& report, const AgreementRequest& request,
             v1::AgreementResponse* to);

/// AnalysisService.Agreement: a CSV of ratings; options may come with its first message.
class AgreementReactor final : public GatherReactor<v1::AgreementRequest, v1::AgreementResponse> {
 public:
  using GatherReactor::GatherReactor;

 private:
  Result<void> Take(const v1::AgreementRequest& request) override;
  Result<void> CheckComplete() override { return {}; }
  Result<void> Compute(std::string_view data, v1::AgreementResponse* response) override;

  bool begun_ = false;
  AgreementRequest options_;
};

}  // namespace benchd::rpc
