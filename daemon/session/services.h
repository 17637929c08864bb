#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/model/limits.h"
#include "core/model/session.h"
#include "daemon/session/disturbance_log.h"
#include "daemon/session/ports.h"
#include "daemon/store/store.h"

namespace benchd {

/// Cancellation of one session; the only signal that travels upstream. Loop's thread only.
///
/// Owned by the queue; the session checks it between steps and passes its tokens to the operations
/// that it starts. Request() means that a user no longer wants the session. Interrupt() means that
/// benchd is stopping: the session ends without a final state and resumes later in another process.
/// The first of the two counts.
class CancelToken {
 public:
  void Request(std::string by) {
    if (requested()) return;
    by_ = std::move(by);
    end_.request_stop();
  }
  void Interrupt() {
    stop_.request_stop();
    end_.request_stop();
  }
  bool requested() const { return end_.stop_requested(); }
  bool cancelled() const { return !by_.empty(); }
  bool stopped() const { return stop_.stop_requested(); }
  bool interrupted() const { return stopped() && !cancelled(); }
  /// Returns the user who has cancelled the session; empty if it is not cancelled.
  const std::string& by() const { return by_; }

  /// Returns the token that ends any operation of the session, for either reason.
  std::stop_token end() const { return end_.get_token(); }
  /// Returns the token that ends the session's cleanup when benchd stops. A cancellation does not
  /// end the cleanup.
  std::stop_token stop() const { return stop_.get_token(); }

 private:
  std::string by_;
  std::stop_source end_;
  std::stop_source stop_;
};

/// The services that a session uses. References must outlive the session.
struct SessionServices {
  Runner& runner;
  Store& store;
  const Clock& clock;
  DisturbanceLog& disturbances;
  CancelToken& cancel;
  /// Receives every new state; the queue stores and publishes it.
  std::function<void(const SessionSnapshot&)> publish;
  /// The maximum number of pairs of a reference and a candidate, which applies again when the
  /// benchmarks in the session's programs are known.
  std::uint64_t max_pairs = Budgets().At(Limit::kPairs);
};

}  // namespace benchd
