#include "client/link/step_aside.h"

#include <unistd.h>

#include <chrono>

#include "client/link/daemon_link.h"

namespace benchd::client {

void StepAside(const LinkOptions& link) {
  // The default increment of nice(1): processes of normal priority take precedence.
  constexpr int kMuchNicer = 10;
  [[maybe_unused]] const int priority = nice(kMuchNicer);
  // The host is omitted, because this machine does the computing. A daemon answers within a
  // millisecond and an analysis takes little longer, so a long wait is not worthwhile.
  [[maybe_unused]] const auto moved =
      DaemonLink::Open({.socket = link.socket,
                        .environment_socket = link.environment_socket,
                        .may_start = false,
                        .timeout = std::chrono::milliseconds(200),
                        .places = link.places});
}

}  // namespace benchd::client
