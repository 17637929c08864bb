#include "core/model/summary.h"

#include <chrono>

#include "daemon/store/json_codec.h"
#include "daemon/store/schema.h"
#include "daemon/store/session_table.h"
#include "tests/store/store_fixture.h"

namespace benchd::store {
namespace {

using testing::ElementsAre;

class SummaryStoreTest : public StoreTest {
 protected:
  void SetUp() override { Open(); }

  /// A session of that user with one gate of that benchmark.
  void Finish(const std::string& id, std::uint32_t uid, const std::string& benchmark,
              std::int64_t ended_at_ns = 1) {
    SessionRecord record = PlainRecord(id);
    record.spec.caller.uid = uid;
    Insert(record);
    SessionSnapshot snapshot = Ended({id}, ended_at_ns);
    Comparison gate{.benchmark = benchmark,
                    .candidate = "candidate",
                    .metric = "wall_time",
                    .role = ComparisonRole::kGate};
    gate.mean_candidate = 1.5;
    gate.verdict = Verdict::kPass;
    snapshot.report = Report{.comparisons = {gate}};
    Result<void> updated = records_->Update(snapshot, Happened("done"));
    ASSERT_TRUE(updated) << updated.error().message;
  }

  std::vector<std::string> Listed(SummaryQuery query) {
    if (query.limit == 0) query.limit = 100;
    std::vector<std::string> ids;
    const auto found = records_->ListSummaries(query);
    EXPECT_TRUE(found) << found.error().message;
    for (const GateSummary& summary : *found) ids.push_back(summary.session.value);
    return ids;
  }
};

TEST_F(SummaryStoreTest, ListsByUserAndBenchmarkInEitherOrder) {
  Finish("a", 1, "parse");
  Finish("b", 2, "parse");
  Finish("c", 1, "print");
  Finish("d", 1, "parse");
  EXPECT_THAT(Listed({}), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(Listed({.uid = 1}), ElementsAre("d", "c", "a"));
  EXPECT_THAT(Listed({.uid = 1, .benchmark = "parse"}), ElementsAre("d", "a"));
  EXPECT_THAT(Listed({.benchmark = "parse", .oldest_first = true}), ElementsAre("a", "b", "d"));
  EXPECT_THAT(Listed({.uid = 3}), ElementsAre());
}

TEST_F(SummaryStoreTest, GoesOnBehindANumber) {
  for (const char* id : {"a", "b", "c"}) Finish(id, 1, "parse");
  const auto first = records_->ListSummaries({.limit = 1}).value();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].number, 3U);
  EXPECT_EQ(first[0].mean_candidate, 1.5);
  EXPECT_THAT(Listed({.beyond = 3}), ElementsAre("b", "a"));
  EXPECT_THAT(Listed({.beyond = 1, .oldest_first = true}), ElementsAre("b", "c"));
}

TEST_F(SummaryStoreTest, KeepsTheNewestOfEachUser) {
  records_.reset();
  StoreOptions options = Options();
  options.limits.summaries_a_user = 2;
  records_.emplace(std::move(Records::Open(state_, options)).value());
  Finish("a", 1, "parse");
  Finish("b", 2, "parse");
  for (const char* id : {"c", "d", "e"}) Finish(id, 1, "parse");
  EXPECT_THAT(Listed({}), ElementsAre("e", "d", "b"));
}

TEST_F(SummaryStoreTest, FindsAUsersByAnIndexAlsoInAStoreThatHadNone) {
  Finish("a", 1, "parse");
  MakeItOfSchema5();
  Execute("DROP INDEX summaries_by_user");
  Open();
  EXPECT_EQ(PlanOf(SelectFor({.uid = 1})),
            "SEARCH summaries USING INDEX summaries_by_user (uid=? AND rowid<?)");
}

TEST_F(SummaryStoreTest, OutlivesTheSession) {
  Finish("a", 1, "parse", 1);
  Finish("b", 1, "parse", 2);
  const RetentionPolicy policy{.age = Nanoseconds(1)};
  ASSERT_TRUE(records_->Prune(policy, Timestamp(std::chrono::hours(1))));
  EXPECT_EQ(Ids(), "b");
  EXPECT_THAT(Listed({}), ElementsAre("b", "a"));
}

TEST_F(SummaryStoreTest, ADatabaseOfTheVersionBeforeIsRaisedAndItsSessionsSummarised) {
  Finish("a", 1, "parse", 2);
  Finish("b", 1, "parse", 1);
  Finish("unread", 1, "parse", 3);
  records_.reset();
  Execute("UPDATE sessions SET snapshot = '{' WHERE id = 'unread'");
  MakeItOfSchema5();
  Execute("DROP TABLE summaries; PRAGMA user_version = 4");
  Open();
  EXPECT_EQ(Number("PRAGMA user_version"), kSchemaVersion);
  EXPECT_THAT(Listed({}), ElementsAre("a", "b"));
  Finish("c", 1, "parse");
  Open();
  EXPECT_THAT(Listed({}), ElementsAre("c", "a", "b"));
}

TEST_F(SummaryStoreTest, IsReadAsItWasWritten) {
  GateSummary summary{.session = {"a"},
                      .position = 1,
                      .uid = 2,
                      .ended_at = Timestamp(Nanoseconds(3)),
                      .benchmark = "b",
                      .series = "s",
                      .metric = "m",
                      .unit = "u",
                      .better = Better::kHigher,
                      .reference = "r",
                      .candidate = "c",
                      .reference_commit = Commit{"1", "d"},
                      .candidate_commit = Commit{"2", "e"},
                      .command = kBytes,
                      .labels = {{"k", "v"}},
                      .n_reference = 4,
                      .n_candidate = 5,
                      .mean_reference = 0.1,
                      .mean_candidate = 5e-324,
                      .change = Effect{0.3, 0.2, 0.4},
                      .verdict = Verdict::kRegression,
                      .machine = "x",
                      .kernel = "y",
                      .settings = "z"};
  EXPECT_EQ(SummaryFromJson(SummaryToJson(summary)).value(), summary);
  EXPECT_FALSE(SummaryFromJson(R"({"position": "x"})"));
}

}  // namespace
}  // namespace benchd::store
