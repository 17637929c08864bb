#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "daemon/runner/access.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/helper_process.h"
#include "daemon/runner/host.h"
#include "daemon/runner/process_tree.h"

namespace benchd {

class CallersOwner {
 public:
  /// Some caller has been looked up: ask again.
  virtual void OnCallerKnown() = 0;

 protected:
  ~CallersOwner() = default;
};

/// Who the users are that children are to be: asks the machine's user database, each in a
/// benchd-helper without privileges, and remembers what it said for a minute, so that a session's
/// children cost one question and its runs none.
class Callers final : public HelperOwner {
 public:
  Callers(EventLoop& loop, const Host& host, ProcessTree& tree, const AccessRules& rules,
          CallersOwner& owner)
      : loop_(loop), host_(host), tree_(tree), rules_(rules), owner_(owner) {}
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  /// The caller as children may be it; empty while the database is asked.
  /// @errors those of AdmitCaller(), of the ids themselves and of the helper.
  std::optional<Result<Caller>> Admit(const Caller& caller);

  /// Ends what is under way.
  void Clear() { asking_.clear(); }

 private:
  struct Question {
    uid_t uid = 0;
    std::unique_ptr<HelperProcess> helper;
  };
  struct Known {
    Result<wire::UserRecord> record;
    std::int64_t at_ns = 0;
  };

  void OnHelperDone(HelperProcess& helper, Result<std::string> answer) override;
  Result<void> Ask(uid_t uid);
  void Remember(uid_t uid, Result<wire::UserRecord> record);

  EventLoop& loop_;
  const Host& host_;
  ProcessTree& tree_;
  const AccessRules& rules_;
  CallersOwner& owner_;
  std::map<uid_t, Known> known_;
  std::vector<Question> asking_;
};

}  // namespace benchd
