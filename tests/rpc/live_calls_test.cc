#include "daemon/rpc/live_calls.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace benchd::rpc {
namespace {

TEST(LiveCallsTest, CountsWhatIsAliveAndWhatEverWas) {
  LiveCalls calls;
  {
    LiveCalls::Token first = calls.Begin(nullptr);
    const LiveCalls::Token second = calls.Begin(nullptr);
    const LiveCalls::Token moved = std::move(first);
    EXPECT_EQ(calls.count(), 2U);
  }
  EXPECT_EQ(calls.count(), 0U);
  EXPECT_EQ(calls.total(), 2U);
}

TEST(LiveCallsTest, AnAssignedTokenEndsTheCallItHeldBefore) {
  LiveCalls calls;
  LiveCalls::Token token = calls.Begin(nullptr);
  token = calls.Begin(nullptr);
  EXPECT_EQ(calls.count(), 1U);
  token = LiveCalls::Token();
  EXPECT_EQ(calls.count(), 0U);
}

TEST(LiveCallsTest, CloseTellsEveryCallOnceEvenWhenOneEndsAnother) {
  LiveCalls calls;
  int told = 0;
  std::optional<LiveCalls::Token> other;
  const LiveCalls::Token first = calls.Begin([&told, &other] {
    ++told;
    other.reset();
  });
  other = calls.Begin([&told] { told += 100; });
  const LiveCalls::Token last = calls.Begin([&told] { ++told; });
  EXPECT_FALSE(calls.closed());
  calls.Close();
  EXPECT_TRUE(calls.closed());
  EXPECT_EQ(told, 2);
  calls.Close();
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace benchd::rpc
