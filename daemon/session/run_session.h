#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/model/session.h"
#include "daemon/ports/clock.h"
#include "daemon/ports/launcher.h"
#include "daemon/ports/machine.h"
#include "daemon/ports/sample_store.h"

namespace benchd {

/// Cancellation of one session: the only thing that travels upstream. Loop's thread only.
///
/// Owned by the queue; the session looks at it between steps, and Request() also ends the run that
/// is under way.
class CancelToken {
 public:
  void Request(std::string by) {
    if (requested()) return;
    by_ = std::move(by);
    if (on_request_) on_request_();
  }
  bool requested() const { return !by_.empty(); }
  const std::string& by() const { return by_; }
  void OnRequest(std::function<void()> action) { on_request_ = std::move(action); }

 private:
  std::string by_;
  std::function<void()> on_request_;
};

/// When the daemon did something for clients while children were measured (Run::disturbances).
///
/// Owned by the queue, which notes; read by the session that runs. Loop's thread only.
class DisturbanceLog {
 public:
  /// From now on what is noted is kept.
  void Begin() {
    times_.clear();
    recording_ = true;
  }
  void Note(SteadyTime when) {
    if (recording_) times_.push_back(when);
  }
  /// What was noted since Begin(), in order; nothing is kept any more.
  std::vector<SteadyTime> End() {
    recording_ = false;
    return std::exchange(times_, {});
  }

 private:
  bool recording_ = false;
  std::vector<SteadyTime> times_;
};

/// Whether the statistics can do what the spec asks; what RunSession would fail with, said at
/// submit.
Result<void> CheckStatistics(const SessionSpec& spec);

/// What a session needs of the outside. References outlive the session.
struct SessionServices {
  Launcher& launcher;
  Machine& machine;
  SampleStore& store;
  const Clock& clock;
  DisturbanceLog& disturbances;
  CancelToken& cancel;
  /// Told every new state; the queue archives and publishes it.
  std::function<void(const SessionSnapshot&)> publish;
};

/// One session from `preparing` to a final state: machine, children, warm-up, blocks, verdict.
///
/// Reads like the data flow and never throws; the final snapshot says how it ended. Watchers see a
/// block only after the store has committed it.
asio::awaitable<SessionSnapshot> RunSession(SessionServices services, SessionRecord record);

}  // namespace benchd
