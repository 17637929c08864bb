#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace benchd::store {

/// Starts a thread that blocks all signals, because the main loop handles them.
template <typename Work>
std::thread StartWithoutSignals(Work work) {
  // The new thread inherits this mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace benchd::store
