#include "daemon/rpc/get_bundle_reactor.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <exception>
#include <utility>

#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {

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
