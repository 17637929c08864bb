#include "client/step_aside.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace benchd::client {

void StepAside(LinkOptions link) {
  // As nice(1) does: enough to lose against everything that has the usual priority.
  constexpr int kMuchNicer = 10;
  [[maybe_unused]] const int priority = nice(kMuchNicer);
  link.may_start = false;
  // One that answers takes a millisecond, and an analysis hardly more: it is not worth a wait.
  link.patience = std::chrono::milliseconds(200);
  [[maybe_unused]] const auto moved = DaemonLink::Open(std::move(link));
}

std::size_t CpusOfThisThread() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&cpus)));
}

}  // namespace benchd::client
