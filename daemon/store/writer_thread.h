#pragma once

#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace benchd::store {

/// The one thread that touches the database, so that the loop never waits for a disk.
///
/// Work is done in the order in which it was awaited, one piece at a time; its answer comes back on
/// the executor of the coroutine that awaits it. The thread takes no signals and runs on the CPUs
/// of the thread that made it. Destroyed before the loops of those who await it: whatever was
/// queued is finished first.
class WriterThread {
 public:
  WriterThread();
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;
  ~WriterThread();

  /// Calls `work` on the thread and answers what it returns. `work` owns what it needs and is
  /// destroyed on the thread too.
  template <typename Work>
  asio::awaitable<std::invoke_result_t<Work&>> Do(Work work) {
    using Answer = std::invoke_result_t<Work&>;
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(Answer)>(
        Start{}, asio::use_awaitable, this, std::move(work));
  }

 private:
  /// Owned by the queue, then by the thread while it runs.
  class Job {
   public:
    virtual ~Job() = default;
    virtual void Run() = 0;
  };

  template <typename Handler, typename Answer>
  struct Resume {
    Handler handler;
    Answer answer;
    void operator()() { std::move(handler)(std::move(answer)); }
  };

  template <typename Work, typename Handler>
  class AwaitedJob : public Job {
   public:
    AwaitedJob(Work work, Handler handler)
        : work_(std::move(work)), handler_(std::move(handler)), guard_(handler_.get_executor()) {}

    void Run() override {
      auto answer = (*work_)();
      work_.reset();
      asio::post(guard_.get_executor(),
                 Resume<Handler, decltype(answer)>{std::move(handler_), std::move(answer)});
    }

   private:
    std::optional<Work> work_;
    Handler handler_;
    /// The loop does not run out of work while an answer is on its way.
    asio::executor_work_guard<typename Handler::executor_type> guard_;
  };

  struct Start {
    template <typename Handler, typename Work>
    void operator()(Handler&& handler, WriterThread* thread, Work work) const {
      thread->Post(std::make_unique<AwaitedJob<Work, std::decay_t<Handler>>>(
          std::move(work), std::forward<Handler>(handler)));
    }
  };

  void Post(std::unique_ptr<Job> job);
  void Loop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::unique_ptr<Job>> jobs_;  // guarded by mutex_
  bool stopping_ = false;                  // guarded by mutex_
  std::thread thread_;
};

}  // namespace benchd::store
