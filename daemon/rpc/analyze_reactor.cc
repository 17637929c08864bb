#include "daemon/rpc/analyze_reactor.h"

#include <asio/post.hpp>
#include <exception>
#include <string>
#include <utility>

#include "core/analysis/table_analysis.h"
#include "core/base/error.h"
#include "daemon/rpc/analyze_options.h"
#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {

AnalyzeReactor::AnalyzeReactor(AnalyzeDesk& desk, std::optional<Caller> caller,
                               v1::AnalyzeResponse* response)
    : desk_(desk), caller_(std::move(caller)), response_(response) {
  asio::post(desk_.endpoint.loop, [this] { Begin(); });
}

AnalyzeReactor::~AnalyzeReactor() {
  if (!counted_) return;
  const auto of_caller = desk_.by_uid.find(caller_->uid);
  if (--of_caller->second == 0) desk_.by_uid.erase(of_caller);
}

void AnalyzeReactor::OnReadDone(bool ok) {
  asio::post(desk_.endpoint.loop, [this, ok] { ReadDone(ok); });
}

void AnalyzeReactor::OnCancel() {
  unwanted_ = true;
  asio::post(desk_.endpoint.loop, [this] { End(grpc::Status::CANCELLED); });
}

void AnalyzeReactor::OnDone() {
  asio::post(desk_.endpoint.loop, [this] { delete this; });
}

void AnalyzeReactor::Begin() {
  if (const grpc::Status admitted = desk_.endpoint.Admit(caller_); !admitted.ok()) {
    return End(admitted);
  }
  token_ = desk_.endpoint.calls.Begin([this] { End(Stopping()); });
  if (desk_.by_uid[caller_->uid] == kMaxCallsPerUid) {
    return End(ToStatus(Error{
        ErrorCode::kResourceExhausted,
        "analyze: " + std::to_string(kMaxCallsPerUid) + " of your tables are under way already",
        "wait until one of them is done"}));
  }
  ++desk_.by_uid[caller_->uid];
  counted_ = true;
  StartRead(&request_);
}

void AnalyzeReactor::ReadDone(bool ok) {
  desk_.queue.NoteDisturbance();
  if (ended_) return;
  if (!ok) return AskForTurn();
  if (Result<void> taken = TakePart(); !taken) End(ToStatus(taken));
}

Result<void> AnalyzeReactor::TakePart() {
  switch (request_.part_case()) {
    case v1::AnalyzeRequest::kOptions:
      return TakeOptions();
    case v1::AnalyzeRequest::kChunk:
      return TakeChunk();
    case v1::AnalyzeRequest::PART_NOT_SET:
      break;
  }
  return InvalidArgument("part", "a message has neither options nor a chunk");
}

Result<void> AnalyzeReactor::TakeOptions() {
  if (options_) return InvalidArgument("options", "came twice", "send them once, and first");
  Result<TableOptions> options = FromProto(request_.options());
  if (!options) return std::move(options).error();
  options_ = std::move(options).value();
  WorkOn(
      desk_.spooling,
      [this]() -> Result<void> {
        Result<AnalyzeSpool> spool = AnalyzeSpool::Make(desk_.spool_directory);
        if (!spool) return std::move(spool).error();
        spool_ = std::move(spool).value();
        return {};
      },
      [this] { StartRead(&request_); });
  return {};
}

Result<void> AnalyzeReactor::TakeChunk() {
  if (!options_)
    return InvalidArgument("options", "did not come first", "send them, then the table");
  if (request_.chunk().size() > kMaxChunkBytes) {
    return InvalidArgument("chunk",
                           std::to_string(request_.chunk().size()) + " bytes, over the limit of " +
                               std::to_string(kMaxChunkBytes),
                           "send the table in smaller pieces");
  }
  WorkOn(
      desk_.spooling, [this] { return spool_->Append(request_.chunk()); },
      [this] { StartRead(&request_); });
  return {};
}

void AnalyzeReactor::AskForTurn() {
  if (!options_) {
    return End(ToStatus(InvalidArgument("options", "did not come", "send them, then the table")));
  }
  turn_ = desk_.queue.AskForTurn([this] { Compute(); });
}

void AnalyzeReactor::Compute() {
  WorkOn(
      desk_.computing, [this] { return Analyze(); }, [this] { End(grpc::Status::OK); });
}

Result<void> AnalyzeReactor::Analyze() {
  Result<TableReport> report =
      AnalyzeTable(*spool_, *options_, [this] { return unwanted_.load(); });
  if (!report) return std::move(report).error();
  ToProto(*report, response_);
  return {};
}

template <typename Work, typename Then>
void AnalyzeReactor::WorkOn(SideThread& thread, Work work, Then then) {
  working_ = true;
  thread.Post([this, work = std::move(work), then = std::move(then)]() mutable {
    Result<void> done;
    try {
      done = work();
    } catch (const std::exception& error) {
      done = Error{ErrorCode::kInternal, std::string("analyze: ") + error.what(), {}};
    }
    asio::post(desk_.endpoint.loop, [this, done = std::move(done), then = std::move(then)] {
      working_ = false;
      if (!done) End(ToStatus(done));
      if (ended_) return FinishWhenFree();
      then();
    });
  });
}

void AnalyzeReactor::End(const grpc::Status& status) {
  if (ended_) return;
  ended_ = true;
  unwanted_ = true;
  status_ = status;
  FinishWhenFree();
}

void AnalyzeReactor::FinishWhenFree() {
  if (!status_ || working_) return;
  turn_.reset();
  const grpc::Status status = *std::exchange(status_, std::nullopt);
  Finish(status);
}

}  // namespace benchd::rpc
