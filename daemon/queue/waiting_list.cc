#include "daemon/queue/waiting_list.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace benchd {

void WaitingList::Insert(WaitingSession session) {
  const SessionId id = session.id;
  const auto [place, inserted] = sessions_.emplace(id, std::move(session));
  assert(inserted);
  LineOf(place->second).Insert(&place->second, typical_);
  ++counts_[place->second.uid];
}

bool WaitingList::Erase(const SessionId& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return false;
  const WaitingSession& session = found->second;
  WaitingLine& line = LineOf(session);
  line.Erase(&session, typical_);
  if (line.empty() && !session.resumed) {
    Level& level = levels_.at(session.priority);
    level.erase(session.uid);
    if (level.empty()) levels_.erase(session.priority);
  }
  if (--counts_.at(session.uid) == 0) counts_.erase(session.uid);
  sessions_.erase(found);
  return true;
}

void WaitingList::Begin(const SessionId& id) {
  const WaitingSession* session = Find(id);
  assert(session != nullptr);
  if (!session->resumed) Serve(session->uid);
  Erase(id);
}

void WaitingList::Expect(std::optional<Nanoseconds> typical) {
  typical_ = typical;
  resumed_.Expect(typical);
  for (auto& [priority, level] : levels_) {
    for (auto& [uid, line] : level) line.Expect(typical);
  }
}

const WaitingSession* WaitingList::Next() const {
  if (!resumed_.empty()) return &resumed_.at(0);
  for (const auto& [priority, level] : levels_) {
    std::optional<Contender> next;
    for (const auto& [uid, line] : level) {
      if (held_.contains(uid)) continue;
      const Contender contender = ContenderOf(uid, line);
      if (!next || contender < *next) next = contender;
    }
    if (next) return &next->line->at(0);
  }
  return nullptr;
}

const WaitingSession* WaitingList::Find(const SessionId& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : &found->second;
}

std::size_t WaitingList::CountOf(std::uint32_t uid) const {
  const auto found = counts_.find(uid);
  return found == counts_.end() ? 0 : found->second;
}

/// Before the k-th session of a line its users' turns have gone round k times, and in the last
/// round those before it in the order had their turn, too.
WaitingPlace WaitingList::PlaceOf(const SessionId& id) const {
  ++places_computed_;
  const WaitingSession& session = sessions_.at(id);
  if (session.resumed) {
    const std::size_t before = resumed_.CountBefore(session.sequence);
    return {before + 1, resumed_.Duration(before)};
  }
  std::size_t before = resumed_.size();
  WaitingLine::Sum wait = resumed_.Duration(before);
  const auto pass = [&before, &wait](const WaitingLine& line, std::size_t count) {
    const std::size_t sessions = std::min(count, line.size());
    before += sessions;
    wait += line.Duration(sessions);
  };
  const bool held = held_.contains(session.uid);
  ForEachRound([&session, &pass, held](const Round& round) {
    if (round.priority != session.priority || round.held != held) {
      for (const Contender& earlier : round.contenders) pass(*earlier.line, earlier.line->size());
      return true;
    }
    const auto own = std::find_if(round.contenders.begin(), round.contenders.end(),
                                  [&session](const Contender& c) { return c.uid == session.uid; });
    const std::size_t rounds = own->line->CountBefore(session.sequence);
    for (auto other = round.contenders.begin(); other != round.contenders.end(); ++other) {
      pass(*other->line, other < own ? rounds + 1 : rounds);
    }
    return false;
  });
  return {before + 1, wait};
}

std::map<SessionId, WaitingPlace> WaitingList::Places() const {
  places_computed_ += sessions_.size();
  std::map<SessionId, WaitingPlace> places;
  WaitingPlace next{1, {}};
  const auto pass = [&places, &next](const WaitingLine& line, std::size_t index) {
    places.emplace(line.at(index).id, next);
    ++next.position;
    next.wait += line.Duration(index + 1) - line.Duration(index);
  };
  for (std::size_t i = 0; i < resumed_.size(); ++i) pass(resumed_, i);
  ForEachRound([&pass](const Round& round) {
    std::vector<const WaitingLine*> lines;
    for (const Contender& contender : round.contenders) lines.push_back(contender.line);
    for (std::size_t index = 0; !lines.empty(); ++index) {
      std::erase_if(lines, [index](const WaitingLine* line) { return line->size() <= index; });
      for (const WaitingLine* line : lines) pass(*line, index);
    }
    return true;
  });
  return places;
}

WaitingLine& WaitingList::LineOf(const WaitingSession& session) {
  return session.resumed ? resumed_ : levels_[session.priority][session.uid];
}

std::uint64_t WaitingList::LastTurn(std::uint32_t uid) const {
  const auto found = served_.find(uid);
  return found == served_.end() ? 0 : found->second;
}

WaitingList::Contender WaitingList::ContenderOf(std::uint32_t uid, const WaitingLine& line) const {
  return {LastTurn(uid), line.at(0).sequence, uid, &line};
}

/// In the order in which they will come, until `visit` answers false; the turns that are had in one
/// round count in those after it.
void WaitingList::ForEachRound(const std::function<bool(const Round&)>& visit) const {
  Turns later;
  std::uint64_t turn = turn_;
  for (const bool held : {false, true}) {
    for (const auto& [priority, level] : levels_) {
      Round round{priority, held, {}};
      for (const auto& [uid, line] : level) {
        if (held_.contains(uid) != held) continue;
        round.contenders.push_back(ContenderOf(uid, line));
        const auto had = later.find(uid);
        if (had != later.end()) round.contenders.back().turn = had->second;
      }
      if (round.contenders.empty()) continue;
      std::sort(round.contenders.begin(), round.contenders.end());
      if (!visit(round)) return;
      if (levels_.size() == 1) continue;  // nobody comes again
      // Those with few sessions have their last turn first.
      std::stable_sort(
          round.contenders.begin(), round.contenders.end(),
          [](const Contender& a, const Contender& b) { return a.line->size() < b.line->size(); });
      for (const Contender& contender : round.contenders) later[contender.uid] = ++turn;
    }
  }
}

}  // namespace benchd
