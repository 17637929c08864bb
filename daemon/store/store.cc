#include "daemon/store/store.h"

#include <pthread.h>

#include <algorithm>

#include "core/base/try.h"
#include "daemon/store/thread_without_signals.h"

namespace benchd {

Result<std::unique_ptr<Store>> Store::Open(const std::filesystem::path& folder,
                                           const StoreOptions& options) {
  TRY(Records records, Records::Open(folder, options));
  return std::unique_ptr<Store>(new Store(std::move(records), options.own_thread));
}

Store::Store(Records records, bool own_thread)
    : records_(std::move(records)), sync_(records_.sync(), own_thread) {
  if (own_thread) thread_ = store::StartWithoutSignals([this] { DoJobs(); });
}

Store::~Store() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_one();
  thread_.join();
}

Error IsStopping() {
  return Error{ErrorCode::kUnavailable, "benchd is stopping",
               "try again when benchd has restarted"};
}

std::optional<Error> Store::WhyUseless(const std::stop_token& gone) const {
  if (gone.stop_requested()) {
    return Error{ErrorCode::kCancelled, "the caller disconnected before the reply", {}};
  }
  if (stopping_) return IsStopping();
  return std::nullopt;
}

void Store::Add(Lane lane, std::unique_ptr<Job> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_[lane].push_back(std::move(job));
  }
  added_.notify_one();
}

/// Waits for a job and returns it; returns null when the store ends and all jobs are done.
std::unique_ptr<Store::Job> Store::Next() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto lane = std::find_if(jobs_.begin(), jobs_.end(),
                                   [](const auto& waiting) { return !waiting.empty(); });
    if (lane != jobs_.end()) {
      std::unique_ptr<Job> job = std::move(lane->front());
      lane->pop_front();
      return job;
    }
    if (ending_) return nullptr;
    added_.wait(lock);
  }
}

void Store::DoJobs() {
  pthread_setname_np(pthread_self(), "benchd-store");
  while (const std::unique_ptr<Job> job = Next()) job->Do(*this);
}

}  // namespace benchd
