#include "daemon/launch/callers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/try.h"

namespace benchd {
namespace {

/// The lowest uid of a person. Lower uids belong to system users (SYS_UID_MAX in login.defs(5)).
constexpr uid_t kFirstPerson = 1000;

/// The uid that queries the user database. No other process may have this uid, because such a
/// process could trace getent(1), which is readable by all users, and forge its answer. That rules
/// out `nobody`, which services use, and benchd's uid. systemd does not assign the uids 65520 to
/// 65533 to users (UIDS-GIDS.md).
constexpr std::uint32_t kAsker = 65530;

Error Refused(uid_t uid, const std::string& why, std::string hint) {
  return Error{ErrorCode::kPermissionDenied,
               fmt::format("benchd-runner: will not run programs as uid {}: {}", uid, why),
               std::move(hint)};
}

bool IsNamed(const AccessRules& rules, const wire::UserRecord& record, uid_t uid) {
  const std::string number = std::to_string(uid);
  return std::any_of(rules.users.begin(), rules.users.end(), [&](const std::string& user) {
    return user == number || (record.known && user == record.name);
  });
}

/// Returns all groups of the record. If the user is missing from the database, returns only the
/// group with the same number, which by convention belongs to the user.
std::vector<std::uint32_t> GroupsOf(const wire::UserRecord& record, uid_t uid) {
  std::vector<std::uint32_t> groups = record.groups;
  groups.push_back(record.known ? record.gid : uid);
  return groups;
}

}  // namespace

Result<void> CheckUid(const AccessRules& rules, uid_t uid) {
  if (!rules.hold) return {};
  if (uid == 0) {
    if (rules.allow_root) return {};
    return Refused(uid, "allow_root is not set",
                   "submit as another user, or set [access] allow_root = true and restart both "
                   "services");
  }
  if (uid == kAsker) {
    return Refused(uid, "that uid is reserved for lookups", "submit as another user");
  }
  if (uid != rules.benchd) return {};
  return Refused(uid, "that is benchd's own uid", "submit as another user");
}

Result<Caller> AdmitCaller(const AccessRules& rules, const wire::UserRecord& record,
                           Caller caller) {
  if (!rules.hold) return caller;
  TRY_VOID(CheckUid(rules, caller.uid));
  const std::vector<std::uint32_t> groups = GroupsOf(record, caller.uid);
  const auto has = [&groups](std::uint32_t group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  };
  if (caller.uid != 0 && !IsNamed(rules, record, caller.uid)) {
    const std::string hint = "or list this user in [access] users and restart benchd-runner";
    if (caller.uid < kFirstPerson) {
      return Refused(caller.uid, "it is a system user", "submit as another user, " + hint);
    }
    if (!record.known || !record.socket_gid || !has(*record.socket_gid)) {
      return Refused(caller.uid, "it is not a member of the group " + rules.group,
                     "add it to the group (adduser NAME " + rules.group + "), " + hint);
    }
  }
  if (!has(caller.gid)) {
    return Refused(caller.uid, fmt::format("gid {} is not one of its groups", caller.gid),
                   "submit with a group that the user belongs to in the user database (getent "
                   "group)");
  }
  std::erase_if(caller.groups, [&has](std::uint32_t group) { return !has(group); });
  return caller;
}

namespace {

/// How long answers are cached. The removal of a user from a group takes effect after this time.
constexpr std::int64_t kRememberFor = 60'000'000'000;
/// How long refusals are cached. It is short, so that a user who has just joined the group need not
/// wait.
constexpr std::int64_t kRememberRefusalFor = 1'000'000'000;
/// The time limit of a lookup, for directory servers that do not respond.
constexpr std::int64_t kUserTimeout = 10'000'000'000;
/// The maximum number of concurrent lookups of users. Without a limit, every uid could have its own
/// lookup.
constexpr std::size_t kMostQuestions = 4;

}  // namespace

std::optional<Result<Caller>> Callers::Admit(const Caller& caller) {
  TRY_VOID(CheckCaller(host_, caller));
  if (!rules_.hold) return caller;
  TRY_VOID(CheckUid(rules_, caller.uid));
  if (const auto found = known_.find(caller.uid); found != known_.end()) {
    const Known& known = found->second;
    Result<Caller> admitted = known.record ? AdmitCaller(rules_, *known.record, caller)
                                           : Result<Caller>(known.record.error());
    const std::int64_t age = MonotonicNow() - known.at_ns;
    if (age < (admitted ? kRememberFor : kRememberRefusalFor)) return admitted;
  }
  const bool is_asked = std::any_of(asking_.begin(), asking_.end(), [&](const Question& question) {
    return question.uid == caller.uid;
  });
  if (is_asked || asking_.size() >= kMostQuestions) return {};
  TRY_VOID(Ask(caller.uid));
  return {};
}

Result<void> Callers::Ask(uid_t uid) {
  TRY(auto input, EmptyMemory());
  HelperOrder order;
  order.name = fmt::format("uid {}", uid);
  order.argv = {"user", std::to_string(uid), rules_.group};
  order.input = std::move(input);
  order.caller.uid = order.caller.gid = kAsker;
  order.timeout_ns = kUserTimeout;
  auto helper = std::make_unique<HelperProcess>(loop_, host_, tree_, *this);
  TRY_VOID(helper->Start(std::move(order)));
  asking_.push_back({uid, std::move(helper)});
  return {};
}

void Callers::OnHelperDone(HelperProcess& helper, Result<std::string> answer) {
  const auto found = std::find_if(
      asking_.begin(), asking_.end(),
      [&helper](const Question& question) { return question.helper.get() == &helper; });
  // Keeps the helper alive until this function returns, because the helper called it.
  const Question done = std::move(*found);
  asking_.erase(found);
  const std::string what = fmt::format("uid {}", done.uid);
  if (!answer) {
    Remember(done.uid, std::move(answer).error());
  } else if (auto record = wire::DecodeUserRecord(*answer); !record) {
    Remember(done.uid, std::move(record).error().Within(what));
  } else if (!*record) {
    Remember(done.uid, std::move(*record).error().Within(what));
  } else {
    Remember(done.uid, std::move(*record));
  }
  owner_.OnCallerKnown();
}

void Callers::Remember(uid_t uid, Result<wire::UserRecord> record) {
  const std::int64_t now = MonotonicNow();
  std::erase_if(known_, [now](const auto& one) { return now - one.second.at_ns >= kRememberFor; });
  known_.insert_or_assign(uid, Known{std::move(record), now});
}

namespace {

constexpr std::size_t kMostRunning = 16;
/// The maximum number of concurrent lookups per user. A user whose file server hangs cannot occupy
/// more.
constexpr std::size_t kMostRunningOfAUser = 2;
/// The maximum number of waiting lookups per user. A suite submits fewer commands at a time.
constexpr std::size_t kMostWaitingOfAUser = 256;
/// The longest time that a lookup may wait to start. The sum of this and kLookupTimeout must be
/// less than the time that benchd waits for an answer (runner_link/runner_client.cc).
constexpr std::int64_t kMostWait = 60'000'000'000;
constexpr std::int64_t kLookupTimeout = 30'000'000'000;
/// The nice value of a user's second and later concurrent lookups. It prevents a user who floods
/// the housekeeping CPUs from delaying users who submit occasionally.
constexpr int kFurtherLookupNice = 10;

}  // namespace

Lookups::Lookups(EventLoop& loop, const Host& host, ProcessTree& tree, Callers& callers,
                 LookupsOwner& owner)
    : loop_(loop),
      host_(host),
      tree_(tree),
      callers_(callers),
      owner_(owner),
      timer_(loop, *this) {}

void Lookups::Add(std::uint64_t request, wire::Resolve question) {
  const uid_t uid = question.query.caller.uid;
  const auto waiting = std::count_if(waiting_.begin(), waiting_.end(), [uid](const Waiting& one) {
    return one.question.query.caller.uid == uid;
  });
  if (static_cast<std::size_t>(waiting) >= kMostWaitingOfAUser) {
    return owner_.OnLookedUp(
        request, Error{ErrorCode::kResourceExhausted,
                       fmt::format("command '{}': {} lookups of the same user are already waiting",
                                   question.query.program, waiting),
                       "submit fewer commands at a time"});
  }
  if (waiting_.empty()) timer_.Arm(kMostWait);
  waiting_.push_back({request, std::move(question), MonotonicNow() + kMostWait});
  GoOn();
}

bool Lookups::HasRoomFor(uid_t uid) const {
  std::size_t all = 0;
  std::size_t own = 0;
  for (const Running& one : running_) {
    // A hung helper counts against the limit of its user, so that one user cannot accumulate hung
    // helpers. It does not count against the limit for all users.
    if (!one.is_hung) ++all;
    if (one.uid == uid) ++own;
  }
  return all < kMostRunning && own < kMostRunningOfAUser;
}

bool Lookups::IsAtWorkFor(uid_t uid) const {
  return std::any_of(running_.begin(), running_.end(),
                     [uid](const Running& one) { return one.uid == uid && !one.is_hung; });
}

void Lookups::GoOn() {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Caller& caller = waiting_[i].question.query.caller;
    auto admitted = HasRoomFor(caller.uid) ? callers_.Admit(caller) : std::nullopt;
    if (!admitted) {
      ++i;
      continue;
    }
    const Waiting lookup = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    auto started = *admitted ? Start(lookup, std::move(**admitted))
                             : Result<void>(std::move(*admitted).error());
    if (!started) owner_.OnLookedUp(lookup.request, std::move(started).error());
  }
}

Result<void> Lookups::Start(const Waiting& lookup, Caller caller) {
  const ProgramQuery& query = lookup.question.query;
  TRY(auto input, MemoryWith(wire::Encode(lookup.question)));
  HelperOrder order;
  order.name = "command '" + query.program + "'";
  order.argv = {"resolve"};
  order.input = std::move(input);
  order.caller = std::move(caller);
  order.timeout_ns = kLookupTimeout;
  order.nice = IsAtWorkFor(query.caller.uid) ? kFurtherLookupNice : 0;
  auto helper = std::make_unique<HelperProcess>(loop_, host_, tree_, *this);
  TRY_VOID(helper->Start(std::move(order)));
  running_.push_back({lookup.request, query.caller.uid, query.program, std::move(helper), false});
  return {};
}

void Lookups::OnReady(int, std::uint32_t) {
  if (!timer_.TakeExpiry()) return;
  while (!waiting_.empty() && waiting_.front().until_ns <= MonotonicNow()) {
    const Waiting lookup = std::move(waiting_.front());
    waiting_.pop_front();
    owner_.OnLookedUp(
        lookup.request,
        Error{ErrorCode::kDeadlineExceeded,
              "command '" + lookup.question.query.program +
                  "': the lookup timed out because other lookups of the same user are slow",
              "check whether the programs are on a file system that does not respond"});
  }
  if (!waiting_.empty()) timer_.Arm(waiting_.front().until_ns - MonotonicNow());
}

void Lookups::OnHelperDone(HelperProcess& helper, Result<std::string> answer) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&helper](const Running& one) {
    return one.helper.get() == &helper;
  });
  const std::uint64_t request = found->request;
  const std::string what = "command '" + found->program + "'";
  const bool was_hung = found->is_hung;
  // Keeps the helper alive until this function returns, because the helper called it.
  std::unique_ptr<HelperProcess> kept;
  if (helper.hangs()) {
    found->is_hung = true;
  } else {
    kept = std::move(found->helper);
    running_.erase(found);
  }
  const auto program_of = [&answer, &what]() -> Result<ProgramIdentity> {
    if (!answer) return std::move(answer).error();
    auto decoded = wire::DecodeResolved(*answer);
    if (!decoded) return std::move(decoded).error().Within(what);
    return std::move(*decoded);
  };
  if (!was_hung) owner_.OnLookedUp(request, program_of());
  GoOn();
}

void Lookups::Clear() {
  waiting_.clear();
  running_.clear();
}

}  // namespace benchd
