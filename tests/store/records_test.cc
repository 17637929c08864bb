#include "daemon/store/records.h"

#include <chrono>
#include <cmath>
#include <iostream>

#include "daemon/store/session_table.h"
#include "tests/store/store_fixture.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;

class RecordsTest : public StoreTest {
 protected:
  void SetUp() override { Open(); }
};

TEST_F(RecordsTest, GivesBackARecordAlsoAfterReopening) {
  const auto inserted = records_->Insert(RichRecord(), Happened("submitted"));
  ASSERT_TRUE(inserted) << inserted.error().message;
  for (int opening = 0; opening < 2; ++opening) {
    Result<SessionRecord> record = records_->Load(RichRecord().snapshot.id);
    ASSERT_TRUE(record) << record.error().message;
    EXPECT_EQ(*record, RichRecord());
    Open();
  }
}

TEST_F(RecordsTest, KeepsTheNewestSnapshot) {
  const SessionId id = Insert("a");
  SessionSnapshot snapshot = RichSnapshot();
  snapshot.id = id;
  Result<void> updated = records_->Update(snapshot, Happened("running"));
  ASSERT_TRUE(updated) << updated.error().message;
  Open();
  EXPECT_EQ(records_->Load(id)->snapshot, snapshot);
}

TEST_F(RecordsTest, ASessionHasTheBenchmarksThatWereFoundInItsProgramsWithTheirEnvironment) {
  SessionRecord record = RichRecord();
  record.spec.benchmarks[0].inner.clear();
  record.snapshot.state = SessionState::kRunning;
  record.snapshot.found = {{.benchmark = 0, .names = {"a", "b"}, .commands = {{"x"}, {"y"}}}};
  ASSERT_TRUE(records_->Insert(record, Happened("submitted")));
  const Result<SessionRecord> loaded = records_->Load(record.snapshot.id);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const std::vector<Benchmark>& benchmarks = loaded->spec.benchmarks;
  ASSERT_EQ(benchmarks.size(), 3U);
  EXPECT_EQ(benchmarks[0].name, "parse/a");
  EXPECT_EQ(benchmarks[1].name, "parse/b");
  EXPECT_EQ(benchmarks[1].arms[0].env.at("TOKEN"), "secret");
  const auto start = records_->LoadAtStart(Timestamp(), 0);
  ASSERT_TRUE(start) << start.error().message;
  ASSERT_EQ(start->unfinished.size(), 1U);
  EXPECT_EQ(start->unfinished[0].record.spec.benchmarks.size(), 3U);
}

TEST_F(RecordsTest, KnowsNoSessionThatWasNeverInserted) {
  const SessionId id{"nobody"};
  std::vector<Error> errors;
  const auto expect_not_found = [&errors](const auto& result) {
    ASSERT_FALSE(result);
    errors.push_back(result.error());
    EXPECT_EQ(errors.back().code, ErrorCode::kNotFound);
    EXPECT_EQ(errors.back().message, errors.front().message);
  };
  expect_not_found(records_->Load(id));
  expect_not_found(records_->Update(PlainRecord("nobody").snapshot, Happened("x")));
  expect_not_found(records_->SetPriority(id, 1, Happened("x")));
  expect_not_found(records_->History(id));
  expect_not_found(records_->DropBlock(id, RunPhase::kMeasured, 0, 0));
  expect_not_found(records_->Append(id, {PlainRun(0, 0)}, {}));
  expect_not_found(records_->LoadRuns(id, 0, 1, kAll));
  expect_not_found(records_->Append(id, {}, "text"));
  expect_not_found(records_->LoadLog(id, SIZE_MAX));
  ASSERT_EQ(errors.size(), 9U);
  EXPECT_WORDING(errors.front());
}

TEST_F(RecordsTest, RefusesASecondSessionWithTheSameId) {
  ASSERT_TRUE(records_->Insert(RichRecord(), Happened("submitted")));
  SessionRecord second = RichRecord();
  second.spec.environment["PATH"] = "/other";
  const auto refused = records_->Insert(second, Happened("submitted"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
  EXPECT_WORDING(refused.error());
  EXPECT_EQ(*records_->Load(second.snapshot.id), RichRecord());
}

TEST_F(RecordsTest, LoadsAllInTheOrderInWhichTheyWereInserted) {
  Insert("c", 30);
  Insert("z", 10);
  Insert("a", 10);
  Insert("b", 20);
  Open();
  EXPECT_EQ(Ids(), "czab");
}

TEST_F(RecordsTest, TellsWhatHappenedToASessionInOrderAlsoAfterReopening) {
  const SessionId id{"a"};
  ASSERT_TRUE(records_->Insert(PlainRecord("a"), Happened("submitted by uid 1", 5)));
  Insert("b");
  ASSERT_TRUE(records_->SetPriority(id, 7, Happened("moved to priority 7", 4)));
  Open();
  SessionSnapshot running = PlainRecord("a").snapshot;
  running.state = SessionState::kRunning;
  ASSERT_TRUE(records_->Update(running, Happened(kBytes, 6)));
  Open();
  EXPECT_EQ(History(id),
            (std::vector<HistoryEntry>{Happened("submitted by uid 1", 5),
                                       Happened("moved to priority 7", 4), Happened(kBytes, 6)}));
  EXPECT_EQ(History(SessionId{"b"}), std::vector<HistoryEntry>{Happened("submitted")});
}

TEST_F(RecordsTest, ChangesAPriorityAndNothingElse) {
  Insert(RichRecord());
  ASSERT_TRUE(records_->SetPriority(RichRecord().snapshot.id, -3, Happened("moved")));
  SessionRecord expected = RichRecord();
  expected.spec.priority = -3;
  EXPECT_EQ(*records_->Load(expected.snapshot.id), expected);
}

TEST_F(RecordsTest, ChangesNothingWhenTheHistoryCannotBeWritten) {
  const SessionId id = Insert("a");
  Execute("CREATE TRIGGER refuse BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END");
  EXPECT_FALSE(records_->Insert(RichRecord(), Happened("submitted")));
  EXPECT_FALSE(records_->Update(Ended(id, 1), Happened("done")));
  EXPECT_FALSE(records_->SetPriority(id, 1, Happened("moved")));
  EXPECT_EQ(ModeOf(environment_), -1);
  const Records::AtStart contents = AtStart();
  ASSERT_EQ(contents.unfinished.size(), 1U);
  EXPECT_EQ(contents.unfinished[0].record, PlainRecord("a"));
}

TEST_F(RecordsTest, RemembersWhetherTheQueueIsPausedOrDraining) {
  EXPECT_EQ(AtStart().mode, QueueMode{});
  for (const QueueMode mode : {QueueMode{true, false}, QueueMode{false, true}, QueueMode{}}) {
    Result<void> kept = records_->KeepMode(mode);
    ASSERT_TRUE(kept) << kept.error().message;
    Open();
    EXPECT_EQ(AtStart().mode, mode);
  }
}

/// Directly into the table in one transaction, because the test is not about inserting.
Result<void> FillWithSessions(Database& database, int count) {
  SessionTable table(database);
  Result<Transaction> transaction = Transaction::Begin(database);
  if (!transaction) return std::move(transaction).error();
  for (int i = 0; i < count; ++i) {
    SessionRecord record = i % 100 == 0 ? RichRecord() : PlainRecord({});
    record.snapshot.id.value = std::to_string(i);
    record.snapshot.submitted_at = Timestamp(Nanoseconds(i));
    TRY_VOID(table.Insert(record));
  }
  return transaction->Commit();
}

TEST_F(RecordsTest, LoadsTenThousandSessionsWithinASecondOrSo) {
  Result<void> filled = FillWithSessions(*Connect(), 10000);
  ASSERT_TRUE(filled) << filled.error().message;
  const auto begun = std::chrono::steady_clock::now();
  const std::vector<StoredSession> sessions = AtStart().unfinished;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::cout << "10,000 sessions loaded in " << took.count() << " s\n";
  // Ten times the usual value, so that a busy machine does not matter.
  EXPECT_LT(took.count(), 20);
  ASSERT_EQ(sessions.size(), 10000U);
  EXPECT_EQ(sessions[9900].record.spec, RichSpec());
  EXPECT_EQ(sessions[9900].record.snapshot.report, RichSnapshot().report);
  EXPECT_EQ(sessions[9999].record.snapshot.id.value, "9999");
}

TEST_F(RecordsTest, KnowsAtTheStartWhoHadTheMachineWhenAndWhoSubmitted) {
  constexpr Nanoseconds kDay = std::chrono::hours(24);
  const auto ran = [this](const std::string& id, std::uint32_t uid, Nanoseconds start) {
    SessionRecord record = PlainRecord(id, start.count());
    record.spec.caller.uid = uid;
    Insert(record);
    SessionSnapshot snapshot = Ended({id}, (start + Nanoseconds(10)).count());
    snapshot.submitted_at = Timestamp(start);
    snapshot.started_at = Timestamp(start);
    snapshot.held = Nanoseconds(7);
    ASSERT_TRUE(records_->Update(snapshot, Happened("done")));
  };
  ran("a", 1, Nanoseconds(100));
  ran("b", 2, Nanoseconds(200));
  ran("c", 3, kDay);
  ran("d", 1, 2 * kDay);
  Insert("never-began", (2 * kDay).count() + 1);
  const Records::AtStart start =
      records_->LoadAtStart(Timestamp(kDay + Nanoseconds(20)), 1).value();
  EXPECT_THAT(start.turns, testing::ElementsAre(2, 3, 1));
  EXPECT_THAT(start.times, testing::ElementsAre(MachineTime{
                               1, Timestamp(2 * kDay + Nanoseconds(10)), Nanoseconds(7)}));
  EXPECT_THAT(start.submissions,
              testing::ElementsAre(testing::Pair(1, Timestamp(2 * kDay)),
                                   testing::Pair(0, Timestamp(2 * kDay + Nanoseconds(1)))));
  EXPECT_EQ(records_->LoadAtStart(Timestamp(2 * kDay), 3)->times.size(), 3U);
  EXPECT_EQ(records_->LoadAtStart(Timestamp(2 * kDay), 99)->times.size(), 4U);
  EXPECT_EQ(start.unfinished.size(), 1U);
}

TEST_F(RecordsTest, ListsTheEndedByStateByLabelAndPageByPage) {
  for (const char* id : {"a", "b", "c", "d"}) {
    SessionRecord record = PlainRecord(id);
    record.spec.caller.uid = id[0] == 'b' ? 2 : 1;
    record.spec.labels = {{"branch", "main"}, {"letter", id}};
    Insert(record);
    if (id[0] != 'd') End({id}, 1);
  }
  SessionSnapshot cancelled = PlainRecord("d").snapshot;
  cancelled.state = SessionState::kCancelled;
  ASSERT_TRUE(records_->Update(cancelled, Happened("cancelled")));
  Insert("waits");
  const auto ids = [this](const SessionFilter& filter) {
    std::string listed;
    for (const SessionView& view : ListEnded(filter)) listed += view.id.value;
    return listed;
  };
  EXPECT_EQ(ids({}), "dcba");
  EXPECT_EQ(ids({.before = 3, .limit = 1}), "b");
  EXPECT_EQ(ids({.state = SessionState::kDone}), "cba");
  EXPECT_EQ(ids({.state = SessionState::kQueued}), "");
  EXPECT_EQ(ids({.labels = {{"branch", "main"}}}), "dcba");
  EXPECT_EQ(ids({.labels = {{"branch", "main"}}, .owner = 1}), "dca");
  EXPECT_EQ(ids({.labels = {{"branch", "main"}}, .before = 4, .limit = 2}), "cb");
  EXPECT_EQ(ids({.state = SessionState::kDone, .labels = {{"branch", "main"}, {"letter", "c"}}}),
            "c");
  EXPECT_EQ(ids({.labels = {{"branch", "main"}, {"letter", "z"}}}), "");
  const SessionView first = ListEnded({.limit = 1}).at(0);
  EXPECT_EQ(first, (SessionView{4, {"d"}, SessionState::kCancelled, 1}));
}

TEST_F(RecordsTest, ListsByAnIndexWhateverIsAskedFor) {
  const std::string by_label = "SEARCH labels USING PRIMARY KEY (name=? AND value=? AND session<?)";
  EXPECT_EQ(PlanOf(SelectEnded({})), "SEARCH sessions USING INTEGER PRIMARY KEY (rowid<?)");
  EXPECT_EQ(PlanOf(SelectEnded({.state = SessionState::kDone})),
            "SEARCH sessions USING INDEX sessions_by_state (state=? AND rowid<?)");
  for (const std::optional<std::uint32_t> owner : {std::optional<std::uint32_t>(), {1}}) {
    for (const std::optional<SessionState> state : {std::optional<SessionState>(), {}}) {
      const std::string plan =
          PlanOf(SelectEnded({.state = state, .labels = {{"branch", "main"}}, .owner = owner}));
      EXPECT_THAT(plan, testing::StartsWith(by_label));
      EXPECT_THAT(plan, testing::EndsWith("SEARCH sessions USING INTEGER PRIMARY KEY (rowid=?)"));
      EXPECT_THAT(plan, testing::Not(testing::HasSubstr("TEMP B-TREE")));
    }
  }
}

TEST_F(RecordsTest, FindsTheEndedByTheirIdsAndRequests) {
  for (const char* id : {"ab", "abc", "abd", "xyz"}) {
    SessionRecord record = PlainRecord(id);
    record.spec.caller.uid = id == std::string("ab") ? 2 : 1;
    record.request_id = "request of " + record.snapshot.id.value;
    Insert(record);
    End({id}, 1);
  }
  Insert("abwaits");
  const auto found = [this](const std::string& prefix, std::optional<std::uint32_t> owner) {
    std::string ids;
    const auto views = records_->FindEnded(prefix, owner).value();
    for (const SessionView& view : views) ids += view.id.value + " ";
    return ids;
  };
  EXPECT_EQ(found("ab", std::nullopt), "ab abc abd ");
  EXPECT_EQ(found("ab", 1), "ab abc abd ") << "that it is another's is told of a whole id";
  EXPECT_EQ(found("a", 1), "abc abd ");
  EXPECT_EQ(found("a", 3), "");
  EXPECT_EQ(found("abx", 1), "");
  EXPECT_EQ(records_->OfRequest(1, "request of abc").value(), SessionId{"abc"});
  EXPECT_EQ(records_->OfRequest(2, "request of abc").value(), std::nullopt);
  EXPECT_EQ(records_->OfRequest(1, "").value(), std::nullopt);
}

TEST_F(RecordsTest, ListsAnEndedSessionThatCannotBeRead) {
  Insert("a", 1);
  End({"a"}, 2);
  Execute("UPDATE sessions SET spec = substr(spec, 1, 100)");
  Open();
  EXPECT_THAT(AtStart().warnings, testing::IsEmpty());
  EXPECT_EQ(ListEnded().size(), 1U);
  const Result<SessionRecord> unread = records_->Load({"a"});
  ASSERT_FALSE(unread);
  EXPECT_THAT(unread.error().message, HasSubstr("session a: spec: "));
  EXPECT_WORDING(unread.error());
}

TEST_F(RecordsTest, LeavesASessionThatCannotBeReadAndLoadsTheOthers) {
  Insert("a", 1);
  Insert(RichRecord());
  Insert("c", 3);
  Execute("UPDATE sessions SET snapshot = replace(snapshot, '\"running\"', '\"asleep\"')");
  Open();
  const Records::AtStart contents = AtStart();
  ASSERT_EQ(contents.unfinished.size(), 2U);
  EXPECT_EQ(contents.unfinished[1].record.snapshot.id.value, "c");
  ASSERT_EQ(contents.warnings.size(), 1U);
  EXPECT_THAT(contents.warnings[0], HasSubstr("session 0123abcd: snapshot: state: "));
  EXPECT_WORDING(contents.warnings[0], Places());
  // Once an administrator has repaired it, it is complete: its environment was kept, too.
  EXPECT_EQ(ModeOf(environment_), 0600);
  Execute("UPDATE sessions SET snapshot = replace(snapshot, '\"asleep\"', '\"running\"')");
  EXPECT_EQ(*records_->Load(RichRecord().snapshot.id), RichRecord());
}

TEST_F(RecordsTest, DropsTheRunsOfOneBlockOfOneBenchmarkInOnePhase) {
  const SessionId id = Insert("a");
  const SessionId other = Insert("b");
  std::vector<benchd::Run> runs{PlainRun(0, 0), PlainRun(1, 0), PlainRun(1, 1),
                                PlainRun(1, 0), PlainRun(1, 1), PlainRun(1, 0)};
  runs[3].phase = RunPhase::kWarmup;
  runs[4].benchmark = 1;
  runs[5].phase = RunPhase::kConfirming;
  Append(id, runs);
  Append(other, runs);
  Result<void> dropped = records_->DropBlock(id, RunPhase::kMeasured, 0, 1);
  ASSERT_TRUE(dropped) << dropped.error().message;
  EXPECT_EQ(Runs(other), runs);
  runs[1].phase = RunPhase::kDropped;
  runs[2].phase = RunPhase::kDropped;
  EXPECT_EQ(Runs(id), runs);
  // The block is repeated, interrupted and repeated again.
  for (int round = 0; round < 2; ++round) {
    Append(id, {PlainRun(1, 0)});
    runs.push_back(PlainRun(1, 0));
    EXPECT_EQ(Runs(id), runs);
    ASSERT_TRUE(records_->DropBlock(id, RunPhase::kMeasured, 0, 1));
    runs.back().phase = RunPhase::kDropped;
  }
  EXPECT_EQ(Runs(id), runs);
  ASSERT_TRUE(records_->DropBlock(id, RunPhase::kConfirming, 0, 1));
  runs[5].phase = RunPhase::kDropped;
  EXPECT_EQ(Runs(id), runs);
}

TEST_F(RecordsTest, GivesBackRunsEqualToThoseAppended) {
  const SessionId id = Insert("a");
  Result<void> appended = records_->Append(id, RichRuns(), {});
  ASSERT_TRUE(appended) << appended.error().message;
  for (int opening = 0; opening < 2; ++opening) {
    const std::vector<benchd::Run> runs = Runs(id);
    EXPECT_EQ(runs, RichRuns());
    ASSERT_FALSE(runs.empty());
    EXPECT_TRUE(std::signbit(runs[0].samples[0].value));
    Open();
  }
}

TEST_F(RecordsTest, GoesOnCountingAfterReopening) {
  const SessionId id = Insert("a");
  std::vector<benchd::Run> all;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(records_->Append(id, RichRuns(), {}));
    for (const benchd::Run& run : RichRuns()) all.push_back(run);
    Open();
  }
  EXPECT_EQ(Runs(id), all);
}

TEST_F(RecordsTest, KeepsTheRunsOfSessionsApart) {
  const SessionId a = Insert("a");
  const SessionId b = Insert("b");
  for (std::uint64_t block = 0; block < 3; ++block) {
    ASSERT_TRUE(records_->Append(a, {PlainRun(block, 0)}, {}));
    ASSERT_TRUE(records_->Append(b, RichRuns(), {}));
  }
  EXPECT_EQ(Runs(a), (std::vector<benchd::Run>{PlainRun(0, 0), PlainRun(1, 0), PlainRun(2, 0)}));
  EXPECT_EQ(Runs(b).size(), 3 * RichRuns().size());
}

TEST_F(RecordsTest, LoadsRunsPageByPage) {
  const SessionId id = Insert("a");
  std::vector<benchd::Run> all;
  for (std::uint64_t block = 0; block < 25; ++block) {
    all.push_back(PlainRun(block, 0));
    all.push_back(PlainRun(block, 1));
    ASSERT_TRUE(records_->Append(id, {all.end()[-2], all.end()[-1]}, {}));
  }
  std::vector<benchd::Run> read;
  for (;;) {
    const std::vector<benchd::Run> page = Runs(id, read.size(), 7);
    if (page.empty()) break;
    EXPECT_LE(page.size(), 7U);
    read.insert(read.end(), page.begin(), page.end());
  }
  EXPECT_EQ(read, all);
  EXPECT_TRUE(Runs(id, 0, 0).empty());
  EXPECT_TRUE(Runs(id, kAll, kAll).empty());
  EXPECT_EQ(Runs(id, 49, kAll), std::vector<benchd::Run>{all.back()});
}

TEST_F(RecordsTest, LoadsNoMoreAtOnceThanFewRunsOfManySamplesTake) {
  constexpr std::uint64_t kSamples = 10'000;
  const SessionId id = Insert("a");
  benchd::Run large = PlainRun(0, 0);
  large.samples.assign(kSamples, {"a name that is longer than a string holds itself", "", 0, 1.0});
  Append(id, {large, large, PlainRun(1, 0), large});
  const std::uint64_t bytes = kSamples * sizeof(Sample);
  EXPECT_EQ(Runs(id, 0, kAll, 1), std::vector<benchd::Run>{large}) << "at least one";
  EXPECT_EQ(Runs(id, 0, kAll, bytes).size(), 1U);
  EXPECT_EQ(Runs(id, 1, kAll, 2 * bytes), (std::vector<benchd::Run>{large, PlainRun(1, 0), large}));
  EXPECT_EQ(Runs(id, 1, 2, 2 * bytes).size(), 2U);
  EXPECT_TRUE(Runs(id, 4, kAll, bytes).empty());
}

TEST_F(RecordsTest, LeavesNothingOfABlockWhoseSecondRunFails) {
  const SessionId id = Insert("a");
  ASSERT_TRUE(records_->Append(id, {PlainRun(0, 0)}, {}));
  Execute(
      "CREATE TRIGGER refuse BEFORE INSERT ON runs WHEN NEW.position = 1"
      " BEGIN SELECT RAISE(ABORT, 'no second run'); END");
  // The first run adds a new metric and a new list.
  benchd::Run fresh = RichRuns()[0];
  fresh.position = 0;
  Result<void> refused = records_->Append(id, {fresh, PlainRun(1, 1)}, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no second run"));
  EXPECT_EQ(Runs(id), std::vector<benchd::Run>{PlainRun(0, 0)});
  // Nothing of it is remembered: the same block is accepted as a whole.
  Execute("DROP TRIGGER refuse");
  ASSERT_TRUE(records_->Append(id, {fresh, PlainRun(1, 1)}, {}));
  EXPECT_EQ(Runs(id), (std::vector<benchd::Run>{PlainRun(0, 0), fresh, PlainRun(1, 1)}));
}

TEST_F(RecordsTest, KeepsRunsAndWhatTheyPrintedOrNeither) {
  const SessionId id = Insert("a");
  Execute("CREATE TRIGGER refuse BEFORE INSERT ON logs BEGIN SELECT RAISE(ABORT, 'no log'); END");
  EXPECT_FALSE(records_->Append(id, {PlainRun(0, 0)}, "printed\n"));
  EXPECT_TRUE(Runs(id).empty());
  Execute("DROP TRIGGER refuse");
  ASSERT_TRUE(records_->Append(id, {PlainRun(0, 0)}, "printed\n"));
  EXPECT_EQ(Runs(id).size(), 1U);
  EXPECT_EQ(records_->LoadLog(id, SIZE_MAX)->text, "printed\n");
}

TEST_F(RecordsTest, RefusesABlockWithAValueThatIsNoNumber) {
  const SessionId id = Insert("a");
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    benchd::Run bad = PlainRun(0, 1);
    bad.samples.back().value = value;
    Result<void> refused = records_->Append(id, {PlainRun(0, 0), bad}, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr(bad.samples.back().metric));
    EXPECT_WORDING(refused.error());
    EXPECT_TRUE(Runs(id).empty());
  }
}

TEST_F(RecordsTest, KeepsALogInOrderWithEveryByte) {
  const SessionId id = Insert("a");
  EXPECT_EQ(records_->LoadLog(id, SIZE_MAX)->text, "");
  ASSERT_TRUE(records_->Append(id, {}, "one\n"));
  ASSERT_TRUE(records_->Append(Insert("b"), {}, "another's\n"));
  ASSERT_TRUE(records_->Append(id, {}, kBytes));
  Open();
  EXPECT_EQ(records_->LoadLog(id, SIZE_MAX)->text, "one\n" + kBytes);
}

TEST_F(RecordsTest, ReadsNoMoreOfALogThanIsAskedFor) {
  const SessionId id = Insert("a");
  for (const char* text : {"one\n", "two\n", "three\n"}) {
    ASSERT_TRUE(records_->Append(id, {}, text));
  }
  for (const auto& [most, expected] : {std::pair<std::size_t, std::string>{0, ""},
                                       {6, "three\n"},
                                       {8, "o\nthree\n"},
                                       {14, "one\ntwo\nthree\n"},
                                       {15, "one\ntwo\nthree\n"}}) {
    const Result<LogTail> tail = records_->LoadLog(id, most);
    ASSERT_TRUE(tail) << tail.error().message;
    EXPECT_EQ(tail->text, expected);
    EXPECT_EQ(tail->left_out, 14 - expected.size());
  }
}

TEST_F(RecordsTest, AnEndIsStoredAlsoWhereTheEnvironmentCannotBeDeleted) {
  Insert(RichRecord());
  const SessionId id = RichRecord().snapshot.id;
  // unlink(2) fails for this, for every user.
  ASSERT_TRUE(std::filesystem::remove(environment_));
  ASSERT_TRUE(std::filesystem::create_directory(environment_));
  const Result<void> ended = records_->Update(Ended(id, 1), Happened("done"));
  EXPECT_TRUE(ended) << "committed: " << ended.error().message;
  const Result<std::vector<HistoryEntry>> history = records_->History(id);
  ASSERT_TRUE(history);
  ASSERT_GE(history->size(), 2U);
  EXPECT_EQ((*history)[history->size() - 2].what, "done");
  EXPECT_THAT(history->back().what, HasSubstr(environment_.string()));
  EXPECT_WORDING(history->back().what, Places());
}

}  // namespace
}  // namespace benchd::store
