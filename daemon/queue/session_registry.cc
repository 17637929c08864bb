#include "daemon/queue/session_registry.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"

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

bool MayUse(const AccessPolicy& policy, const Caller& caller, const Caller& owner) {
  return caller.uid == owner.uid || IsAdmin(policy, caller);
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

bool HasLabels(const SessionSpec& spec, const std::map<std::string, std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&spec](const auto& label) {
    const auto it = spec.labels.find(label.first);
    return it != spec.labels.end() && it->second == label.second;
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

std::uint64_t SessionRegistry::Add(SessionRecord record) {
  ForgetEnvironmentValues(record.spec);
  record.spec.environment.clear();
  const SessionId id = record.snapshot.id;
  if (!record.request_id.empty()) requests_[{record.spec.caller.uid, record.request_id}] = id;
  Entry& entry = entries_[id];
  entry = Entry{std::move(record), next_sequence_++};
  all_[entry.sequence] = &entry.record;
  if (!IsFinal(entry.record.snapshot.state)) active_[entry.sequence] = &entry.record;
  return entry.sequence;
}

void SessionRegistry::Remove(const SessionId& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  const auto& [record, sequence] = found->second;
  const auto request = requests_.find({record.spec.caller.uid, record.request_id});
  if (request != requests_.end() && request->second == id) requests_.erase(request);
  all_.erase(sequence);
  active_.erase(sequence);
  entries_.erase(found);
}

void SessionRegistry::Set(SessionSnapshot snapshot) {
  const auto found = entries_.find(snapshot.id);
  if (found == entries_.end()) return;
  if (IsFinal(snapshot.state)) active_.erase(found->second.sequence);
  found->second.record.snapshot = std::move(snapshot);
}

void SessionRegistry::SetPriority(const SessionId& id, std::int32_t priority) {
  const auto found = entries_.find(id);
  if (found != entries_.end()) found->second.record.spec.priority = priority;
}

const SessionRecord* SessionRegistry::Find(const SessionId& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second.record;
}

const SessionRecord* SessionRegistry::OfRequest(std::uint32_t uid,
                                                const std::string& request_id) const {
  const auto found = requests_.find({uid, request_id});
  return found == requests_.end() ? nullptr : Find(found->second);
}

Result<SessionId> SessionRegistry::LookUp(const Caller& caller, const std::string& prefix) const {
  const SessionId* found = nullptr;
  const SessionRecord* foreign = nullptr;
  for (auto it = entries_.lower_bound(SessionId{prefix}); !prefix.empty() && it != entries_.end();
       ++it) {
    const auto& [id, entry] = *it;
    if (id.value.compare(0, prefix.size(), prefix) != 0) break;
    if (!MayUse(policy_, caller, entry.record.spec.caller)) {
      if (id.value == prefix) foreign = &entry.record;
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
                 "session: " + Quoted(prefix) + " belongs to uid " +
                     std::to_string(foreign->spec.caller.uid),
                 "only its owner and admins may see it"};
  }
  return Error{ErrorCode::kNotFound, "no session matches " + Quoted(prefix),
               "`benchctl list --all` shows yours"};
}

std::vector<SessionView> SessionRegistry::List(const Caller& caller,
                                               const SessionFilter& filter) const {
  const bool ended_too = filter.state ? IsFinal(*filter.state) : filter.all;
  const Order& sessions = ended_too ? all_ : active_;
  std::vector<SessionView> views;
  views.reserve(std::min(sessions.size(), filter.limit));
  for (auto it = std::make_reverse_iterator(sessions.lower_bound(filter.before));
       it != sessions.rend() && views.size() < filter.limit; ++it) {
    const auto& [sequence, record] = *it;
    if (filter.state && record->snapshot.state != *filter.state) continue;
    std::optional<SessionView> view = ViewOf(*record, caller, filter);
    if (!view) continue;
    view->sequence = sequence;
    views.push_back(*std::move(view));
  }
  return views;
}

std::optional<SessionView> SessionRegistry::ViewOf(const SessionRecord& record,
                                                   const Caller& caller,
                                                   const SessionFilter& filter) const {
  const bool visible = MayUse(policy_, caller, record.spec.caller);
  // A label is part of what only the owner may see.
  if (!filter.labels.empty() && !(visible && HasLabels(record.spec, filter.labels))) {
    return std::nullopt;
  }
  return SessionView{.id = record.snapshot.id,
                     .state = record.snapshot.state,
                     .uid = record.spec.caller.uid,
                     .record = visible ? &record : nullptr};
}

}  // namespace benchd
