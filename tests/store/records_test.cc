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
  Result<void> inserted = records_->Insert(RichRecord(), Happened("submitted"));
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

TEST_F(RecordsTest, KnowsNoSessionThatWasNeverInserted) {
  const SessionId id{"nobody"};
  const auto not_found = [](const auto& result) {
    return !result && result.error().code == ErrorCode::kNotFound &&
           result.error().message == "session nobody: not in the store";
  };
  EXPECT_TRUE(not_found(records_->Load(id)));
  EXPECT_TRUE(not_found(records_->Update(PlainRecord("nobody").snapshot, Happened("x"))));
  EXPECT_TRUE(not_found(records_->SetPriority(id, 1, Happened("x"))));
  EXPECT_TRUE(not_found(records_->History(id)));
  EXPECT_TRUE(not_found(records_->DropBlock(id, 0, 0)));
  EXPECT_TRUE(not_found(records_->Append(id, {PlainRun(0, 0)}, {})));
  EXPECT_TRUE(not_found(records_->LoadRuns(id, 0, 1, kAll)));
  EXPECT_TRUE(not_found(records_->Append(id, {}, "text")));
  EXPECT_TRUE(not_found(records_->LoadLog(id, SIZE_MAX)));
}

TEST_F(RecordsTest, RefusesASecondSessionWithTheSameId) {
  ASSERT_TRUE(records_->Insert(RichRecord(), Happened("submitted")));
  SessionRecord second = RichRecord();
  second.spec.environment["PATH"] = "/other";
  Result<void> refused = records_->Insert(second, Happened("submitted"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(refused.error().message, "session 0123abcd: exists already");
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
  const Records::All contents = All();
  ASSERT_EQ(contents.sessions.size(), 1U);
  EXPECT_EQ(contents.sessions[0].record, PlainRecord("a"));
}

TEST_F(RecordsTest, RemembersWhetherTheQueueIsPausedOrDraining) {
  EXPECT_EQ(All().mode, QueueMode{});
  for (const QueueMode mode : {QueueMode{true, false}, QueueMode{false, true}, QueueMode{}}) {
    Result<void> kept = records_->KeepMode(mode);
    ASSERT_TRUE(kept) << kept.error().message;
    Open();
    EXPECT_EQ(All().mode, mode);
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
    if (Result<void> inserted = table.Insert(record); !inserted) return inserted;
  }
  return transaction->Commit();
}

TEST_F(RecordsTest, LoadsTenThousandSessionsWithinASecondOrSo) {
  Result<void> filled = FillWithSessions(*Connect(), 10000);
  ASSERT_TRUE(filled) << filled.error().message;
  const auto begun = std::chrono::steady_clock::now();
  const std::vector<StoredSession> sessions = All().sessions;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  std::cout << "10,000 sessions loaded in " << took.count() << " s\n";
  // Ten times the usual value, so that a busy machine does not matter.
  EXPECT_LT(took.count(), 20);
  ASSERT_EQ(sessions.size(), 10000U);
  EXPECT_EQ(sessions[9900].record->spec, RichSpec());
  EXPECT_EQ(sessions[9900].record->snapshot.report, RichSnapshot().report);
  EXPECT_EQ(sessions[9999].head.id.value, "9999");
}

TEST_F(RecordsTest, ReadsNoMoreThanTheHeadOfWhatHasEnded) {
  SessionRecord rich = RichRecord();
  rich.spec.labels["bytes"] = "\xff";
  Insert(rich);
  SessionSnapshot ended = RichSnapshot();
  ended.state = SessionState::kFailed;
  ended.started_at = Timestamp(Nanoseconds(2));
  ended.ended_at = Timestamp(Nanoseconds(3));
  ASSERT_TRUE(records_->Update(ended, Happened("failed")));
  Insert("never-began");
  SessionSnapshot cancelled = PlainRecord("never-began").snapshot;
  cancelled.state = SessionState::kCancelled;
  cancelled.ended_at = Timestamp(Nanoseconds(4));
  ASSERT_TRUE(records_->Update(cancelled, Happened("cancelled")));
  Insert("waits");
  // The table before labels were introduced.
  Execute("UPDATE sessions SET spec = replace(spec, '\"labels\":[],', '')");
  Open();
  const Records::All contents = All();
  EXPECT_THAT(contents.warnings, testing::IsEmpty());
  ASSERT_EQ(contents.sessions.size(), 3U);
  for (const StoredSession& session : contents.sessions) {
    EXPECT_EQ(session.head, HeadOf(*records_->Load(session.head.id))) << session.head.id.value;
    EXPECT_EQ(session.record.has_value(), session.head.id.value == "waits");
  }
  EXPECT_EQ(contents.sessions[0].head.labels.at("bytes"), "\xff");
  EXPECT_EQ(contents.sessions[1].head.started_at, std::nullopt);
}

TEST_F(RecordsTest, NamesAnEndedSessionThatIsNoJson) {
  for (const char* id : {"a", "b", "c", "d"}) {
    Insert(id, 1);
    End({id}, 2);
  }
  Execute("UPDATE sessions SET spec = substr(spec, 1, 100) WHERE id = 'a'");
  Execute("UPDATE sessions SET snapshot = '' WHERE id = 'b'");
  Execute(
      "UPDATE sessions SET spec = replace(spec, '\"labels\":[]', '\"labels\":5') WHERE id = 'c'");
  const Records::All contents = All();
  EXPECT_EQ(Ids(), "d");
  const std::string left = "; left as it is in " + database_.string();
  EXPECT_THAT(contents.warnings,
              testing::ElementsAre("stored session a: spec: not JSON" + left,
                                   "stored session b: snapshot: not JSON" + left,
                                   "stored session c: labels: document: not a list" + left));
}

TEST_F(RecordsTest, LeavesASessionThatCannotBeReadAndLoadsTheOthers) {
  Insert("a", 1);
  Insert(RichRecord());
  Insert("c", 3);
  Execute("UPDATE sessions SET snapshot = replace(snapshot, '\"running\"', '\"asleep\"')");
  Open();
  const Records::All contents = All();
  EXPECT_EQ(Ids(), "ac");
  EXPECT_THAT(contents.warnings,
              testing::ElementsAre("stored session 0123abcd: snapshot: state: unknown name"
                                   " 'asleep'; left as it is in " +
                                   database_.string()));
  // Once an administrator has repaired it, it is complete: its environment was kept, too.
  EXPECT_EQ(ModeOf(environment_), 0600);
  Execute("UPDATE sessions SET snapshot = replace(snapshot, '\"asleep\"', '\"running\"')");
  EXPECT_EQ(*records_->Load(RichRecord().snapshot.id), RichRecord());
}

TEST_F(RecordsTest, DropsTheMeasuredRunsOfOneBlockOfOneBenchmark) {
  const SessionId id = Insert("a");
  const SessionId other = Insert("b");
  std::vector<benchd::Run> runs{PlainRun(0, 0), PlainRun(1, 0), PlainRun(1, 1), PlainRun(1, 0),
                                PlainRun(1, 1)};
  runs[3].phase = RunPhase::kWarmup;
  runs[4].benchmark = 1;
  Append(id, runs);
  Append(other, runs);
  Result<void> dropped = records_->DropBlock(id, 0, 1);
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
    ASSERT_TRUE(records_->DropBlock(id, 0, 1));
    runs.back().phase = RunPhase::kDropped;
  }
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
    EXPECT_EQ(refused.error().message,
              "metric " + bad.samples.back().metric + ": a value is not a finite number");
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
  EXPECT_TRUE(history->back().what.starts_with("its environment could not be deleted: "))
      << history->back().what;
}

}  // namespace
}  // namespace benchd::store
