#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

namespace benchd {

/// "Something changed": wakes every coroutine that waits. Loop's thread only.
///
/// A waiter must look at the state before it waits and again after: signals are not counted.
class Signal {
 public:
  explicit Signal(const asio::any_io_executor& executor)
      : timer_(executor, asio::steady_timer::time_point::max()) {}

  void Notify() { timer_.cancel(); }

  asio::awaitable<void> Wait() {
    asio::error_code cancelled;  // the only way this wait ends
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }

 private:
  asio::steady_timer timer_;
};

}  // namespace benchd
