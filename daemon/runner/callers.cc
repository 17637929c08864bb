#include "daemon/runner/callers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace benchd {
namespace {

/// Below it are the system's own users (SYS_UID_MAX of login.defs(5)).
constexpr uid_t kFirstPerson = 1000;

Error Refused(uid_t uid, const std::string& why, std::string hint) {
  return Error{ErrorCode::kPermissionDenied,
               "benchd-runner: it starts nothing as uid " + std::to_string(uid) + ": " + why,
               std::move(hint)};
}

bool IsNamed(const AccessRules& rules, const wire::UserRecord& record, uid_t uid) {
  const std::string number = std::to_string(uid);
  return std::any_of(rules.users.begin(), rules.users.end(), [&](const std::string& user) {
    return user == number || (record.known && user == record.name);
  });
}

/// All groups of the record; of a user that nobody knows only the one that is by custom its own.
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
  if (uid != rules.benchd) return {};
  return Refused(uid, "that is benchd itself", "submit as another user");
}

Result<Caller> AdmitCaller(const AccessRules& rules, const wire::UserRecord& record,
                           Caller caller) {
  if (!rules.hold) return caller;
  if (auto checked = CheckUid(rules, caller.uid); !checked) return std::move(checked).error();
  const std::vector<std::uint32_t> groups = GroupsOf(record, caller.uid);
  const auto has = [&groups](std::uint32_t group) {
    return std::find(groups.begin(), groups.end(), group) != groups.end();
  };
  if (caller.uid != 0 && !IsNamed(rules, record, caller.uid)) {
    const std::string hint = "or name it in [access] users and restart benchd-runner";
    if (caller.uid < kFirstPerson) {
      return Refused(caller.uid, "it is a user of the system's own",
                     "submit as another user, " + hint);
    }
    if (!record.known || !record.socket_gid || !has(*record.socket_gid)) {
      return Refused(caller.uid, "it is no member of the group " + rules.group,
                     "add it to the group (adduser NAME " + rules.group + "), " + hint);
    }
  }
  if (!has(caller.gid)) {
    return Refused(caller.uid, "gid " + std::to_string(caller.gid) + " is none of its groups",
                   "submit with a group that the user database (getent group) gives to that user");
  }
  std::erase_if(caller.groups, [&has](std::uint32_t group) { return !has(group); });
  return caller;
}

namespace {

/// Who left a group is out of it after that.
constexpr std::int64_t kRememberFor = 60'000'000'000;
/// A refusal is for those who wait for it: who has just joined need not wait.
constexpr std::int64_t kRememberRefusalFor = 1'000'000'000;
/// A directory server that does not answer.
constexpr std::int64_t kUserTimeout = 10'000'000'000;
/// At a time: there may be as many users as there are numbers.
constexpr std::size_t kMostQuestions = 4;
/// The machine's user without rights, whose processes nobody needs. Not benchd's user, who could
/// have a hand in the answer.
constexpr std::uint32_t kNobody = 65534;

}  // namespace

std::optional<Result<Caller>> Callers::Admit(const Caller& caller) {
  if (auto checked = CheckCaller(host_, caller); !checked) return std::move(checked).error();
  if (!rules_.hold) return caller;
  if (auto checked = CheckUid(rules_, caller.uid); !checked) return std::move(checked).error();
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
  if (auto asked = Ask(caller.uid); !asked) return std::move(asked).error();
  return {};
}

Result<void> Callers::Ask(uid_t uid) {
  auto input = EmptyMemory();
  if (!input) return std::move(input).error();
  HelperOrder order;
  order.name = "uid " + std::to_string(uid);
  order.argv = {"user", std::to_string(uid), rules_.group};
  order.input = std::move(*input);
  order.caller.uid = order.caller.gid = kNobody;
  order.timeout_ns = kUserTimeout;
  auto helper = std::make_unique<HelperProcess>(loop_, host_, tree_, *this);
  if (auto started = helper->Start(std::move(order)); !started) return started;
  asking_.push_back({uid, std::move(helper)});
  return {};
}

void Callers::OnHelperDone(HelperProcess& helper, Result<std::string> answer) {
  const auto found = std::find_if(
      asking_.begin(), asking_.end(),
      [&helper](const Question& question) { return question.helper.get() == &helper; });
  // Kept until the end of this function: it is what called us.
  const Question done = std::move(*found);
  asking_.erase(found);
  const std::string what = "uid " + std::to_string(done.uid);
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

}  // namespace benchd
