#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "core/base/time.h"
#include "tests/support/seed.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

using std::chrono::seconds;

Timestamp Parsed(const std::string& text) {
  const auto time = ParseRfc3339(text);
  EXPECT_TRUE(time) << (time ? "" : time.error().message);
  return time.value_or(Timestamp{});
}

// 1,000,000,000 s after 1970 is 2001-09-09T01:46:40Z.
constexpr Timestamp kBillennium{seconds(1'000'000'000)};

TEST(ParseRfc3339Test, ReadsWhatTheExportsPrint) {
  EXPECT_EQ(Parsed("2001-09-09T01:46:40Z"), kBillennium);
  EXPECT_EQ(Parsed("2001-09-09T01:46:40.678Z"), kBillennium + std::chrono::milliseconds(678));
  EXPECT_EQ(Parsed("2001-09-09T01:46:40.000000001Z"), kBillennium + Nanoseconds(1));
}

TEST(ParseRfc3339Test, ReadsTheOtherSpellingsOfTheRfc) {
  EXPECT_EQ(Parsed("2001-09-09t01:46:40z"), kBillennium);
  EXPECT_EQ(Parsed("2001-09-09 01:46:40Z"), kBillennium);
  EXPECT_EQ(Parsed("2001-09-09T03:46:40+02:00"), kBillennium);
  EXPECT_EQ(Parsed("2001-09-08T18:16:40-07:30"), kBillennium);
  EXPECT_EQ(Parsed("2001-09-09T01:46:40.0000000019Z"), kBillennium + Nanoseconds(1));
}

TEST(ParseRfc3339Test, TakesALeapSecondAsTheSecondAfterIt) {
  // RFC 3339 section 5.8 has this leap second as its example.
  EXPECT_EQ(Parsed("1990-12-31T23:59:60Z"), Parsed("1991-01-01T00:00:00Z"));
}

TEST(ParseRfc3339Test, RefusesWhatIsNoMomentOfTheCalendar) {
  for (const std::string text : {"",
                                 "now",
                                 "1700000000",
                                 "2001-09-09",
                                 "2001-09-09T01:46:40",
                                 "2001-9-9T01:46:40Z",
                                 "2001-02-29T00:00:00Z",
                                 "2001-13-01T00:00:00Z",
                                 "2001-00-01T00:00:00Z",
                                 "2001-01-00T00:00:00Z",
                                 "2001-01-01T24:00:00Z",
                                 "2001-01-01T00:60:00Z",
                                 "2001-01-01T00:00:61Z",
                                 "2001-01-01T00:00:00.Z",
                                 "2001-01-01T00:00:00.abcdefghiZ",
                                 "2001-01-01T00:00:00+24:00",
                                 "2001-01-01T00:00:00+0100",
                                 "2001-01-01T00:00:00Z ",
                                 " 2001-01-01T00:00:00Z",
                                 "2001-01-01T00:00:00ZZ",
                                 "1677-12-31T23:59:59Z",
                                 "2262-01-01T00:00:00Z",
                                 "0000-01-01T00:00:00Z"}) {
    const auto time = ParseRfc3339(text);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code, ErrorCode::kInvalidArgument);
    EXPECT_WORDING(time.error()) << text;
  }
}

TEST(ParseRfc3339Test, ReadsBackWhatFormatRfc3339Prints) {
  const std::uint32_t seed = test::Seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  // 1678 and 2261 are the first and last years accepted.
  std::uniform_int_distribution<std::int64_t> moments(
      Parsed("1678-01-01T00:00:00Z").time_since_epoch().count(),
      Parsed("2261-12-31T23:59:59Z").time_since_epoch().count());
  for (int round = 0; round < 10'000; ++round) {
    const Timestamp time{Nanoseconds(moments(random))};
    EXPECT_EQ(Parsed(FormatRfc3339(time)), time) << FormatRfc3339(time);
  }
}

}  // namespace
}  // namespace benchd
