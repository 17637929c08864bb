#include "daemon/store/sync_thread.h"

#include <pthread.h>

#include "daemon/store/thread_without_signals.h"

namespace benchd::store {

SyncThread::SyncThread(LogSync& sync, bool own_thread) : sync_(sync) {
  if (!own_thread) return;
  sync_.OnRequest([this] { Request(); });
  thread_ = StartWithoutSignals([this] { Work(); });
}

SyncThread::~SyncThread() {
  if (!thread_.joinable()) return;
  sync_.OnRequest(nullptr);
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

asio::awaitable<Result<void>> SyncThread::Here() {
  Result<void> synced = sync_.Run();
  co_await asio::post(asio::use_awaitable);
  co_return synced;
}

void SyncThread::Add(std::unique_ptr<Waiter> waiter) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(waiter));
  }
  changed_.notify_one();
}

void SyncThread::Request() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
  }
  changed_.notify_one();
}

void SyncThread::Work() {
  pthread_setname_np(pthread_self(), "benchd-sync");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return requested_ || ending_ || !waiting_.empty(); });
    if (!requested_ && waiting_.empty()) return;
    const std::vector<std::unique_ptr<Waiter>> waiting = std::exchange(waiting_, {});
    requested_ = false;
    lock.unlock();
    if (waiting.empty()) {
      sync_.RunUnawaited();
    } else {
      const Result<void> synced = sync_.Run();
      for (const std::unique_ptr<Waiter>& waiter : waiting) waiter->Resume(synced);
    }
    lock.lock();
  }
}

}  // namespace benchd::store
