#pragma once

#include <functional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "core/model/session.h"
#include "daemon/ports/ports.h"
#include "daemon/rpc/stream_reactor.h"
#include "daemon/rpc/watch_feed.h"
#include "daemon/session/event_hub.h"

namespace benchd::rpc {

/// Finds a session that the caller may see (Queue::Get). Loop's thread.
using FindSession =
    std::function<Result<SessionRecord>(const Caller& caller, const std::string& id_prefix)>;

/// What a watch reads. The references outlive the server.
struct WatchSources {
  Endpoint endpoint;
  EventHub& hub;
  const Clock& clock;
  FindSession find;
};

/// SessionService.Watch: a snapshot, then the newest state at most 20 times a second, the final
/// event last. A reader that does not read costs one snapshot and one message.
class WatchReactor final : public StreamReactor<v1::SessionEvent> {
 public:
  WatchReactor(const WatchSources& sources, std::optional<Caller> caller, std::string session);

 private:
  void Started() override;
  void Written() override;
  void Ended() override;
  void Pump(WatchFeed::Occasion occasion);

  const WatchSources& sources_;
  const std::string session_;
  std::uint64_t seed_ = 0;
  WatchFeed feed_;
  EventHub::Subscription subscription_;
};

}  // namespace benchd::rpc
