#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "benchd/v1/queue.pb.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/stream_reactor.h"

namespace benchd::rpc {

/// The stream of QueueService.Watch: sends the queue's status at once and after each change. At
/// most one message is in flight, so a slow reader gets the newest status. A timer is not needed,
/// because changes come from clients' calls or occur between two runs.
class QueueWatchReactor final : public StreamReactor<v1::QueueStatus> {
 public:
  using Fill = std::function<void(const QueueStatus&, v1::QueueStatus*)>;

  /// References must outlive the server.
  QueueWatchReactor(const Endpoint& endpoint, Entry entry, Queue& queue, Fill fill);

 private:
  void Started() override;
  void Written() override { Pump(); }
  void Ended() override { subscription_ = Signal::Subscription(); }
  void Pump();

  Queue& queue_;
  const Fill fill_;
  Signal::Subscription subscription_;
  std::optional<std::uint64_t> sent_;  ///< QueueStatus::changes of the last message
};

}  // namespace benchd::rpc
