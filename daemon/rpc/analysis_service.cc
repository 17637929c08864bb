#include "daemon/rpc/analysis_service.h"

#include <utility>

#include "daemon/rpc/agreement_reactor.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/similarity_reactor.h"

namespace benchd::rpc {

AnalysisService::AnalysisService(const Endpoint& endpoint, Queue& queue,
                                 std::filesystem::path spool_directory)
    : desk_{endpoint, queue, std::move(spool_directory), {}}, gather_(endpoint, queue) {}

grpc::ServerReadReactor<v1::AnalyzeRequest>* AnalysisService::Analyze(
    grpc::CallbackServerContext* context, v1::AnalyzeResponse* response) {
  return new AnalyzeReactor(desk_, desk_.endpoint.Identify(*context), response);
}

grpc::ServerReadReactor<v1::DeriveRequest>* AnalysisService::Derive(
    grpc::CallbackServerContext* /*context*/, v1::DeriveResponse* /*response*/) {
  return new Refusal<grpc::ServerReadReactor<v1::DeriveRequest>>(NotOffered("derive"));
}

grpc::ServerReadReactor<v1::AssessSimilarityRequest>* AnalysisService::AssessSimilarity(
    grpc::CallbackServerContext* context, v1::AssessSimilarityResponse* response) {
  return new SimilarityReactor(gather_, gather_.endpoint.Identify(*context), response);
}

grpc::ServerReadReactor<v1::AgreementRequest>* AnalysisService::Agreement(
    grpc::CallbackServerContext* context, v1::AgreementResponse* response) {
  return new AgreementReactor(gather_, gather_.endpoint.Identify(*context), response);
}

}  // namespace benchd::rpc
