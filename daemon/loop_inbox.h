#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/query.hpp>
#include <asio/require.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace benchd {

/// Passes work from other threads to the loop, in an order that no user can delay for others:
/// 1. what the running session waits for (session_executor());
/// 2. the users' calls (user_executor()), one job per user in turn.
/// The loop handles its own events between any two jobs of users. Otherwise, the session would wait
/// until the loop has handled all the calls that a hostile client has sent.
///
/// asio::post() from another thread wakes the loop while it holds the lock of the loop's queue. All
/// of benchd is confined to the housekeeping CPUs. If both threads share a CPU, the loop preempts
/// the other thread at that moment, finds the lock taken, and sleeps until the other thread is
/// scheduled again, behind all the work of a hostile client. This can happen at each of the dozen
/// posts of a submission: with such a client, the loop spent 39 % of the time in this sleep. This
/// class wakes the loop after the lock has been released.
///
/// Created on the loop's thread; the executors may be used on any thread. Owned by the Daemon and
/// declared right after the loop, so that everything that posts is destroyed first.
class LoopInbox {
 public:
  /// @throws std::system_error if no descriptor is available
  explicit LoopInbox(asio::io_context& loop);
  LoopInbox(const LoopInbox&) = delete;
  LoopInbox& operator=(const LoopInbox&) = delete;
  ~LoopInbox();

  /// Return the loop's executor, which passes work from other threads through this inbox. Jobs of
  /// the same executor are done in their order.
  asio::any_io_executor session_executor();
  asio::any_io_executor user_executor(std::uint32_t uid);

  /// Stops waiting for jobs, so that the loop can run out of work. Later work is posted to the loop
  /// directly. Loop's thread.
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

  /// The jobs of one executor, in their order.
  using Jobs = std::deque<std::unique_ptr<Job>>;

  /// Identifies an executor: kSession, or a uid.
  using Lane = std::int64_t;
  static constexpr Lane kSession = -1;

  /// An executor that differs from io_context's executor `Inner`, with any properties, only in
  /// execute().
  template <typename Inner>
  class Executor {
   public:
    Executor(Inner inner, LoopInbox* inbox, Lane lane) noexcept
        : inner_(std::move(inner)), inbox_(inbox), lane_(lane) {}

    template <typename Property>
    auto query(const Property& property) const noexcept
        -> decltype(asio::query(std::declval<const Inner&>(), property)) {
      return asio::query(inner_, property);
    }
    template <typename Property>
    auto require(const Property& property) const
        -> Executor<std::decay_t<decltype(asio::require(std::declval<const Inner&>(), property))>> {
      return {asio::require(inner_, property), inbox_, lane_};
    }
    template <typename Function>
    void execute(Function&& function) const {
      if (inner_.running_in_this_thread()) {
        // In Asio 1.22 the executor's own execute() is private; later versions have no other.
        return asio::any_io_executor(inner_).execute(std::forward<Function>(function));
      }
      using Stored = JobOf<std::decay_t<Function>>;
      inbox_->Add(lane_, std::make_unique<Stored>(std::forward<Function>(function)));
    }
    friend bool operator==(const Executor& a, const Executor& b) noexcept {
      return a.inner_ == b.inner_ && a.inbox_ == b.inbox_ && a.lane_ == b.lane_;
    }
    friend bool operator!=(const Executor& a, const Executor& b) noexcept { return !(a == b); }

   private:
    Inner inner_;
    LoopInbox* inbox_;
    Lane lane_;
  };

  asio::any_io_executor ExecutorOf(Lane lane);
  void Add(Lane lane, std::unique_ptr<Job> job);
  void Wait();
  /// Does the session's jobs and one job of the next user, and posts itself if more are waiting.
  void DoSome();
  /// Takes the jobs that DoSome() does now.
  Jobs Next();

  asio::io_context& loop_;
  asio::posix::stream_descriptor bell_;  ///< an eventfd, written when the first job arrives
  // Guards the members below, which the threads share. Held only to move pointers, never during a
  // job.
  std::mutex mutex_;
  std::map<Lane, Jobs> waiting_;  ///< no entry is empty
  Lane last_user_ = kSession;     ///< whose job was done last
  bool notified_ = false;         ///< the loop will call DoSome()
  bool closed_ = false;
};

}  // namespace benchd
