#include "daemon/rpc/stored_reactors.h"

#include <utility>

#include "core/base/try.h"
#include "core/model/profile.h"
#include "proto/convert/convert.h"

namespace benchd::rpc {

ListSamplesReactor::ListSamplesReactor(const ListSamplesSources& sources, Entry entry,
                                       const v1::ListSamplesRequest& request)
    : StreamReactor(sources.endpoint, std::move(entry)),
      sources_(sources),
      session_(request.session()),
      with_warmup_(request.with_warmup()),
      with_metrics_(request.with_metrics()),
      with_stacks_(request.with_stacks()) {
  Begin();
}

void ListSamplesReactor::Written() {
  if (!Send()) Await([this] { return Load(); });
}

asio::awaitable<Result<void>> ListSamplesReactor::Open() {
  CO_TRY(SessionRecord record, co_await sources_.find(caller(), session_, gone()));
  id_ = record.snapshot.id;
  spec_ = std::move(record.spec);
  co_return co_await Load();
}

asio::awaitable<Result<void>> ListSamplesReactor::Load() {
  do {
    Result<std::vector<Run>> runs = co_await sources_.store.Ask(
        gone(), &Records::LoadRuns, id_, loaded_, kRunsPerLoad, kRunBytesPerLoad);
    if (!runs) co_return std::move(runs).error().Within("reading the samples");
    runs_ = std::move(runs).value();
    used_ = 0;
    loaded_ += runs_.size();
    exhausted_ = runs_.empty();
  } while (!Send());
  co_return Result<void>();
}

bool ListSamplesReactor::Send() {
  if (ended()) return true;
  if (FillMessage()) {
    Write();
    return true;
  }
  if (exhausted_) End(grpc::Status::OK);
  return exhausted_;
}

bool ListSamplesReactor::FillMessage() {
  message().Clear();
  std::size_t bytes = 0;
  while (used_ < runs_.size() && bytes < kMessageBytes) {
    Run run = std::move(runs_[used_++]);  // freed before the client reads the message
    const bool counts = run.phase == RunPhase::kMeasured || run.phase == RunPhase::kConfirming;
    if (!counts && !with_warmup_) continue;
    if (spec_.profile && !with_stacks_) {
      std::erase_if(run.samples, [](const Sample& one) { return IsOfProfile(one.metric); });
    }
    v1::Run* added = message().add_runs();
    convert::ToProto(run, spec_, added);
    if (with_metrics_) convert::MetricsToProto(run, added);
    bytes += added->ByteSizeLong();
  }
  return message().runs_size() > 0;
}

GetBundleReactor::GetBundleReactor(const ListSamplesSources& sources, Entry entry,
                                   std::string session)
    : StreamReactor(sources.endpoint, std::move(entry)),
      sources_(sources),
      session_(std::move(session)) {
  Begin();
}

asio::awaitable<Result<void>> GetBundleReactor::Open() {
  CO_TRY(SessionRecord record, co_await sources_.find(caller(), session_, gone()));
  id_ = record.snapshot.id;
  co_return co_await Load();
}

asio::awaitable<Result<void>> GetBundleReactor::Load() {
  CO_TRY(std::string data,
         co_await sources_.store.Ask(gone(), &Records::ReadBundle, id_, sent_, kPieceBytes));
  if (ended()) co_return Result<void>();
  sent_ += data.size();
  message().set_data(std::move(data));
  if (message().data().empty()) {
    End(grpc::Status::OK);
  } else {
    Write();
  }
  co_return Result<void>();
}

}  // namespace benchd::rpc
