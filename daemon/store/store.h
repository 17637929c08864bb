#pragma once

#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/base/result.h"
#include "daemon/store/records.h"

namespace benchd {

/// The records on a thread of their own, so that the loop never waits for a disk.
///
/// Calls are done in the order in which they are awaited, one at a time; the answer comes back on
/// the asker's executor, which does not run dry meanwhile. Destroyed before the loops of those who
/// ask: what was asked is finished, then the file closed. The thread takes no signals and runs on
/// the CPUs of the thread that opened the store. Without `own_thread` (tests of those who use a
/// store) a call is done at once, by the caller, who has the answer in the next turn of its loop.
class Store {
 public:
  /// @errors those of Records::Open().
  static Result<std::unique_ptr<Store>> Open(const std::filesystem::path& folder,
                                             const StoreOptions& options = {});
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// `co_await store.Do(&Records::Append, id, std::move(runs), std::move(log))`. Arguments by
  /// value: they are kept until the call is done. What is made in braces has to have a name before.
  template <typename Answer, typename... P, typename... A>
  asio::awaitable<Answer> Do(Answer (Records::*call)(P...), A... arguments) {
    Work<Answer, P...> work{&records_, call, {std::move(arguments)...}};
    return thread_ ? OnThread(std::move(work)) : Here(std::move(work));
  }

 private:
  template <typename A, typename... P>
  struct Work {
    using Answer = A;
    Records* records;
    Answer (Records::*call)(P...);
    std::tuple<std::decay_t<P>...> arguments;

    Answer operator()() {
      return std::apply([this](auto&... values) { return (records->*call)(std::move(values)...); },
                        arguments);
    }
  };

  template <typename Handler, typename Answer>
  struct Resume {
    Handler handler;
    Answer answer;
    void operator()() { std::move(handler)(std::move(answer)); }
  };

  template <typename Handler, typename SomeWork>
  struct Job {
    using Loop = typename Handler::executor_type;
    Handler handler;
    SomeWork work;
    asio::executor_work_guard<Loop> guard{handler.get_executor()};

    void operator()() {
      auto answer = work();
      asio::post(guard.get_executor(),
                 Resume<Handler, decltype(answer)>{std::move(handler), std::move(answer)});
    }
  };

  struct Start {
    template <typename Handler, typename SomeWork>
    void operator()(Handler&& handler, asio::thread_pool* thread, SomeWork work) const {
      asio::post(*thread, Job<std::decay_t<Handler>, SomeWork>{std::forward<Handler>(handler),
                                                               std::move(work)});
    }
  };

  template <typename SomeWork, typename Answer = typename SomeWork::Answer>
  asio::awaitable<Answer> OnThread(SomeWork work) {
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(Answer)>(
        Start{}, asio::use_awaitable, &*thread_, std::move(work));
  }

  template <typename SomeWork>
  static asio::awaitable<typename SomeWork::Answer> Here(SomeWork work) {
    typename SomeWork::Answer answer = work();
    co_await asio::post(asio::use_awaitable);
    co_return answer;
  }

  Store(Records records, bool own_thread);

  Records records_;
  std::optional<asio::thread_pool> thread_;
};

}  // namespace benchd
