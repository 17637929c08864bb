#include "daemon/rpc/stored_reactors.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <exception>
#include <utility>

#include "daemon/rpc/status_mapping.h"
#include "proto/convert/convert.h"

namespace benchd::rpc {

ListSamplesReactor::ListSamplesReactor(const ListSamplesSources& sources,
                                       std::optional<Caller> caller,
                                       const v1::ListSamplesRequest& request)
    : StreamReactor(sources.endpoint, std::move(caller)),
      sources_(sources),
      session_(request.session()),
      with_warmup_(request.with_warmup()),
      with_metrics_(request.with_metrics()) {
  Begin();
}

void ListSamplesReactor::Started() {
  Result<SessionRecord> record = sources_.find(caller(), session_);
  if (!record) return End(ToStatus(record.error()));
  id_ = record->snapshot.id;
  spec_ = std::move(record->spec);
  Continue();
}

void ListSamplesReactor::Written() { Continue(); }

void ListSamplesReactor::Continue() {
  if (ended()) return;
  if (FillMessage()) return Write();
  if (exhausted_) return End(grpc::Status::OK);
  StartLoad();
}

void ListSamplesReactor::StartLoad() {
  Hold();
  asio::co_spawn(loop(), Load(), asio::detached);
}

asio::awaitable<void> ListSamplesReactor::Load() {
  try {
    Result<std::vector<Run>> runs =
        co_await sources_.store.Do(&Records::LoadRuns, id_, loaded_, kRunsPerLoad);
    if (runs) {
      runs_ = std::move(runs).value();
      used_ = 0;
      loaded_ += runs_.size();
      exhausted_ = runs_.size() < kRunsPerLoad;
    } else {
      End(ToStatus(std::move(runs).error().Within("reading the samples")));
    }
  } catch (const std::exception& error) {
    End(ToStatus(
        Error{ErrorCode::kInternal, std::string("reading the samples: ") + error.what(), {}}));
  }
  Unhold();
  Continue();
}

bool ListSamplesReactor::FillMessage() {
  message().Clear();
  std::size_t bytes = 0;
  while (used_ < runs_.size() && bytes < kMessageBytes) {
    const Run& run = runs_[used_++];
    if (run.phase != RunPhase::kMeasured && !with_warmup_) continue;
    v1::Run* added = message().add_runs();
    convert::ToProto(run, spec_, added);
    if (with_metrics_) convert::MetricsToProto(run, added);
    bytes += added->ByteSizeLong();
  }
  return message().runs_size() > 0;
}

GetBundleReactor::GetBundleReactor(const ListSamplesSources& sources, std::optional<Caller> caller,
                                   std::string session)
    : StreamReactor(sources.endpoint, std::move(caller)),
      sources_(sources),
      session_(std::move(session)) {
  Begin();
}

void GetBundleReactor::Started() {
  Result<SessionRecord> record = sources_.find(caller(), session_);
  if (!record) return End(ToStatus(record.error()));
  id_ = record->snapshot.id;
  StartLoad();
}

void GetBundleReactor::Written() { StartLoad(); }

void GetBundleReactor::StartLoad() {
  Hold();
  asio::co_spawn(loop(), Load(), asio::detached);
}

asio::awaitable<void> GetBundleReactor::Load() {
  grpc::Status status;
  message().Clear();
  try {
    Result<std::string> data =
        co_await sources_.store.Do(&Records::ReadBundle, id_, sent_, kPieceBytes);
    if (data) {
      sent_ += data->size();
      message().set_data(std::move(data).value());
    } else {
      status = ToStatus(data.error());
    }
  } catch (const std::exception& error) {
    status =
        ToStatus(Error{ErrorCode::kInternal, std::string("reading the bundle: ") + error.what()});
  }
  if (message().data().empty()) End(status);
  Unhold();
  if (!ended()) Write();
}

}  // namespace benchd::rpc
