#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <csignal>
#include <cstddef>
#include <latch>
#include <memory>
#include <optional>
#include <utility>

namespace benchd::rpc {

/// Threads beside the loop's, for what may take long: do what is posted, begun in order.
///
/// They take no signals, which are the loop's, and run on the CPUs of the thread that made them.
/// Work must not throw. Destroyed after everything that posts; what was posted is done first.
class SideThreads {
 public:
  /// @param name  as the system shows it, 15 bytes at most.
  SideThreads(const char* name, std::size_t count) : count_(count) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pool_.emplace(count);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    // Owned by the naming jobs of all threads: none ends before each thread has taken one.
    const auto all_named = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      asio::post(*pool_, [name, all_named] {
        pthread_setname_np(pthread_self(), name);
        all_named->arrive_and_wait();
      });
    }
  }
  SideThreads(const SideThreads&) = delete;
  SideThreads& operator=(const SideThreads&) = delete;
  ~SideThreads() { pool_->join(); }

  /// How many CPUs this thread may run on.
  static std::size_t CpusOfThisThread() {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&cpus)));
  }

  std::size_t count() const { return count_; }

  template <typename Work>
  void Post(Work work) {
    asio::post(*pool_, std::move(work));
  }

 private:
  std::size_t count_;
  std::optional<asio::thread_pool> pool_;
};

/// One such thread: what is posted is done in order.
class SideThread : public SideThreads {
 public:
  explicit SideThread(const char* name) : SideThreads(name, 1) {}
};

}  // namespace benchd::rpc
