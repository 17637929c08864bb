#include "daemon/store/store.h"

#include <pthread.h>

#include <csignal>

namespace benchd {

Result<std::unique_ptr<Store>> Store::Open(const std::filesystem::path& folder,
                                           const StoreOptions& options) {
  Result<Records> records = Records::Open(folder, options);
  if (!records) return std::move(records).error();
  return std::unique_ptr<Store>(new Store(std::move(*records), options.own_thread));
}

Store::Store(Records records, bool own_thread) : records_(std::move(records)) {
  if (!own_thread) return;
  // Signals are the loop's: the new thread inherits a mask that leaves it none.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_.emplace(1);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  asio::post(*thread_, [] { pthread_setname_np(pthread_self(), "benchd-store"); });
}

/// A pool that is destroyed without it drops what still waits.
Store::~Store() {
  if (thread_) thread_->join();
}

}  // namespace benchd
