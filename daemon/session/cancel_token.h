#pragma once

#include <functional>
#include <string>
#include <utility>

namespace benchd {

/// Cancellation of one session: the only thing that travels upstream. Loop's thread only.
///
/// Owned by the queue; the session looks at it between steps, and either request also ends the run
/// that is under way. Request() is somebody's who wants no more of the session; Interrupt() is
/// benchd's that stops: the session goes on later, in another process, and ends without a final
/// state. What came first counts.
class CancelToken {
 public:
  void Request(std::string by) {
    if (requested()) return;
    by_ = std::move(by);
    Tell();
  }
  void Interrupt() {
    if (stopped_) return;
    stopped_ = true;
    Tell();
  }
  bool requested() const { return cancelled() || stopped_; }
  bool cancelled() const { return !by_.empty(); }
  bool stopped() const { return stopped_; }
  bool interrupted() const { return stopped_ && !cancelled(); }
  /// Who has cancelled it; empty when nobody has.
  const std::string& by() const { return by_; }
  void OnRequest(std::function<void()> action) { on_request_ = std::move(action); }

 private:
  void Tell() const {
    if (on_request_) on_request_();
  }

  std::string by_;
  bool stopped_ = false;
  std::function<void()> on_request_;
};

}  // namespace benchd
