#include "daemon/queue/session_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/model/inner_benchmarks.h"
#include "daemon/queue/validate_spec.h"

namespace benchd {
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

Result<SessionId> ChooseSession(const AccessPolicy& policy, const Caller& caller,
                                const std::string& prefix, const std::vector<SessionView>& found) {
  std::set<SessionId> own;
  const SessionView* foreign = nullptr;
  for (const SessionView& view : found) {
    const bool exact = view.id.value == prefix;
    if (!MayUse(policy, caller, view.uid)) {
      if (exact) foreign = &view;
      continue;
    }
    if (exact) return view.id;
    own.insert(view.id);
  }
  if (own.size() > 1) {
    return InvalidArgument("session", Quoted(prefix) + " matches more than one session",
                           "give more of the ID; `benchctl list --all` shows all IDs");
  }
  if (!own.empty()) return *own.begin();
  if (foreign != nullptr) {
    return Error{ErrorCode::kPermissionDenied,
                 fmt::format("session: {} belongs to uid {}", Quoted(prefix), foreign->uid),
                 "only its owner and admins may see it"};
  }
  return Error{ErrorCode::kNotFound, "no session matches " + Quoted(prefix),
               "`benchctl list --all` shows all sessions"};
}

void SessionRegistry::Add(std::uint64_t key, SessionRecord record) {
  const SessionId id = record.snapshot.id;
  const std::uint64_t bytes = HeldBytes(record.spec);
  ForgetEnvironment(record.spec);
  by_key_[key] = &(entries_[id] = {key, bytes, std::move(record)});
}

void SessionRegistry::Set(SessionSnapshot snapshot) {
  const auto found = entries_.find(snapshot.id);
  if (found == entries_.end()) return;
  if (IsFinal(snapshot.state)) {
    by_key_.erase(found->second.key);
    entries_.erase(found);
  } else {
    SessionRecord& record = found->second.record;
    record.snapshot = std::move(snapshot);
    ExpandBenchmarks(record.snapshot.found, record.spec);
  }
}

void SessionRegistry::SetPriority(const SessionId& id, std::int32_t priority) {
  const auto found = entries_.find(id);
  if (found != entries_.end()) found->second.record.spec.priority = priority;
}

const SessionRecord* SessionRegistry::Find(const SessionId& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second.record;
}

std::vector<SessionView> SessionRegistry::List(const SessionFilter& filter) const {
  std::vector<SessionView> views;
  for (auto it = std::make_reverse_iterator(by_key_.lower_bound(filter.before));
       it != by_key_.rend() && views.size() < filter.limit; ++it) {
    const Entry& entry = *it->second;
    const SessionView view = ViewOf(entry);
    if (filter.state && view.state != *filter.state) continue;
    if (filter.owner && view.uid != *filter.owner) continue;
    if (HasAll(entry.record.spec.labels, filter.labels)) views.push_back(view);
  }
  return views;
}

std::vector<SessionView> SessionRegistry::Matching(const std::string& prefix) const {
  std::vector<SessionView> views;
  for (auto it = entries_.lower_bound(SessionId{prefix});
       it != entries_.end() && it->first.value.starts_with(prefix); ++it) {
    views.push_back(ViewOf(it->second));
  }
  return views;
}

SessionView SessionRegistry::ViewOf(const Entry& entry) {
  const auto& [spec, snapshot, request_id] = entry.record;
  return {entry.key, snapshot.id, snapshot.state, spec.caller.uid};
}

}  // namespace benchd
