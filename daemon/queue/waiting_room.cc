#include "daemon/queue/waiting_room.h"

#include <algorithm>
#include <string>
#include <utility>

namespace benchd {
namespace {

std::vector<const SessionRecord*> SortedBy(const std::vector<SessionRecord>& records,
                                           std::optional<Timestamp> SessionSnapshot::*moment) {
  std::vector<const SessionRecord*> sorted;
  for (const SessionRecord& record : records) {
    if (record.snapshot.*moment) sorted.push_back(&record);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [moment](const SessionRecord* a, const SessionRecord* b) {
                     return a->snapshot.*moment < b->snapshot.*moment;
                   });
  return sorted;
}

}  // namespace

WaitingRoom::WaitingRoom(AccessPolicy access, UserLimits limits)
    : access_(std::move(access)), limits_(limits) {}

void WaitingRoom::Recall(const std::vector<SessionRecord>& records, Timestamp now) {
  for (const SessionRecord* begun : SortedBy(records, &SessionSnapshot::started_at)) {
    list_.Serve(begun->spec.caller.uid);
  }
  for (const SessionRecord* ended : SortedBy(records, &SessionSnapshot::ended_at)) {
    Remember(*ended);
  }
  list_.Expect(typical_.Mean());
  ReviewAnew(now);
}

void WaitingRoom::Enter(const SessionRecord& record, std::uint64_t sequence, Timestamp now) {
  const SessionSpec& spec = record.spec;
  const std::uint32_t uid = spec.caller.uid;
  const bool exempt = IsAdmin(access_, spec.caller);
  const bool changed = exempt != exempt_.contains(uid);
  if (exempt) exempt_.insert(uid);
  if (!exempt) exempt_.erase(uid);
  list_.Insert({.id = record.snapshot.id,
                .sequence = sequence,
                .uid = uid,
                .priority = spec.priority,
                .max_time = std::max(spec.limits.max_time, Nanoseconds::zero()),
                .resumed = record.snapshot.started_at.has_value()});
  if (changed) ReviewAnew(now);
}

void WaitingRoom::End(const SessionRecord& record, Timestamp now) {
  if (!record.snapshot.started_at) return;
  Remember(record);
  list_.Expect(typical_.Mean());
  ReviewAnew(now);
}

void WaitingRoom::Remember(const SessionRecord& ended) {
  const std::optional<Nanoseconds> duration = DurationOf(ended);
  if (!duration) return;
  typical_.Add(*duration);
  if (!limits_.running_a_day) return;
  running_time_.Add(ended.spec.caller.uid, *ended.snapshot.started_at, *ended.snapshot.ended_at);
}

bool WaitingRoom::Review(Timestamp now) {
  if (!limits_.running_a_day || now < next_review_) return false;
  const Nanoseconds limit = *limits_.running_a_day;
  running_time_.Forget(now);
  may_again_.clear();
  next_review_ = Timestamp::max();
  std::set<std::uint32_t> held;
  for (const std::uint32_t uid : running_time_.Users()) {
    if (exempt_.contains(uid) || running_time_.Within(uid, now) < limit) continue;
    held.insert(uid);
    may_again_[uid] = running_time_.BelowFrom(uid, now, limit);
    next_review_ = std::min(next_review_, may_again_[uid]);
  }
  if (held == list_.held()) return false;
  list_.Hold(std::move(held));
  return true;
}

std::optional<Timestamp> WaitingRoom::NextReview() const {
  std::optional<Timestamp> first;
  for (const auto& [uid, until] : may_again_) {
    if (list_.CountOf(uid) > 0 && (!first || until < *first)) first = until;
  }
  return first;
}

Result<void> WaitingRoom::CheckRoomFor(const Caller& caller, std::size_t submitting) const {
  if (!limits_.queued || IsAdmin(access_, caller)) return {};
  const std::size_t waiting = list_.CountOf(caller.uid);
  if (waiting + submitting < *limits_.queued) return {};
  return Error{ErrorCode::kResourceExhausted,
               "queue: uid " + std::to_string(caller.uid) + " has " +
                   std::to_string(waiting + submitting) + " sessions waiting, as many as it may",
               "wait until some have run, or cancel some: `benchctl list` shows them"};
}

std::map<SessionId, Expectation> WaitingRoom::Expect(const std::set<SessionId>& ids, Timestamp now,
                                                     std::optional<Nanoseconds> until_free) const {
  std::map<SessionId, Expectation> expectations;
  std::map<SessionId, WaitingPlace> all;
  const bool all_at_once = ids.size() * list_.CountUsers() >= list_.size();
  if (!ids.empty() && all_at_once) all = list_.Places();
  for (const SessionId& id : ids) {
    const WaitingSession* session = list_.Find(id);
    if (session == nullptr) continue;
    const WaitingPlace place = all_at_once ? all.at(id) : list_.PlaceOf(id);
    Expectation& expectation = expectations[id];
    expectation.position = place.position;
    if (!until_free) continue;
    const auto wait = std::min(place.wait, std::chrono::duration_cast<WaitingLine::Sum>(kFarthest));
    Nanoseconds eta = *until_free + wait;
    const auto held = may_again_.find(session->uid);
    if (held != may_again_.end() && !session->resumed) eta = std::max(eta, held->second - now);
    expectation.eta = std::min(eta, kFarthest);
  }
  return expectations;
}

}  // namespace benchd
