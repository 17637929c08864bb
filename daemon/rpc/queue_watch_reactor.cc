#include "daemon/rpc/queue_watch_reactor.h"

#include <utility>

namespace benchd::rpc {

QueueWatchReactor::QueueWatchReactor(const Endpoint& endpoint, Entry entry, Queue& queue, Fill fill)
    : StreamReactor(endpoint, std::move(entry)), queue_(queue), fill_(std::move(fill)) {
  Begin();
}

void QueueWatchReactor::Started() {
  subscription_ = queue_.OnChange([this] { Pump(); });
  Pump();
}

void QueueWatchReactor::Pump() {
  if (writing() || ended()) return;
  const QueueStatus status = queue_.Status();
  if (sent_ == status.changes) return;
  sent_ = status.changes;
  message().Clear();
  fill_(status, &message());
  Write();
}

}  // namespace benchd::rpc
