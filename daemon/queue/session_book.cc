#include "daemon/queue/session_book.h"

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/parse/text.h"

namespace benchd {
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

std::uint64_t SessionBook::Add(SessionRecord record) {
  ForgetEnvironmentValues(record.spec);
  record.spec.environment.clear();
  const SessionId id = record.snapshot.id;
  if (!record.request_id.empty()) requests_[{record.spec.caller.uid, record.request_id}] = id;
  Page& page = pages_[id];
  page = Page{std::move(record), next_sequence_++};
  all_[page.sequence] = &page.record;
  if (!IsFinal(page.record.snapshot.state)) active_[page.sequence] = &page.record;
  return page.sequence;
}

void SessionBook::Remove(const SessionId& id) {
  const auto found = pages_.find(id);
  if (found == pages_.end()) return;
  const auto& [record, sequence] = found->second;
  const auto request = requests_.find({record.spec.caller.uid, record.request_id});
  if (request != requests_.end() && request->second == id) requests_.erase(request);
  all_.erase(sequence);
  active_.erase(sequence);
  pages_.erase(found);
}

void SessionBook::Set(SessionSnapshot snapshot) {
  const auto found = pages_.find(snapshot.id);
  if (found == pages_.end()) return;
  if (IsFinal(snapshot.state)) active_.erase(found->second.sequence);
  found->second.record.snapshot = std::move(snapshot);
}

void SessionBook::SetPriority(const SessionId& id, std::int32_t priority) {
  const auto found = pages_.find(id);
  if (found != pages_.end()) found->second.record.spec.priority = priority;
}

const SessionRecord* SessionBook::Find(const SessionId& id) const {
  const auto found = pages_.find(id);
  return found == pages_.end() ? nullptr : &found->second.record;
}

const SessionRecord* SessionBook::OfRequest(std::uint32_t uid,
                                            const std::string& request_id) const {
  const auto found = requests_.find({uid, request_id});
  return found == requests_.end() ? nullptr : Find(found->second);
}

Result<SessionId> SessionBook::LookUp(const Caller& caller, const std::string& prefix) const {
  const SessionId* found = nullptr;
  const SessionRecord* foreign = nullptr;
  for (auto it = pages_.lower_bound(SessionId{prefix}); !prefix.empty() && it != pages_.end();
       ++it) {
    const auto& [id, page] = *it;
    if (id.value.compare(0, prefix.size(), prefix) != 0) break;
    if (!MayUse(policy_, caller, page.record.spec.caller)) {
      if (id.value == prefix) foreign = &page.record;
      continue;
    }
    if (found != nullptr) {
      return InvalidArgument("session", Quoted(prefix) + " fits more than one session",
                             "write more of the id; `benchctl list --all` shows them");
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
  return Error{ErrorCode::kNotFound, "session: there is none called " + Quoted(prefix),
               "`benchctl list --all` shows yours"};
}

std::vector<SessionView> SessionBook::List(const Caller& caller,
                                           const SessionFilter& filter) const {
  const bool ended_too = filter.state ? IsFinal(*filter.state) : filter.all;
  const Order& sessions = ended_too ? all_ : active_;
  std::vector<SessionView> views;
  views.reserve(std::min(sessions.size(), filter.limit));  // a view is a large thing to move
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

std::optional<SessionView> SessionBook::ViewOf(const SessionRecord& record, const Caller& caller,
                                               const SessionFilter& filter) const {
  const bool visible = MayUse(policy_, caller, record.spec.caller);
  // A label is part of what only the owner may see.
  if (!filter.labels.empty() && !(visible && HasLabels(record.spec, filter.labels))) {
    return std::nullopt;
  }
  if (visible) return SessionView{record};
  SessionRecord others;
  others.snapshot.id = record.snapshot.id;
  others.snapshot.state = record.snapshot.state;
  others.spec.caller.uid = record.spec.caller.uid;
  return SessionView{std::move(others), /*visible=*/false};
}

}  // namespace benchd
