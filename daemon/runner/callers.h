#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/helper_process.h"
#include "daemon/runner/host.h"
#include "daemon/runner/process_tree.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Whom children may be, decided here and not by who asks: benchd talks to every user, and a benchd
/// that was taken over must not become root by naming root.
///
/// Made once by main() from the configuration, never changed.
struct AccessRules {
  /// False: everything is one user's (user mode), or we can be nobody else.
  bool hold = false;
  uid_t benchd = 0;  ///< who may connect
  bool allow_root = false;
  std::string group = "benchd";    ///< the control socket's
  std::vector<std::string> users;  ///< names or numbers
};

/// What can be said of `uid` without looking it up. @errors kPermissionDenied: root unless it is
/// allowed, benchd's own, and the one with which the user database is asked.
Result<void> CheckUid(const AccessRules& rules, uid_t uid);

/// `caller` as children may be it: with those of its groups that `record` has, too.
/// @errors kPermissionDenied: those of CheckUid(); neither a member of the group nor named; below
///         1000 (a system's own user) and not named; a gid that is none of its groups.
Result<Caller> AdmitCaller(const AccessRules& rules, const wire::UserRecord& record, Caller caller);

class CallersOwner {
 public:
  /// Some caller has been looked up: ask again.
  virtual void OnCallerKnown() = 0;

 protected:
  ~CallersOwner() = default;
};

/// Who the users are that children are to be: asks the machine's user database, each in a
/// benchd-helper with a uid of its own, and remembers what it said for a minute, so that a
/// session's children cost one question and its runs none.
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

class LookupsOwner {
 public:
  /// Of the lookup that was added under that number.
  virtual void OnLookedUp(std::uint64_t request, Result<ProgramIdentity> program) = 0;

 protected:
  ~LookupsOwner() = default;
};

/// Programs that are looked up as their callers, each in a helper of its own, beside whatever runs.
///
/// What one user asks for costs no other one anything: each has few helpers at a time and a bounded
/// number that wait, and every lookup is answered within a minute, if only by an error of its own.
/// benchd takes a longer silence for the runner's death.
class Lookups final : public EventSink, public HelperOwner {
 public:
  Lookups(EventLoop& loop, const Host& host, ProcessTree& tree, Callers& callers,
          LookupsOwner& owner);
  Lookups(const Lookups&) = delete;
  Lookups& operator=(const Lookups&) = delete;

  /// The owner is told the answer, perhaps at once.
  void Add(std::uint64_t request, wire::Resolve question);

  /// Starts what can be started: also when a caller has become known.
  void GoOn();

  /// Ends all of them; nobody is told.
  void Clear();

 private:
  struct Waiting {
    std::uint64_t request = 0;
    wire::Resolve question;
    std::int64_t until_ns = 0;
  };
  struct Running {
    std::uint64_t request = 0;
    uid_t uid = 0;
    std::string program;
    std::unique_ptr<HelperProcess> helper;
    bool is_hung = false;  ///< answered; it stays until the kernel lets go of it
  };

  void OnReady(int fd, std::uint32_t events) override;
  void OnHelperDone(HelperProcess& helper, Result<std::string> answer) override;
  bool HasRoomFor(uid_t uid) const;
  bool IsAtWorkFor(uid_t uid) const;
  Result<void> Start(const Waiting& lookup, Caller caller);

  EventLoop& loop_;
  const Host& host_;
  ProcessTree& tree_;
  Callers& callers_;
  LookupsOwner& owner_;
  Timer timer_;
  std::deque<Waiting> waiting_;  ///< the oldest first
  std::vector<Running> running_;
};

}  // namespace benchd
