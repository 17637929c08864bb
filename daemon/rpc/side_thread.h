#pragma once

#include <pthread.h>

#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <csignal>
#include <optional>
#include <utility>

namespace benchd::rpc {

/// One thread beside the loop's, for what may take long: does what is posted, in order.
///
/// Takes no signals, which are the loop's, and runs on the CPUs of the thread that made it. Work
/// must not throw. Destroyed after everything that posts; what was posted is done first.
class SideThread {
 public:
  /// @param name  as the system shows it, 15 bytes at most.
  explicit SideThread(const char* name) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pool_.emplace(1);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    asio::post(*pool_, [name] { pthread_setname_np(pthread_self(), name); });
  }
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;
  ~SideThread() { pool_->join(); }

  template <typename Work>
  void Post(Work work) {
    asio::post(*pool_, std::move(work));
  }

 private:
  std::optional<asio::thread_pool> pool_;
};

}  // namespace benchd::rpc
