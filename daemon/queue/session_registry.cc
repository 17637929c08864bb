#include "daemon/queue/session_registry.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "core/model/labels.h"
#include "daemon/queue/validate_spec.h"

namespace benchd {
namespace {

bool IsMember(const Caller& caller, std::optional<std::uint32_t> gid) {
  return gid && (caller.gid == *gid || std::find(caller.groups.begin(), caller.groups.end(),
                                                 *gid) != caller.groups.end());
}

}  // namespace

bool IsAdmin(const AccessPolicy& policy, const Caller& caller) {
  return policy.single_user || caller.uid == 0 || IsMember(caller, policy.admin_gid);
}

bool MayUse(const AccessPolicy& policy, const Caller& caller, std::uint32_t owner) {
  return caller.uid == owner || IsAdmin(policy, caller);
}

Result<void> CheckMayPrioritise(const AccessPolicy& policy, const Caller& caller, std::int32_t from,
                                std::int32_t to) {
  if (to <= from || IsAdmin(policy, caller)) return {};
  return Error{ErrorCode::kPermissionDenied, "priority: only admins may raise it",
               "ask a member of the admin group, or leave it as it is"};
}

Result<void> CheckMaySubmit(const AccessPolicy& policy, const SessionSpec& spec) {
  if (spec.caller.uid == 0 && !policy.single_user && !policy.allow_root) {
    return Error{ErrorCode::kPermissionDenied, "submit: this benchd runs no benchmarks as root",
                 "submit as an ordinary user, or set allow_root = true below [access] in its "
                 "configuration"};
  }
  if (!policy.single_user && spec.caller.limits.empty()) {
    return Error{ErrorCode::kPermissionDenied,
                 "submit: the limits and the umask of process " + std::to_string(spec.caller.pid) +
                     " cannot be read, and benchmarks would run with the service's",
                 "the process that connects must still be there and not be set-user-ID or of file "
                 "capabilities, and /proc be mounted without hidepid"};
  }
  if (!spec.settings_off.empty() && !IsAdmin(policy, spec.caller)) {
    return Error{ErrorCode::kPermissionDenied,
                 "settings_off: only admins may leave settings of the machine profile out",
                 "ask a member of the admin group"};
  }
  return CheckMayPrioritise(policy, spec.caller, 0, spec.priority);
}

Result<void> CheckMayAdminister(const AccessPolicy& policy, const Caller& caller,
                                std::string_view action) {
  if (IsAdmin(policy, caller)) return {};
  return Error{ErrorCode::kPermissionDenied, std::string(action) + ": only admins may do this",
               "ask a member of the admin group"};
}

Result<void> CheckMayReadAll(const AccessPolicy& policy, const Caller& caller) {
  if (IsMember(caller, policy.push_gid) || IsAdmin(policy, caller)) return {};
  return Error{ErrorCode::kPermissionDenied, "history: only admins may read everybody's",
               "leave --all out, or ask a member of the admin group"};
}

namespace {

using Labels = std::map<std::string, std::string>;

bool HasAll(const Labels& labels, const Labels& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&labels](const auto& label) {
    const auto it = labels.find(label.first);
    return it != labels.end() && it->second == label.second;
  });
}

}  // namespace

void ForgetEnvironmentValues(SessionSpec& spec) {
  for (auto& [name, value] : spec.environment) value.clear();
  for (Benchmark& benchmark : spec.benchmarks) {
    for (Arm& arm : benchmark.arms) {
      for (auto& [name, value] : arm.env) value.clear();
    }
  }
}

void ForgetEnvironment(SessionSpec& spec) {
  ForgetEnvironmentValues(spec);
  spec.environment.clear();
}

std::uint64_t SessionRegistry::Add(SessionRecord record) {
  Entry& entry = Insert(HeadOf(record));
  if (IsFinal(entry.head.state)) return entry.sequence;
  entry.bytes = HeldBytes(record.spec);
  ForgetEnvironment(record.spec);
  entry.record = std::make_unique<SessionRecord>(std::move(record));
  active_[entry.sequence] = &entry.head;
  return entry.sequence;
}

std::uint64_t SessionRegistry::Add(SessionHead ended) { return Insert(std::move(ended)).sequence; }

SessionRegistry::Entry& SessionRegistry::Insert(SessionHead head) {
  const SessionId id = head.id;
  if (!AreFewLabels(head.labels)) head.labels.clear();
  if (!head.request_id.empty()) requests_[{head.uid, head.request_id}] = id;
  Entry& entry = entries_[id];
  entry = Entry{std::move(head), nullptr, next_sequence_++, 0};
  all_[entry.sequence] = &entry.head;
  return entry;
}

void SessionRegistry::Remove(const SessionId& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  const Entry& entry = found->second;
  const auto request = requests_.find({entry.head.uid, entry.head.request_id});
  if (request != requests_.end() && request->second == id) requests_.erase(request);
  all_.erase(entry.sequence);
  active_.erase(entry.sequence);
  entries_.erase(found);
}

void SessionRegistry::Set(SessionSnapshot snapshot) {
  const auto found = entries_.find(snapshot.id);
  if (found == entries_.end() || !found->second.record) return;
  Entry& entry = found->second;
  entry.head.state = snapshot.state;
  entry.head.started_at = snapshot.started_at;
  entry.head.ended_at = snapshot.ended_at;
  entry.head.held = snapshot.held;
  entry.record->snapshot = std::move(snapshot);
  if (!IsFinal(entry.head.state)) return;
  entry.record.reset();
  active_.erase(entry.sequence);
}

void SessionRegistry::SetPriority(const SessionId& id, std::int32_t priority) {
  const auto found = entries_.find(id);
  if (found != entries_.end() && found->second.record) {
    found->second.record->spec.priority = priority;
  }
}

const SessionRecord* SessionRegistry::Find(const SessionId& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.record.get();
}

const SessionHead* SessionRegistry::FindHead(const SessionId& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second.head;
}

std::optional<SessionId> SessionRegistry::OfRequest(std::uint32_t uid,
                                                    const std::string& request_id) const {
  const auto found = requests_.find({uid, request_id});
  if (found == requests_.end()) return std::nullopt;
  return found->second;
}

Result<SessionId> SessionRegistry::LookUp(const Caller& caller, const std::string& prefix) const {
  const SessionId* found = nullptr;
  const SessionHead* foreign = nullptr;
  for (auto it = entries_.lower_bound(SessionId{prefix}); !prefix.empty() && it != entries_.end();
       ++it) {
    const auto& [id, entry] = *it;
    if (id.value.compare(0, prefix.size(), prefix) != 0) break;
    if (!MayUse(policy_, caller, entry.head.uid)) {
      if (id.value == prefix) foreign = &entry.head;
      continue;
    }
    if (found != nullptr) {
      return InvalidArgument("session", Quoted(prefix) + " matches more than one session",
                             "write more of the ID; `benchctl list --all` shows them");
    }
    found = &id;
  }
  if (found != nullptr) return *found;
  if (foreign != nullptr) {
    return Error{ErrorCode::kPermissionDenied,
                 "session: " + Quoted(prefix) + " belongs to uid " + std::to_string(foreign->uid),
                 "only its owner and admins may see it"};
  }
  return Error{ErrorCode::kNotFound, "no session matches " + Quoted(prefix),
               "`benchctl list --all` shows yours"};
}

SessionPage SessionRegistry::List(const Caller& caller, const SessionFilter& filter) const {
  const bool ended_too = filter.state ? IsFinal(*filter.state) : filter.all;
  const Order& sessions = ended_too ? all_ : active_;
  SessionPage page;
  page.views.reserve(std::min({sessions.size(), filter.limit, kMostLookedAt}));
  std::size_t looked_at = 0;
  for (auto it = std::make_reverse_iterator(sessions.lower_bound(filter.before));
       it != sessions.rend() && page.views.size() < filter.limit; ++it) {
    const auto& [sequence, head] = *it;
    if (looked_at++ == kMostLookedAt) {
      page.rest = sequence + 1;
      break;
    }
    if (filter.state && head->state != *filter.state) continue;
    std::optional<SessionView> view = ViewOf(*head, caller, filter);
    if (!view) continue;
    view->sequence = sequence;
    page.views.push_back(*std::move(view));
  }
  return page;
}

std::optional<SessionView> SessionRegistry::ViewOf(const SessionHead& head, const Caller& caller,
                                                   const SessionFilter& filter) const {
  const bool visible = MayUse(policy_, caller, head.uid);
  // A label is part of what only the owner may see.
  if (!filter.labels.empty() && !(visible && HasAll(head.labels, filter.labels))) {
    return std::nullopt;
  }
  return SessionView{.id = head.id, .state = head.state, .uid = head.uid, .whole = visible};
}

}  // namespace benchd
