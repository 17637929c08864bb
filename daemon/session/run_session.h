#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/model/session.h"
#include "daemon/ports/ports.h"
#include "daemon/session/session_notes.h"
#include "daemon/store/store.h"

namespace benchd {

/// Cancellation of one session: the only thing that travels upstream. Loop's thread only.
///
/// Owned by the queue; the session looks at it between steps and hands its tokens to what it runs.
/// Request() is somebody's who wants no more of the session; Interrupt() is benchd's that stops:
/// the session goes on later, in another process, and ends without a final state. What came first
/// counts.
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
  /// Who has cancelled it; empty when nobody has.
  const std::string& by() const { return by_; }

  /// Ends whatever the session runs, for either reason.
  std::stop_token end() const { return end_.get_token(); }
  /// Ends its cleanup, which a cancel must not cut: benchd stops.
  std::stop_token stop() const { return stop_.get_token(); }

 private:
  std::string by_;
  std::stop_source end_;
  std::stop_source stop_;
};

/// Whether the statistics can do what the spec asks; what RunSession would fail with, said at
/// submit.
Result<void> CheckStatistics(const SessionSpec& spec);

/// What a session needs of the outside. References outlive the session.
struct SessionServices {
  Runner& runner;
  Store& store;
  const Clock& clock;
  DisturbanceLog& disturbances;
  CancelToken& cancel;
  /// Told every new state; the queue stores and publishes it.
  std::function<void(const SessionSnapshot&)> publish;
};

/// One session from `preparing` to a final state: machine, children, warm-up, blocks, verdict.
///
/// Reads like the data flow and never throws; the final snapshot says how it ended. Watchers see a
/// block only after the store has committed it. A record with `started_at` goes on from its stored
/// runs; an interrupted session (CancelToken::Interrupt) answers a snapshot that is not final, from
/// which it can do so.
asio::awaitable<SessionSnapshot> RunSession(SessionServices services, SessionRecord record);

}  // namespace benchd
