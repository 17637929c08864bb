#include <cstdio>
#include <ctime>

#include "tests/queue/queue_fixture.h"

namespace benchd {
namespace {

constexpr std::uint64_t kMany = 10'000;

/// The cost of many waiting sessions. Times are printed, not asserted: they depend on the machine.
class QueueLoadTest : public QueueFixture {
 protected:
  static constexpr std::uint32_t kUsers = 20;

  /// None that random_ makes.
  static SessionId IdOf(std::uint64_t number) { return MakeSessionId(1'000'000 + number); }
  SessionSpec NextSpec() { return SpecOf(1000 + next_++ % kUsers); }

  /// Waiting sessions as after a start, because submitting them would compute an order for each.
  void LoadMany() {
    for (std::uint64_t i = 0; i < kMany; ++i) {
      SessionRecord record{NextSpec(), {}, {}};
      record.snapshot.id = IdOf(i);
      store_.Keep(std::move(record));
    }
    ASSERT_TRUE(RunToEnd(loop_, queue_.Load()));
    ASSERT_EQ(queue_.Status().queued, kMany);
  }

  /// Submits 200 sessions and prints the mean time.
  void MeasureSubmit() {
    const std::uint64_t waiting = queue_.Status().queued;
    const std::uint64_t before = queue_.orders_computed();
    const double submit = TimeOf(200, [this] { Submit(NextSpec()); });
    EXPECT_EQ(queue_.orders_computed() - before, 200U);
    std::printf("submit: %.1f us behind %llu\n", submit, static_cast<unsigned long long>(waiting));
  }

  /// Microseconds of CPU time per call, the mean of `count` calls.
  template <typename Call>
  double TimeOf(int count, Call call) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < count; ++i) call();
    return static_cast<double>(std::clock() - begin) * 1e6 / CLOCKS_PER_SEC / count;
  }

  std::uint32_t next_ = 0;
};

TEST_F(QueueLoadTest, ASubmitComputesTheOrderOnce) { MeasureSubmit(); }

TEST_F(QueueLoadTest, ASubmitComputesTheOrderOnceAlsoBehindTenThousand) {
  LoadMany();
  MeasureSubmit();
}

TEST_F(QueueLoadTest, WatchersCostNoOrderOfTheirOwn) {
  LoadMany();
  const auto ignore = [](const EventHub::Snapshot&) {};
  const auto first = hub_.Subscribe(Submit(NextSpec()), ignore);
  const auto second = hub_.Subscribe(Submit(NextSpec()), ignore);
  const std::uint64_t before = queue_.orders_computed();
  Submit(NextSpec());
  EXPECT_EQ(queue_.orders_computed() - before, 1U);
}

TEST_F(QueueLoadTest, AListComputesTheOrderOnce) {
  LoadMany();
  const std::uint64_t before = queue_.orders_computed();
  std::vector<SessionView> views;
  const double listed = TimeOf(1, [&] { views = List(User(0), {}); });
  ASSERT_EQ(views.size(), kMany);
  EXPECT_EQ(Get(User(0), views.front().id.value)->snapshot.position, kMany);
  EXPECT_EQ(Get(User(0), views.back().id.value)->snapshot.position, 1U);
  EXPECT_EQ(queue_.orders_computed() - before, 1U);
  std::printf("list: %.1f ms of %zu\n", listed / 1000, views.size());
}

TEST_F(QueueLoadTest, ACancelThatNobodyWatchesComputesNoOrder) {
  LoadMany();
  const std::uint64_t before = queue_.orders_computed();
  const SessionId id = IdOf(5);
  EXPECT_FALSE(HasEnded(User(0), id));
  const double cancel = TimeOf(1, [this, &id] { ASSERT_TRUE(Cancel(User(0), id)); });
  EXPECT_TRUE(HasEnded(User(0), id));
  EXPECT_EQ(queue_.orders_computed() - before, 0U);
  EXPECT_EQ(queue_.Status().queued, kMany - 1);
  std::printf("cancel: %.1f us of one of %d\n", cancel, static_cast<int>(kMany));
}

}  // namespace
}  // namespace benchd
