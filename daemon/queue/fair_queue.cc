#include "daemon/queue/fair_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "core/model/limits.h"

namespace benchd {
void FairQueue::Insert(QueuedSession session) {
  User& user = users_[session.uid];
  if (!session.exempt) {
    ++user.limited;
    user.bytes += session.bytes;
  }
  session.max_time = std::max(session.max_time, Nanoseconds::zero());
  const SessionId id = session.id;
  const auto [place, inserted] = sessions_.emplace(id, Waiting{std::move(session), &user});
  assert(inserted);
  const Key key = KeyOf(place->second);
  sorted_.insert(std::lower_bound(sorted_.begin(), sorted_.end(), key), key);
  ordered_ = false;
}

bool FairQueue::Erase(const SessionId& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return false;
  if (const QueuedSession& session = found->second.session; !session.exempt) {
    --found->second.user->limited;
    found->second.user->bytes -= session.bytes;
  }
  sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), KeyOf(found->second)));
  sessions_.erase(found);
  ordered_ = false;
  return true;
}

void FairQueue::Begin(const SessionId& id) {
  const QueuedSession& session = sessions_.at(id).session;
  if (!session.resumed) Serve(session.uid);
  Erase(id);
}

void FairQueue::Serve(std::uint32_t uid) {
  users_[uid].last_turn = ++turn_;
  ordered_ = false;
}

void FairQueue::Ended(std::uint32_t uid, Timestamp end, Nanoseconds held) {
  held = std::max(held, Nanoseconds::zero());
  durations_.push_back(held);
  if (durations_.size() > kRememberedDurations) durations_.pop_front();
  ordered_ = false;
  TakeTime(users_[uid], end - held, end);
}

void FairQueue::Reserved(std::uint32_t uid, Timestamp start, Timestamp end) {
  TakeTime(users_[uid], start, end);
}

/// Finds the moment since which the user has used exactly the limit, and holds the user until that
/// moment is more than 24 hours ago. The moment only moves forward, so spans before it are dropped.
void FairQueue::TakeTime(User& user, Timestamp start, Timestamp end) {
  if (!limits_.running_a_day || end <= start) return;
  user.spans.push_back({start, end});
  user.ran += end - start;
  const auto first = [&user] { return user.spans.front().end - user.spans.front().start; };
  while (user.spans.size() > 1 && (user.ran - first() >= *limits_.running_a_day ||
                                   user.spans.front().end <= end - kLimitedPeriod)) {
    user.ran -= first();
    user.spans.pop_front();
  }
  const Nanoseconds excess = user.ran - *limits_.running_a_day;
  if (excess < Nanoseconds::zero()) return;
  user.not_before = user.spans.front().start + excess + kLimitedPeriod + Nanoseconds(1);
}

void FairQueue::Submitted(std::uint32_t uid, Timestamp at) {
  if (!limits_.submissions_a_day) return;
  std::deque<Timestamp>& submissions = users_[uid].submissions;
  submissions.push_back(at);
  if (submissions.size() > *limits_.submissions_a_day) submissions.pop_front();
}

std::optional<Nanoseconds> FairQueue::TimeLeft(std::uint32_t uid, Timestamp now) const {
  if (!limits_.running_a_day) return std::nullopt;
  Nanoseconds left = *limits_.running_a_day;
  const auto user = users_.find(uid);
  if (user == users_.end()) return left;
  for (const Span& span : user->second.spans) {
    left -= std::max(span.end - std::max(span.start, now - kLimitedPeriod), Nanoseconds::zero());
  }
  return std::max(left, Nanoseconds::zero());
}

Result<void> FairQueue::CheckTime(std::uint32_t uid, std::string_view what, Nanoseconds wanted,
                                  Timestamp now) const {
  const std::optional<Nanoseconds> left = TimeLeft(uid, now);
  if (!left || wanted <= *limits_.running_a_day) return {};
  const auto whole_minutes = [](Nanoseconds time) {
    return fmt::format("{} min", std::chrono::floor<std::chrono::minutes>(time).count());
  };
  return Error{
      ErrorCode::kResourceExhausted,
      fmt::format("{}: exceeds the {} that uid {} may use the machine within 24 hours; {} are left",
                  what, whole_minutes(*limits_.running_a_day), uid, whole_minutes(*left)),
      "request less time; " + HowToAllowMore(Limit::kRunningADay)};
}

bool FairQueue::Refresh(Timestamp now) {
  bool changed = false;
  for (auto& [uid, user] : users_) {
    const bool held = now < user.not_before;
    changed |= std::exchange(user.held, held) != held;
  }
  if (!changed) return false;
  for (Key& key : sorted_) key = KeyOf(*key.waiting);
  std::sort(sorted_.begin(), sorted_.end());
  ordered_ = false;
  return true;
}

std::optional<Timestamp> FairQueue::NextRefresh() const {
  std::optional<Timestamp> first;
  for (const auto& [uid, user] : users_) {
    if (!user.held || user.limited == 0) continue;
    first = std::min(first.value_or(user.not_before), user.not_before);
  }
  return first;
}

const QueuedSession* FairQueue::Next() {
  Order();
  return order_.empty() || order_.front()->held() ? nullptr : &order_.front()->session;
}

std::optional<Place> FairQueue::PlaceOf(const SessionId& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return std::nullopt;
  Order();
  return found->second.place;
}

Result<void> FairQueue::CheckRoomFor(std::uint32_t uid, std::size_t submitting, std::uint64_t bytes,
                                     Timestamp now) const {
  const auto found = users_.find(uid);
  const User none;
  const User& user = found == users_.end() ? none : found->second;
  const std::size_t waiting = submitting + user.limited;
  if (limits_.queued && waiting >= *limits_.queued) {
    return OverLimit(Limit::kQueuedAUser, waiting, *limits_.queued, uid);
  }
  bytes += user.bytes;
  if (limits_.waiting_bytes && bytes > *limits_.waiting_bytes) {
    return OverLimit(Limit::kWaitingAUser, bytes, *limits_.waiting_bytes, uid);
  }
  return CheckSubmissions(uid, user, submitting, now);
}

std::uint64_t FairQueue::SubmittedToday(const User& user, Timestamp now) {
  const auto first =
      std::upper_bound(user.submissions.begin(), user.submissions.end(), now - kLimitedPeriod);
  return static_cast<std::uint64_t>(user.submissions.end() - first);
}

Result<void> FairQueue::CheckSubmissions(std::uint32_t uid, const User& user,
                                         std::size_t submitting, Timestamp now) const {
  if (!limits_.submissions_a_day) return {};
  const std::uint64_t today = submitting + SubmittedToday(user, now);
  if (today < *limits_.submissions_a_day) return {};
  return OverLimit(Limit::kSubmissionsADay, today, *limits_.submissions_a_day, uid);
}

std::vector<LimitUse> FairQueue::Uses(std::optional<std::uint32_t> uid, Timestamp now) const {
  std::vector<LimitUse> uses;
  const auto add = [this, &uses, now](std::uint32_t who, const User& user) {
    uses.push_back({Limit::kQueuedAUser, who, user.limited, limits_.queued});
    if (limits_.waiting_bytes) {
      uses.push_back({Limit::kWaitingAUser, who, user.bytes, limits_.waiting_bytes});
    }
    if (limits_.submissions_a_day) {
      uses.push_back(
          {Limit::kSubmissionsADay, who, SubmittedToday(user, now), limits_.submissions_a_day});
    }
    if (const std::optional<Nanoseconds> left = TimeLeft(who, now)) {
      const Nanoseconds a_day = *limits_.running_a_day;
      uses.push_back({Limit::kRunningADay, who, static_cast<std::uint64_t>((a_day - *left).count()),
                      static_cast<std::uint64_t>(a_day.count())});
    }
  };
  if (uid) {
    const auto user = users_.find(*uid);
    add(*uid, user == users_.end() ? User{} : user->second);
    return uses;
  }
  for (const auto& [who, user] : users_) {
    const bool takes_some =
        user.limited > 0 || user.ran > Nanoseconds::zero() || SubmittedToday(user, now) > 0;
    if (takes_some) add(who, user);
  }
  return uses;
}

bool FairQueue::Key::operator<(const Key& other) const {
  return std::tie(standing, other.priority, uid, sequence) <  // the highest priority first
         std::tie(other.standing, priority, other.uid, other.sequence);
}

FairQueue::Key FairQueue::KeyOf(Waiting& waiting) {
  const QueuedSession& session = waiting.session;
  if (session.resumed) return {0, 0, 0, session.sequence, &waiting};
  return {waiting.held() ? 2 : 1, session.priority, session.uid, session.sequence, &waiting};
}

/// Computes the order and the places: the users of each group take turns.
void FairQueue::Order() {
  if (std::exchange(ordered_, true)) return;
  ++orders_computed_;
  order_.clear();
  for (auto& [uid, user] : users_) user.next_turn = user.last_turn;
  for (auto first = sorted_.begin(); first != sorted_.end();) {
    const auto end = std::find_if(first, sorted_.end(), [&group = *first](const Key& key) {
      return key.standing != group.standing || key.priority != group.priority;
    });
    TakeTurns({first, end});
    first = end;
  }

  const Nanoseconds typical = TypicalDuration();
  Place place{1, {}, {}};
  for (Waiting* waiting : order_) {
    place.not_before.reset();
    if (waiting->held()) place.not_before = waiting->user->not_before;
    waiting->place = place;
    ++place.position;
    place.wait = std::min(place.wait + std::min(typical, waiting->session.max_time), kFarthest);
  }
}

/// Adds a group to the order. Turns taken in one group count in the groups after it.
void FairQueue::TakeTurns(std::span<const Key> group) {
  std::vector<std::span<const Key>> lines;  // the sessions left of each user
  for (auto first = group.begin(); first != group.end();) {
    const auto end = std::find_if(first, group.end(),
                                  [uid = first->uid](const Key& key) { return key.uid != uid; });
    lines.emplace_back(first, end);
    first = end;
  }
  std::sort(lines.begin(), lines.end(), [](std::span<const Key> a, std::span<const Key> b) {
    return std::tie(a.front().waiting->user->next_turn, a.front().sequence) <
           std::tie(b.front().waiting->user->next_turn, b.front().sequence);
  });
  while (!lines.empty()) {
    for (std::span<const Key>& line : lines) {
      Waiting* const next = line.front().waiting;
      order_.push_back(next);
      if (!next->session.resumed) next->user->next_turn = turn_ + order_.size();
      line = line.subspan(1);
    }
    std::erase_if(lines, [](std::span<const Key> line) { return line.empty(); });
  }
}

/// Returns the mean duration of the latest sessions, or kFarthest if none has ended yet.
Nanoseconds FairQueue::TypicalDuration() const {
  if (durations_.empty()) return kFarthest;
  const Nanoseconds sum =
      std::accumulate(durations_.begin(), durations_.end(), Nanoseconds::zero());
  return sum / static_cast<Nanoseconds::rep>(durations_.size());
}

}  // namespace benchd
