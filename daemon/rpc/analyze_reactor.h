#pragma once

#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include "benchd/v1/analysis.pb.h"
#include "core/analysis/table_plan.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/analyze_spool.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/side_thread.h"

namespace benchd::rpc {

/// What all analyses share. Owned by the service; outlives every call.
struct AnalyzeDesk {
  Endpoint endpoint;
  Queue& queue;
  std::filesystem::path spool_directory;
  std::map<std::uint32_t, std::size_t> by_uid;  ///< calls under way; loop's thread only
  SideThread spooling{"benchd-spool"};
  SideThread computing{"benchd-analyze"};
};

/// AnalysisService.Analyze: takes the table in, waits until no session measures, computes, answers.
///
/// All state lives on the loop's thread; gRPC's reactions only post. The file is written and the
/// numbers are computed on a thread of its own each, with which the loop never shares: while
/// `working_`, spool, request and response are that thread's. The next chunk is read when the last
/// one is stored, so a slow disk slows the client down. A slow client holds nothing: the turn is
/// asked for when the table is complete. Who goes away is noticed by a thread that computes at
/// every 64 KiB of the table (`unwanted_`). Finish is called exactly once; the object deletes
/// itself on the loop after gRPC's last word.
class AnalyzeReactor final : public grpc::ServerReadReactor<v1::AnalyzeRequest> {
 public:
  static constexpr std::size_t kMaxChunkBytes = std::size_t{64} * 1024;
  /// Calls of one user at a time: each may fill a part of the disk.
  static constexpr std::size_t kMaxCallsPerUid = 4;

  AnalyzeReactor(AnalyzeDesk& desk, std::optional<Caller> caller, v1::AnalyzeResponse* response);

  void OnReadDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  ~AnalyzeReactor() override;

  void Begin();
  void ReadDone(bool ok);
  Result<void> TakePart();
  Result<void> TakeOptions();
  Result<void> TakeChunk();
  void AskForTurn();
  void Compute();
  Result<void> Analyze();
  /// Calls `work`, which returns a Result, on that thread, and `then` with it on the loop's.
  template <typename Work, typename Then>
  void WorkOn(SideThread& thread, Work work, Then then);

  /// The first status counts.
  void End(const grpc::Status& status);
  void FinishWhenFree();

  AnalyzeDesk& desk_;
  const std::optional<Caller> caller_;
  v1::AnalyzeResponse* const response_;
  v1::AnalyzeRequest request_;
  LiveCalls::Token token_;
  bool counted_ = false;  ///< in desk_.by_uid
  std::optional<TableOptions> options_;
  std::optional<AnalyzeSpool> spool_;
  std::optional<SideTurns::Turn> turn_;
  bool working_ = false;
  std::atomic<bool> unwanted_ = false;
  bool ended_ = false;
  std::optional<grpc::Status> status_;  ///< to finish with, until Finish is called
};

}  // namespace benchd::rpc
