#include "client/link/step_aside.h"

#include <unistd.h>

#include <chrono>

#include "client/link/daemon_link.h"

namespace benchd::client {

void StepAside(const LinkOptions& link) {
  // As nice(1) does: enough to lose against everything that has the usual priority.
  constexpr int kMuchNicer = 10;
  [[maybe_unused]] const int priority = nice(kMuchNicer);
  // Without a host: it is this machine that computes. A daemon that answers takes a millisecond,
  // and an analysis hardly more: it is not worth a wait.
  [[maybe_unused]] const auto moved =
      DaemonLink::Open({.socket = link.socket,
                        .environment_socket = link.environment_socket,
                        .may_start = false,
                        .timeout = std::chrono::milliseconds(200),
                        .places = link.places});
}

}  // namespace benchd::client
