#include "daemon/store/writer_thread.h"

#include <pthread.h>

#include <csignal>

namespace benchd::store {

WriterThread::WriterThread() {
  // Signals are the loop's: the new thread inherits a mask that leaves it none.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Loop(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "benchd-store");
}

WriterThread::~WriterThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void WriterThread::Post(std::unique_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

void WriterThread::Loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::unique_ptr<Job> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job->Run();
    job.reset();
    lock.lock();
  }
}

}  // namespace benchd::store
