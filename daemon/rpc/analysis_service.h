#pragma once

#include "benchd/v1/analysis.grpc.pb.h"

namespace benchd::rpc {

/// benchd.v1.AnalysisService: declared, every method answers UNIMPLEMENTED with a sentence.
/// Stateless.
class AnalysisService final : public v1::AnalysisService::CallbackService {
 public:
  grpc::ServerReadReactor<v1::AnalyzeRequest>* Analyze(grpc::CallbackServerContext* context,
                                                       v1::AnalyzeResponse* response) override;
  grpc::ServerReadReactor<v1::DeriveRequest>* Derive(grpc::CallbackServerContext* context,
                                                     v1::DeriveResponse* response) override;
  grpc::ServerReadReactor<v1::AssessSimilarityRequest>* AssessSimilarity(
      grpc::CallbackServerContext* context, v1::AssessSimilarityResponse* response) override;
  grpc::ServerReadReactor<v1::AgreementRequest>* Agreement(
      grpc::CallbackServerContext* context, v1::AgreementResponse* response) override;
};

}  // namespace benchd::rpc
