// FairQueue against WaitingRoom, which it replaces: goes with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "daemon/queue/fair_queue.h"
#include "daemon/queue/waiting_room.h"
#include "tests/support/seed.h"

namespace benchd {
namespace {

TEST(FairQueueSameTest, PlacesAreThoseOfTheWaitingRoom) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  // A multiple of microseconds for each mean of up to 20: WaitingRoom counts in these.
  const Nanoseconds unit = std::chrono::microseconds(232'792'560);
  const UserLimits limits{.queued = {}, .running_a_day = std::chrono::hours(2)};
  const AccessPolicy access{.allow_root = true, .single_user = false, .admin_gid = {}};
  WaitingRoom room(access, limits);
  FairQueue queue(limits);
  Timestamp now{std::chrono::hours(2400)};
  std::vector<SessionRecord> waiting;
  std::size_t compared = 0;
  const auto insert = [&](const SessionRecord& record, std::uint64_t sequence) {
    room.Enter(record, sequence, now);
    queue.Insert({.id = record.snapshot.id,
                  .sequence = sequence,
                  .uid = record.spec.caller.uid,
                  .priority = record.spec.priority,
                  .max_time = record.spec.limits.max_time,
                  .resumed = record.snapshot.started_at.has_value(),
                  .exempt = record.spec.caller.uid == 0});
  };
  for (std::uint64_t step = 0; step < 1500; ++step) {
    const std::uint64_t action = below(10);
    if (action < 4) {
      SessionRecord record;
      record.snapshot.id = {std::to_string(step)};
      record.spec.caller.uid = static_cast<std::uint32_t>(below(5));
      record.spec.priority = static_cast<std::int32_t>(below(3)) - 1;
      record.spec.limits.max_time = unit * (10 + below(10));
      if (below(30) == 0) record.snapshot.started_at = now;
      insert(record, step);
      waiting.push_back(std::move(record));
    } else if (action < 8 && room.Next() != nullptr) {
      const SessionId id = room.Next()->id;
      ASSERT_NE(queue.Next(), nullptr);
      ASSERT_EQ(queue.Next()->id, id);
      room.Begin(id);
      queue.Begin(id);
      const auto begun = std::find_if(waiting.begin(), waiting.end(),
                                      [&id](const auto& r) { return r.snapshot.id == id; });
      begun->snapshot.started_at = now;
      now += unit * below(10);
      begun->snapshot.ended_at = now;
      room.End(*begun, now);
      queue.Ended(begun->spec.caller.uid, *begun->snapshot.started_at, now,
                  begun->spec.limits.max_time);
      waiting.erase(begun);
    } else if (action < 9 && !waiting.empty()) {
      const std::size_t index = below(waiting.size());
      SessionRecord& moved = waiting[index];
      room.Leave(moved.snapshot.id);
      queue.Erase(moved.snapshot.id);
      moved.spec.priority = static_cast<std::int32_t>(below(3)) - 1;
      insert(moved, std::stoull(moved.snapshot.id.value));
    } else {
      now += std::chrono::minutes(below(120));
    }
    room.Review(now);
    queue.Refresh(now);
    ASSERT_EQ(room.Next() == nullptr, queue.Next() == nullptr);
    ASSERT_EQ(room.NextReview(), queue.NextRefresh()) << step;
    std::set<SessionId> ids;
    for (const SessionRecord& record : waiting) ids.insert(record.snapshot.id);
    for (const auto& [id, expected] : room.Expect(ids, now, Nanoseconds(5))) {
      const std::optional<Place> place = queue.PlaceOf(id);
      ASSERT_TRUE(place);
      ASSERT_EQ(place->position, expected.position) << id.value;
      Nanoseconds eta = Nanoseconds(5) + place->wait;
      if (place->not_before) eta = std::max(eta, *place->not_before - now);
      ASSERT_EQ(std::min(eta, FairQueue::kFarthest), expected.eta) << id.value;
      ++compared;
    }
  }
  std::printf("%zu places agree\n", compared);
  EXPECT_GT(compared, 10'000U);
}

}  // namespace
}  // namespace benchd
