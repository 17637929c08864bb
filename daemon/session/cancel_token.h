#pragma once

#include <functional>
#include <string>
#include <utility>

namespace benchd {

/// Cancellation of one session: the only thing that travels upstream. Loop's thread only.
///
/// Owned by the queue; the session looks at it between steps, and Request() also ends the run that
/// is under way. Interrupt() does the same to a session that is to go on later, in another process:
/// it ends without a final state.
class CancelToken {
 public:
  void Request(std::string by) {
    if (requested()) return;
    by_ = std::move(by);
    if (on_request_) on_request_();
  }
  void Interrupt() {
    interrupted_ = true;
    Request("benchd, which was stopped");
  }
  bool requested() const { return !by_.empty(); }
  bool interrupted() const { return interrupted_; }
  const std::string& by() const { return by_; }
  void OnRequest(std::function<void()> action) { on_request_ = std::move(action); }

 private:
  std::string by_;
  bool interrupted_ = false;
  std::function<void()> on_request_;
};

}  // namespace benchd
