#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/model/child.h"

namespace benchd::rpc {

/// Who changed what, or tried to: a line of the log each, in a form that scripts may rely on.
///
///     audit: uid=1000 pid=123 action=submit session=k3x9m2pq result=ok
///
/// `uid` and `pid` are the kernel's word for who connected. `action` is submit, cancel, move,
/// pause, resume, drain, apply, restore, reserve (refused), reserve-begin or reserve-end. `session`
/// is an id, or the beginning of one that was asked for; `-` for none, `?` for what is no id.
/// `result` is ok, denied, or the NameOf() of what else was wrong. Nothing that a client
/// makes up enters a line: no label, name, command or message. Further fields may be added at the
/// end.
///
/// A call that was refused before anybody looked at it (too many requests, a daemon that stops) has
/// no line: it changed nothing, and a flood of calls must not flood the log. Loop's thread only.
class Audit {
 public:
  using Log = std::function<void(const std::string& line)>;

  explicit Audit(Log log) : log_(std::move(log)) {}

  /// `session` as the client wrote it, or the daemon's own id; empty for none.
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
