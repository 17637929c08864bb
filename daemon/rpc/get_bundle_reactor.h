#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "benchd/v1/session.pb.h"
#include "daemon/rpc/list_samples_reactor.h"
#include "daemon/rpc/stream_reactor.h"

namespace benchd::rpc {

/// SessionService.GetBundle: what a session was submitted with, a piece when the last is on its
/// way. Reads the same store as ListSamples, for the same callers.
class GetBundleReactor final : public StreamReactor<v1::GetBundleResponse> {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{256} * 1024;

  GetBundleReactor(const ListSamplesSources& sources, std::optional<Caller> caller,
                   std::string session);

 private:
  void Started() override;
  void Written() override;
  void StartLoad();
  asio::awaitable<void> Load();

  const ListSamplesSources& sources_;
  const std::string session_;
  SessionId id_;
  std::uint64_t sent_ = 0;
};

}  // namespace benchd::rpc
