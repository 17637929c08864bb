#pragma once

#include <array>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "daemon/store/records.h"
#include "daemon/store/sync_thread.h"

namespace benchd {

/// Returns the error (kUnavailable) of requests to benchd or its store while benchd is stopping.
Error IsStopping();

/// Runs Records on a separate thread, so that the main loop never waits for the disk. A third
/// thread syncs changes to the disk, so that no call waits for the sync of another one.
///
/// Calls are executed one at a time: first those for the running session (DoForSession), then other
/// writes (Do), then reads (Ask). Calls of the same kind are executed in the order in which they
/// were awaited. The result is delivered on the caller's executor, which must keep running.
///
/// Destroy the store before the loops of its callers: the destructor finishes pending calls, then
/// closes the file. The thread blocks all signals and runs on the CPUs of the thread that opened
/// the store. Without `own_thread` (in tests), a call or a sync is executed at once, and the caller
/// receives the result in the next iteration of its loop.
class Store {
 public:
  /// @errors those of Records::Open().
  static Result<std::unique_ptr<Store>> Open(const std::filesystem::path& folder,
                                             const StoreOptions& options = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// Executes a write: `co_await store.Do(&Records::SetPriority, id, priority, std::move(entry))`.
  /// Arguments are passed by value, because they must live until the call is done. A braced
  /// initializer cannot be passed; construct a named object first.
  template <typename Answer, typename... P, typename... A>
  asio::awaitable<Answer> Do(Answer (Records::*call)(P...), A... arguments) {
    return Start(kChanges, {}, Work<Answer, P...>{call, {std::move(arguments)...}});
  }

  /// Executes a write for the running session, which has precedence because measuring waits for it.
  template <typename Answer, typename... P, typename... A>
  asio::awaitable<Answer> DoForSession(Answer (Records::*call)(P...), A... arguments) {
    return Start(kSession, {}, Work<Answer, P...>{call, {std::move(arguments)...}});
  }

  /// Executes a read. Skips it if `gone` is stopped before its turn, or if benchd stops.
  /// @errors kCancelled if `gone` was stopped; kUnavailable after StopAnswering().
  template <typename Answer, typename... P, typename... A>
  asio::awaitable<Answer> Ask(std::stop_token gone, Answer (Records::*call)(P...), A... arguments) {
    return Start(kReads, std::move(gone), Work<Answer, P...>{call, {std::move(arguments)...}});
  }

  /// Waits until the changes of all calls that have returned are on the disk, where they survive a
  /// power loss. Other calls do not wait meanwhile, and calls of this function share a sync.
  /// @errors kResourceExhausted if the disk is full; otherwise the failed system call. The changes
  ///         themselves are in effect and survive kill -9.
  asio::awaitable<Result<void>> OnDisk() { return sync_.Wait(); }

  /// Lets every Ask() return kUnavailable from now on, including those that are waiting.
  void StopAnswering() { stopping_ = true; }

 private:
  enum Lane : std::size_t { kSession, kChanges, kReads, kLanes };

  template <typename A, typename... P>
  struct Work {
    using Answer = A;
    Answer (Records::*call)(P...);
    std::tuple<std::decay_t<P>...> arguments;

    Answer operator()(Records& records) {
      return std::apply([&](auto&... values) { return (records.*call)(std::move(values)...); },
                        arguments);
    }
  };

  /// A call that waits to be executed on the thread.
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    virtual ~Job() = default;
    virtual void Do(Store& store) = 0;
  };

  template <typename Handler, typename Answer>
  struct Resume {
    Handler handler;
    Answer answer;
    void operator()() { std::move(handler)(std::move(answer)); }
  };

  template <typename Handler, typename SomeWork>
  class JobOf : public Job {
   public:
    JobOf(Handler handler, Lane lane, std::stop_token gone, SomeWork work)
        : handler_(std::move(handler)),
          guard_(handler_.get_executor()),
          lane_(lane),
          gone_(std::move(gone)),
          work_(std::move(work)) {}

    void Do(Store& store) override {
      auto answer = store.AnswerTo(lane_, gone_, work_);
      asio::post(guard_.get_executor(),
                 Resume<Handler, decltype(answer)>{std::move(handler_), std::move(answer)});
    }

   private:
    Handler handler_;
    asio::executor_work_guard<typename Handler::executor_type> guard_;
    const Lane lane_;
    const std::stop_token gone_;
    SomeWork work_;
  };

  struct Enqueue {
    template <typename Handler, typename SomeWork>
    void operator()(Handler&& handler, Store* store, Lane lane, std::stop_token gone,
                    SomeWork work) const {
      using Waiting = JobOf<std::decay_t<Handler>, SomeWork>;
      store->Add(lane, std::make_unique<Waiting>(std::forward<Handler>(handler), lane,
                                                 std::move(gone), std::move(work)));
    }
  };

  template <typename SomeWork>
  asio::awaitable<typename SomeWork::Answer> Start(Lane lane, std::stop_token gone, SomeWork work) {
    return thread_.joinable() ? OnThread(lane, std::move(gone), std::move(work))
                              : Here(lane, std::move(gone), std::move(work));
  }

  template <typename SomeWork, typename Answer = typename SomeWork::Answer>
  asio::awaitable<Answer> OnThread(Lane lane, std::stop_token gone, SomeWork work) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(Answer)>(
        Enqueue{}, asio::use_awaitable, this, lane, std::move(gone), std::move(work));
  }

  template <typename SomeWork>
  asio::awaitable<typename SomeWork::Answer> Here(Lane lane, std::stop_token gone, SomeWork work) {
    typename SomeWork::Answer answer = AnswerTo(lane, gone, work);
    co_await asio::post(asio::use_awaitable);
    co_return answer;
  }

  /// Executes the call, or returns the reason why its result is no longer needed.
  template <typename SomeWork>
  typename SomeWork::Answer AnswerTo(Lane lane, const std::stop_token& gone, SomeWork& work) {
    if (lane == kReads) {
      if constexpr (std::is_constructible_v<typename SomeWork::Answer, Error>) {
        if (std::optional<Error> useless = WhyUseless(gone)) return *std::move(useless);
      }
    }
    return work(records_);
  }

  Store(Records records, bool own_thread);
  std::optional<Error> WhyUseless(const std::stop_token& gone) const;
  void Add(Lane lane, std::unique_ptr<Job> job);
  std::unique_ptr<Job> Next();
  void DoJobs();

  Records records_;
  store::SyncThread sync_;
  std::atomic<bool> stopping_ = false;
  // Protects the queues of jobs. Held only while a pointer is moved, never while a job runs.
  std::mutex mutex_;
  std::condition_variable added_;
  std::array<std::deque<std::unique_ptr<Job>>, kLanes> jobs_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace benchd
