#pragma once

#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "daemon/store/log_sync.h"

namespace benchd::store {

/// Runs a LogSync on a separate thread. All calls that wait when a sync begins share it.
///
/// The destructor performs the syncs that were requested. The thread blocks all signals.
class SyncThread {
 public:
  /// @param own_thread  false (in tests): a sync is performed at once, in the caller's thread
  SyncThread(LogSync& sync, bool own_thread);
  SyncThread(const SyncThread&) = delete;
  SyncThread& operator=(const SyncThread&) = delete;
  ~SyncThread();

  /// Completes when everything that was committed before this call is on the disk.
  /// @errors those of LogSync::Run().
  asio::awaitable<Result<void>> Wait() { return thread_.joinable() ? OnThread() : Here(); }

 private:
  /// A coroutine that waits for a sync.
  class Waiter {
   public:
    Waiter() = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual ~Waiter() = default;
    virtual void Resume(const Result<void>& synced) = 0;
  };

  template <typename Handler>
  class WaiterOf : public Waiter {
   public:
    explicit WaiterOf(Handler handler)
        : handler_(std::move(handler)), guard_(handler_.get_executor()) {}
    void Resume(const Result<void>& synced) override {
      asio::post(guard_.get_executor(), Resumed{std::move(handler_), synced});
    }

   private:
    struct Resumed {
      Handler handler;
      Result<void> synced;
      void operator()() { std::move(handler)(std::move(synced)); }
    };

    Handler handler_;
    asio::executor_work_guard<typename Handler::executor_type> guard_;
  };

  struct Enqueue {
    template <typename Handler>
    void operator()(Handler&& handler, SyncThread* thread) const {
      using Waiting = WaiterOf<std::decay_t<Handler>>;
      thread->Add(std::make_unique<Waiting>(std::forward<Handler>(handler)));
    }
  };

  asio::awaitable<Result<void>> OnThread() {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(Result<void>)>(
        Enqueue{}, asio::use_awaitable, this);
  }
  asio::awaitable<Result<void>> Here();
  void Add(std::unique_ptr<Waiter> waiter);
  void Request();
  void Work();

  LogSync& sync_;
  std::mutex mutex_;  // protects the next four
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Waiter>> waiting_;
  bool requested_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace benchd::store
