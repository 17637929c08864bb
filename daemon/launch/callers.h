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
#include "daemon/launch/event_loop.h"
#include "daemon/launch/helper_process.h"
#include "daemon/launch/host.h"
#include "daemon/launch/process_tree.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// The rules that determine which users children may run as. The runner applies them itself and
/// does not trust benchd, which communicates with every user. A compromised benchd must not be able
/// to become root by requesting a child that runs as root.
///
/// Created once by main() from the configuration and never changed.
struct AccessRules {
  /// True if the rules apply. False in user mode, where everything belongs to one user, and if the
  /// runner cannot change its uid.
  bool hold = false;
  uid_t benchd = 0;  ///< uid of the only user who may connect
  bool allow_root = false;
  std::string group = "benchd";    ///< the group that owns the control socket
  std::vector<std::string> users;  ///< further admitted users, by name or number
};

/// Checks `uid` without looking it up in the user database.
/// @errors kPermissionDenied for root unless root is allowed, for benchd's own uid, and for the uid
///         that queries the user database.
Result<void> CheckUid(const AccessRules& rules, uid_t uid);

/// Returns `caller`, reduced to the groups that `record` also lists.
/// @errors those of CheckUid(); kPermissionDenied for a user who is neither in the group nor
///         listed, for a system user (uid below 1000) who is not listed, and for a gid that is not
///         one of the user's groups.
Result<Caller> AdmitCaller(const AccessRules& rules, const wire::UserRecord& record, Caller caller);

class CallersOwner {
 public:
  /// Called when a lookup has ended. Call Admit() again.
  virtual void OnCallerKnown() = 0;

 protected:
  ~CallersOwner() = default;
};

/// Looks up the users that children are to run as. Each lookup in the machine's user database runs
/// in a benchd-helper with a reserved uid. Answers are cached for a minute, so that a session needs
/// only one lookup, regardless of the number of its runs.
class Callers final : public HelperOwner {
 public:
  Callers(EventLoop& loop, const Host& host, ProcessTree& tree, const AccessRules& rules,
          CallersOwner& owner)
      : loop_(loop), host_(host), tree_(tree), rules_(rules), owner_(owner) {}
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  /// Returns the caller that a child may run as. The result is empty while the lookup is in
  /// progress.
  /// @errors those of AdmitCaller(), of CheckCaller() and of the helper.
  std::optional<Result<Caller>> Admit(const Caller& caller);

  /// Cancels all lookups in progress.
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
  /// Called once for each Add(), with its request number.
  virtual void OnLookedUp(std::uint64_t request, Result<ProgramIdentity> program) = 0;

 protected:
  ~LookupsOwner() = default;
};

/// Looks up programs with the ids of their callers. Each lookup has a separate helper and may run
/// during a measurement.
///
/// The lookups of one user do not delay those of another, because the number of running and waiting
/// lookups is limited per user. Every lookup is answered in time, possibly with an error, because
/// benchd assumes that a runner that stays silent for two minutes has died.
class Lookups final : public EventSink, public HelperOwner {
 public:
  Lookups(EventLoop& loop, const Host& host, ProcessTree& tree, Callers& callers,
          LookupsOwner& owner);
  Lookups(const Lookups&) = delete;
  Lookups& operator=(const Lookups&) = delete;

  /// Adds a lookup. The owner receives the answer, possibly before this function returns.
  void Add(std::uint64_t request, wire::Resolve question);

  /// Starts all lookups that can start now. Call this when the lookup of a caller has ended.
  void GoOn();

  /// Cancels all lookups without calling the owner.
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
    bool is_hung = false;  ///< already answered; kept until the kernel releases the process
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
  std::deque<Waiting> waiting_;  ///< oldest first
  std::vector<Running> running_;
};

}  // namespace benchd
