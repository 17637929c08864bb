#pragma once

#include <filesystem>

#include "benchd/v1/analysis.grpc.pb.h"
#include "daemon/rpc/analyze_reactor.h"
#include "daemon/rpc/gather_reactor.h"

namespace benchd::rpc {

/// benchd.v1.AnalysisService: Analyze, AssessSimilarity, Agreement; Derive answers UNIMPLEMENTED
/// with a sentence.
///
/// Owns the threads that store and compute. gRPC calls the methods on its threads.
class AnalysisService final : public v1::AnalysisService::CallbackService {
 public:
  /// References outlive the server.
  /// @param spool_directory  where tables are kept while they are analysed.
  AnalysisService(const Endpoint& endpoint, Queue& queue, std::filesystem::path spool_directory);

  grpc::ServerReadReactor<v1::AnalyzeRequest>* Analyze(grpc::CallbackServerContext* context,
                                                       v1::AnalyzeResponse* response) override;
  grpc::ServerReadReactor<v1::DeriveRequest>* Derive(grpc::CallbackServerContext* context,
                                                     v1::DeriveResponse* response) override;
  grpc::ServerReadReactor<v1::AssessSimilarityRequest>* AssessSimilarity(
      grpc::CallbackServerContext* context, v1::AssessSimilarityResponse* response) override;
  grpc::ServerReadReactor<v1::AgreementRequest>* Agreement(
      grpc::CallbackServerContext* context, v1::AgreementResponse* response) override;

 private:
  AnalyzeDesk desk_;
  GatherDesk gather_;
};

}  // namespace benchd::rpc
