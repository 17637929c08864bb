#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/query.hpp>
#include <asio/require.hpp>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace benchd {

/// What other threads hand to the loop.
///
/// asio::post() from another thread wakes the loop while it holds the lock of the loop's own queue.
/// Where both threads share a CPU, and all of benchd is confined to the housekeeping CPUs, the loop
/// takes the CPU at that moment, finds the lock taken, and sleeps until the other thread has its
/// turn again: behind all that a hostile client keeps busy, at each of the dozen posts that a
/// submission takes. Beside such a client the loop slept 39 % of the time there. Here the loop is
/// woken when the lock has been given back.
///
/// Made on the loop's thread; executor() may be used on any. Owned by the Daemon, right after the
/// loop, so that everything that posts goes first.
class LoopInbox {
 public:
  /// @throws std::system_error when there is no descriptor for it.
  explicit LoopInbox(asio::io_context& loop);
  LoopInbox(const LoopInbox&) = delete;
  LoopInbox& operator=(const LoopInbox&) = delete;
  ~LoopInbox();

  /// The loop's executor, which takes what comes from other threads through here.
  asio::any_io_executor executor();

  /// From now on the loop may run dry, and what comes is posted to it directly. Loop's thread.
  void Close();

 private:
  class Job {
   public:
    Job() = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    virtual ~Job() = default;
    virtual void Do() = 0;
  };

  template <typename Function>
  class JobOf final : public Job {
   public:
    explicit JobOf(Function function) : function_(std::move(function)) {}
    void Do() override { std::move(function_)(); }

   private:
    Function function_;
  };

  /// io_context's executor `Inner`, with whatever properties, but for execute().
  template <typename Inner>
  class Executor {
   public:
    Executor(Inner inner, LoopInbox* inbox) noexcept : inner_(std::move(inner)), inbox_(inbox) {}

    template <typename Property>
    auto query(const Property& property) const noexcept
        -> decltype(asio::query(std::declval<const Inner&>(), property)) {
      return asio::query(inner_, property);
    }
    template <typename Property>
    auto require(const Property& property) const
        -> Executor<std::decay_t<decltype(asio::require(std::declval<const Inner&>(), property))>> {
      return {asio::require(inner_, property), inbox_};
    }
    template <typename Function>
    void execute(Function&& function) const {
      if (inner_.running_in_this_thread()) {
        // Asio 1.22 has the executor's own execute() private, later ones have no other.
        return asio::any_io_executor(inner_).execute(std::forward<Function>(function));
      }
      using Stored = JobOf<std::decay_t<Function>>;
      inbox_->Add(std::make_unique<Stored>(std::forward<Function>(function)));
    }
    friend bool operator==(const Executor& a, const Executor& b) noexcept {
      return a.inner_ == b.inner_ && a.inbox_ == b.inbox_;
    }
    friend bool operator!=(const Executor& a, const Executor& b) noexcept { return !(a == b); }

   private:
    Inner inner_;
    LoopInbox* inbox_;
  };

  void Add(std::unique_ptr<Job> job);
  void Wait();
  void DoAll();

  asio::io_context& loop_;
  asio::posix::stream_descriptor bell_;  ///< an eventfd: rung when the first job is there
  // Between the threads. Held for the moves of a pointer, never while a job is done.
  std::mutex mutex_;
  std::vector<std::unique_ptr<Job>> jobs_;
  bool closed_ = false;
};

}  // namespace benchd
