#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/model/child.h"

namespace benchd::rpc {

/// Logs every change and every refused attempt, one line each, in a stable format for scripts.
///
///     audit: uid=1000 pid=123 action=submit session=k3x9m2pq result=ok
///
/// `uid` and `pid` come from the kernel's record of the connection. `action` is submit, cancel,
/// move, pause, resume, drain, apply, restore, reserve (refused), reserve-begin or reserve-end.
/// `session` is an ID, or the prefix that the client sent. `-` stands for no ID, and `?` for text
/// that cannot be an ID. `result` is ok, denied, or the NameOf() of another error. A line contains
/// no text that a client can choose: no label, name, command or message. Further fields may be
/// added at the end.
///
/// A move to the priority that a session already has is not logged. A call that was
/// rejected before it was processed (too many requests, a stopping daemon) is not logged either: it
/// changed nothing, and a flood of calls must not flood the log. Loop's thread only.
class Audit {
 public:
  using Log = std::function<void(const std::string& line)>;

  explicit Audit(Log log) : log_(std::move(log)) {}

  /// @param session  as the client sent it, or the daemon's own ID; empty if there is none
  template <typename T>
  void Note(const Caller& caller, std::string_view action, std::string_view session,
            const Result<T>& outcome) const {
    Write(caller, action, session, outcome ? "ok" : ResultWord(outcome.error().code));
  }
  void NoteOk(const Caller& caller, std::string_view action) const {
    Write(caller, action, "", "ok");
  }

 private:
  static std::string_view ResultWord(ErrorCode code);
  void Write(const Caller& caller, std::string_view action, std::string_view session,
             std::string_view result) const;

  Log log_;
};

}  // namespace benchd::rpc
