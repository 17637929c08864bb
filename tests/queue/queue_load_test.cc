#include <cstdio>
#include <ctime>

#include "tests/queue/queue_fixture.h"

namespace benchd {
namespace {

constexpr int kMany = 10'000;

/// What many waiting sessions cost. Times are printed, not asserted: they are the machine's.
class QueueLoadTest : public QueueFixture {
 protected:
  static constexpr std::uint32_t kUsers = 20;

  SessionSpec NextSpec() { return SpecOf(1000 + next_++ % kUsers); }

  /// Microseconds of CPU time that one call takes, the mean of `count`.
  template <typename Call>
  double TimeOf(int count, Call call) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < count; ++i) call();
    return static_cast<double>(std::clock() - begin) * 1e6 / CLOCKS_PER_SEC / count;
  }

  std::uint32_t next_ = 0;
};

TEST_F(QueueLoadTest, ASubmitCostsTheSameBehindTenThousand) {
  const double at_first = TimeOf(200, [this] { Submit(NextSpec()); });
  while (queue_.Status().queued < kMany) Submit(NextSpec());
  const std::uint64_t before = queue_.places_computed();
  const double behind = TimeOf(200, [this] { Submit(NextSpec()); });
  EXPECT_EQ(queue_.places_computed() - before, 200U) << "its own place for each";
  std::printf("submit: %.1f us with none waiting, %.1f us with %d waiting\n", at_first, behind,
              kMany);
}

TEST_F(QueueLoadTest, AWatcherCostsItsOwnPlaceOnly) {
  while (queue_.Status().queued < kMany) Submit(NextSpec());
  const SessionId id = Submit(NextSpec());
  const auto watch = hub_.Subscribe(id, [](const EventHub::Snapshot&) {});
  const std::uint64_t before = queue_.places_computed();
  Submit(NextSpec());
  EXPECT_EQ(queue_.places_computed() - before, 2U) << "the new one's and the watched one's";
}

TEST_F(QueueLoadTest, AListComputesEachPlaceOnce) {
  while (queue_.Status().queued < kMany) Submit(NextSpec());
  std::uint64_t before = queue_.places_computed();
  std::vector<SessionView> views;
  const double listed = TimeOf(1, [&] { views = queue_.List(User(0), {}); });
  ASSERT_EQ(views.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(queue_.places_computed() - before, static_cast<std::uint64_t>(kMany));
  EXPECT_EQ(views.front().record.snapshot.position, static_cast<std::uint64_t>(kMany));
  std::printf("list: %.1f ms of %d\n", listed / 1000, kMany);
}

}  // namespace
}  // namespace benchd
