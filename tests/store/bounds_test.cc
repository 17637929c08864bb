// Limits on the data that one user may store, and stores that exceed them.

#include <algorithm>
#include <chrono>
#include <string>

#include "core/model/labels.h"
#include "daemon/store/json_codec.h"
#include "tests/store/store_fixture.h"
#include "tests/support/cpu_time.h"

namespace benchd::store {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kBoundMib = std::uint64_t{1} << 20;

/// A store of release 0.2.0, which accepted request ids and labels of any size. SQL creates its
/// rows, because that release is not available.
class OldReleaseTest : public StoreTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override { Open(); }

  void Write(const SessionRecord& record) {
    std::unique_ptr<Database> database = Connect();
    const SessionSnapshot& snapshot = record.snapshot;
    const std::string spec = SpecToJson(record.spec);
    const std::string state = SnapshotToJson(snapshot);
    Statement insert(*database,
                     "INSERT INTO sessions (id, request_id, uid, state, submitted_at_ns,"
                     " ended_at_ns, spec, snapshot, bytes) VALUES (?, ?, 7, ?, 1, 2, ?, ?, ?)");
    Result<void> done = insert.Run(snapshot.id.value, record.request_id, NameOf(snapshot.state),
                                   spec, state, spec.size() + state.size());
    ASSERT_TRUE(done) << done.error().message;
  }
  static SessionRecord Ended(const std::string& id, SessionState state) {
    SessionRecord record = PlainRecord(id, 1);
    record.spec.caller.uid = 7;
    record.snapshot.state = state;
    record.snapshot.ended_at = Timestamp(Nanoseconds(2));
    return record;
  }
  /// A missing program, with an id of 4 MiB.
  static SessionRecord Failed(const std::string& id) {
    SessionRecord record = Ended(id, SessionState::kFailed);
    record.request_id = id + std::string(4 * kBoundMib, 'r');
    return record;
  }
  static SessionRecord Cancelled(const std::string& id) {
    SessionRecord record = Ended(id, SessionState::kCancelled);
    for (int label = 0; label < 6500; ++label) {
      record.spec.labels["label " + std::to_string(label)] = std::string(100, 'l');
    }
    return record;
  }
  void MakeItOfVersion(int version) {
    MakeItOfSchema5();
    if (version < 5) Execute("DROP TABLE summaries");
    Execute("PRAGMA user_version = " + std::to_string(version));
  }
};

TEST_P(OldReleaseTest, OpensGivesItsMemoryBackAndLosesNoSession) {
  std::string ids;
  for (int number = 0; number < 3; ++number) {
    const std::string id(1, static_cast<char>('a' + number));
    Write(Failed(id));
    ids += id;
  }
  Write(Cancelled("m"));
  Write(Cancelled("n"));
  SessionRecord modest = Ended("z", SessionState::kDone);
  modest.request_id = std::string(kMaxRequestIdBytes, 'r');
  modest.spec.labels = {{"branch", "main"}};
  Write(modest);
  MakeItOfVersion(GetParam());

  Open();
  EXPECT_TRUE(AtStart().warnings.empty());
  EXPECT_TRUE(AtStart().unfinished.empty());
  EXPECT_EQ(Ids(), ids + "mnz");
  EXPECT_EQ(ListEnded().size(), 6U);
  EXPECT_EQ(records_->OfRequest(7, modest.request_id).value(), modest.snapshot.id);
  ASSERT_EQ(ListEnded({.labels = modest.spec.labels}).size(), 1U);
  EXPECT_EQ(Number("SELECT count(*) FROM labels"), 1);
  // All values of the submission can still be read.
  EXPECT_EQ(records_->Load({"m"})->spec, Cancelled("m").spec);
  EXPECT_EQ(records_->Load({"a"})->snapshot, Failed("a").snapshot);
  // The ids are removed from the file, too: it does not grow until their space is reused.
  EXPECT_EQ(Number("SELECT sum(length(request_id)) FROM sessions"), 64);
}

INSTANTIATE_TEST_SUITE_P(Versions, OldReleaseTest, testing::Values(4, 5));

class BoundsTest : public StoreTest {
 protected:
  void SetUp() override { OpenWith({}); }

  void OpenWith(const StoreLimits& limits, DiskSpace space = {}) {
    records_.reset();
    StoreOptions options = Options();
    options.limits = limits;
    options.disk = [space](const std::string&) { return space; };
    Result<Records> records = Records::Open(state_, options);
    ASSERT_TRUE(records) << records.error().message;
    records_.emplace(std::move(*records));
  }
  Result<void> Print(const std::string& text) { return records_->Append({"a"}, {}, text); }
  LogTail Log() { return records_->LoadLog({"a"}, 1000).value(); }
};

TEST_F(BoundsTest, ChargesEveryByteOfASessionThatFailedToItsUser) {
  SessionRecord record = PlainRecord("a");
  record.request_id = std::string(64, 'r');
  Insert(record);
  const std::int64_t waiting = Number("SELECT bytes FROM sessions");
  EXPECT_GE(waiting, 64 + Number("SELECT length(spec) + length(snapshot) FROM sessions"));
  SessionSnapshot failed = record.snapshot;
  failed.state = SessionState::kFailed;
  failed.ended_at = Timestamp(Nanoseconds(1));
  const std::string reason(1000, 'x');
  ASSERT_TRUE(records_->Update(failed, Happened(reason)));
  EXPECT_GE(Number("SELECT bytes FROM sessions"), waiting + 1000);
}

TEST_F(BoundsTest, ChargesWhatRunsAreCalled) {
  Insert("a");
  benchd::Run run = PlainRun(0, 0);
  run.samples.front().metric = std::string(5000, 'm');
  run.metrics = {{.name = std::string(7000, 'n')}};
  Append({"a"}, {run});
  End({"a"}, 1);
  EXPECT_GE(Number("SELECT bytes FROM sessions"), 5000 + 7000);
}

TEST_F(BoundsTest, KeepsTheNewestOfALogAndSaysHowMuchIsGone) {
  OpenWith({.log_bytes = 100});
  Insert("a");
  for (char letter = 'a'; letter <= 'z'; ++letter) ASSERT_TRUE(Print(std::string(10, letter)));
  const LogTail log = Log();
  EXPECT_LE(log.text.size(), 100U);
  EXPECT_GE(log.text.size(), 80U);
  EXPECT_EQ(log.left_out + log.text.size(), 260U);
  EXPECT_TRUE(log.text.ends_with(std::string(10, 'y') + std::string(10, 'z')));
  EXPECT_LE(Number("SELECT sum(length(text)) FROM logs"), 100 + 10);

  // A continuation in another process knows the deleted ones.
  OpenWith({.log_bytes = 100});
  ASSERT_TRUE(Print(std::string(90, '1')));
  EXPECT_EQ(Log().left_out + Log().text.size(), 350U);
  EXPECT_LE(Log().text.size(), 100U);
  // A piece that alone is too long.
  ASSERT_TRUE(Print(std::string(1000, '2')));
  EXPECT_EQ(Log().text, std::string(100, '2'));
  EXPECT_EQ(Log().left_out, 1250U);
}

TEST_F(BoundsTest, KeepsTheLogsOfOthersWhenOneIsCutAndLeavesNothingOfADeletedOne) {
  OpenWith({.log_bytes = 100});
  Insert("b");
  Insert("a");
  ASSERT_TRUE(records_->Append({"b"}, {}, "other"));
  ASSERT_TRUE(Print(std::string(500, 'x')));
  EXPECT_EQ(records_->LoadLog({"b"}, 1000)->text, "other");
  EXPECT_EQ(records_->LoadLog({"b"}, 1000)->left_out, 0U);
  End({"a"}, 1);
  End({"b"}, 2);
  ASSERT_TRUE(records_->Prune({.age = Nanoseconds(1)}, Timestamp(Nanoseconds(1000))));
  EXPECT_EQ(Ids(), "b");
  EXPECT_EQ(Number("SELECT count(*) FROM logs"), 1);
}

TEST_F(BoundsTest, RefusesMoreOfOneSessionThanItMayTake) {
  OpenWith({.session_bytes = 1200});
  Insert("a");
  Append({"a"}, {PlainRun(0, 0), PlainRun(0, 1)});
  const Result<void> refused =
      records_->Append({"a"}, {PlainRun(1, 0), PlainRun(1, 1), PlainRun(2, 0)}, {});
  ASSERT_FALSE(refused);
  // Unlike a full disk, which the session waits for.
  EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(refused.error());
  EXPECT_EQ(Runs({"a"}).size(), 2U);
  // The same in the next process.
  OpenWith({.session_bytes = 1200});
  EXPECT_FALSE(records_->Append({"a"}, {PlainRun(1, 0), PlainRun(1, 1), PlainRun(2, 0)}, {}));
  Append({"a"}, {PlainRun(1, 0), PlainRun(1, 1)});
}

// A program may print different names in each run.
TEST_F(BoundsTest, CountsTheNamesOfMetricsAsTheyCome) {
  const auto run = [](std::uint64_t block) {
    benchd::Run made = PlainRun(block, 0);
    const std::string name = std::to_string(block) + std::string(200, 'x');
    made.samples = {{name, "", 0, 1.0}};
    made.metrics = {{name, "s", Better::kLower, 0}};
    return made;
  };
  const auto last_taken = [&, this] {
    for (std::uint64_t block = 0; block < 100; ++block) {
      const Result<void> taken = records_->Append({"a"}, {run(block)}, {});
      if (taken) continue;
      EXPECT_EQ(taken.error().code, ErrorCode::kFailedPrecondition);
      EXPECT_WORDING(taken.error());
      return block;
    }
    return std::uint64_t{100};
  };
  OpenWith({.session_bytes = 10'000});
  Insert("a");
  // Each takes 80 bytes for the run, 217 and more for the name and as much for its description.
  const std::uint64_t runs = last_taken();
  EXPECT_GT(runs, 10U);
  EXPECT_LT(runs, 20U);
  // The same in the next process.
  OpenWith({.session_bytes = 10'000});
  EXPECT_FALSE(records_->Append({"a"}, {run(runs)}, {}));
}

TEST_F(BoundsTest, RefusesMoreMetricsOfOneSessionThanItMayHave) {
  OpenWith({.session_metrics = 2});
  Insert("a");
  benchd::Run run = PlainRun(0, 0);
  run.samples = {{"one", "", 0, 1.0}, {"one", "inner", 0, 1.0}, {"one", "", 1, 1.0}};
  Append({"a"}, {run});
  benchd::Run another = run;
  another.samples.push_back({"two", "", 0, 1.0});
  const auto refusal = [&, this] {
    const Result<void> refused = records_->Append({"a"}, {another}, {});
    EXPECT_FALSE(refused);
    return refused ? Error{} : refused.error();
  };
  // Unlike a full disk, which the session waits for.
  EXPECT_EQ(refusal().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refusal().hint, HasSubstr("`metrics_a_session`"));
  EXPECT_WORDING(refusal());
  // The same in the next process, which knows the existing names.
  OpenWith({.session_metrics = 2});
  EXPECT_EQ(refusal().code, ErrorCode::kFailedPrecondition);
  Append({"a"}, {run});
  EXPECT_EQ(Runs({"a"}).size(), 2U);
}

TEST_F(BoundsTest, StacksOfSampledRunsAreNotMetrics) {
  OpenWith({.session_metrics = 1, .session_stacks = 2});
  Insert("a");
  benchd::Run run = PlainRun(0, 0);
  run.samples = {{"one", "", 0, 1.0}, {"stack", "main", 0, 1.0}, {"stack", "main;f", 0, 1.0}};
  Append({"a"}, {run});
  for (const Sample& more : {Sample{"two", "", 0, 1.0}, Sample{"stack", "main;g", 0, 1.0}}) {
    benchd::Run another = run;
    another.samples.push_back(more);
    const Result<void> refused = records_->Append({"a"}, {another}, {});
    ASSERT_FALSE(refused) << more.metric;
    EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  }
}

// 40 blocks of two runs with 5,000 stacks each, of which a fifth are new in every run.
TEST_F(BoundsTest, TakesThousandsOfStacksInEachRun) {
  constexpr int kStacks = 5000;
  OpenWith({});
  Insert("a");
  std::vector<benchd::Run> runs;
  for (int i = 0; i < 80; ++i) {
    benchd::Run& run = runs.emplace_back(PlainRun(0, 0));
    run.block = static_cast<std::uint64_t>(i / 2);
    for (int stack = 0; stack < kStacks; ++stack) {
      const int number = stack < kStacks / 5 ? i * kStacks + stack : stack;
      std::string text = "_start;main;" + std::to_string(number);
      text += std::string(200, 'f');
      run.samples.push_back({.metric = "stack", .inner_benchmark = std::move(text), .value = 1});
    }
  }
  const auto begun = CpuTime();
  for (const benchd::Run& run : runs) Append({"a"}, {run});
  const auto stored = CpuTime();
  std::vector<benchd::Run> read;
  while (true) {
    const auto some = records_->LoadRuns({"a"}, read.size(), 256, kRunBytesPerLoad);
    ASSERT_TRUE(some) << some.error().message;
    if (some->empty()) break;
    read.insert(read.end(), some->begin(), some->end());
  }
  const auto ended = CpuTime();
  EXPECT_EQ(read, runs);
  const auto ms = [](auto duration) {
    return static_cast<int>(
        std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
  };
  RecordProperty("stored_ms", ms(stored - begun));
  RecordProperty("read_ms", ms(ended - stored));
  EXPECT_LT(ended - begun, std::chrono::seconds(60));
}

// Searching every name for each sample took seconds, in which other users got no answer.
TEST_F(BoundsTest, NumbersManyMetricsInAnyOrderAtOnce) {
  constexpr int kMany = 40'000;
  OpenWith({.session_metrics = kMany});
  Insert("a");
  benchd::Run run = PlainRun(0, 0);
  run.samples.clear();
  for (int metric = 0; metric < kMany; ++metric) {
    run.samples.push_back({"a metric of that session " + std::to_string(metric), "", 0, 1.0});
  }
  Append({"a"}, {run});
  std::reverse(run.samples.begin(), run.samples.end());
  const auto begun = CpuTime();
  Append({"a"}, {run});
  EXPECT_LT(CpuTime() - begun, std::chrono::seconds(1));
  EXPECT_EQ(Runs({"a"}).back().samples, run.samples);
}

TEST_F(BoundsTest, ReservesSpaceWhenTheRunningSessionFillsTheDisk) {
  OpenWith({}, {.bytes = 10'000 * kBoundMib, .available = 60 * kBoundMib});
  Insert("a");
  const Result<void> refused = records_->Append({"a"}, {PlainRun(0, 0)}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(refused.error().message, HasSubstr("64 MiB"));
  EXPECT_WORDING(refused.error(), Places());
  Insert("b");
  End({"a"}, 1);
  // A sixteenth of a small disk.
  OpenWith({}, {.bytes = 64 * kBoundMib, .available = 5 * kBoundMib});
  Append({"b"}, {PlainRun(0, 0)});
}

TEST_F(BoundsTest, ReservesSpaceWhenABundleWouldFillTheDisk) {
  const auto refusal = [this](std::uint64_t bytes) {
    const Result<BundleUpload> upload = records_->BeginBundle(1000, {bytes, {}}, {});
    return upload ? Error{} : upload.error();
  };
  OpenWith({}, {.bytes = 10'000 * kBoundMib, .available = 67 * kBoundMib});
  const Error refused = refusal(3 * kBoundMib + 1);
  EXPECT_EQ(refused.code, ErrorCode::kResourceExhausted);
  EXPECT_WORDING(refused);
  EXPECT_EQ(refusal(3 * kBoundMib).message, "");
  // A sixteenth of a small disk.
  OpenWith({}, {.bytes = 64 * kBoundMib, .available = 5 * kBoundMib});
  EXPECT_EQ(refusal(kBoundMib).message, "");
  EXPECT_EQ(refusal(kBoundMib + 1).message, refused.message);
  OpenWith({}, {.bytes = 64 * kBoundMib, .available = 3 * kBoundMib});
  EXPECT_EQ(refusal(1).message, refused.message);
}

}  // namespace
}  // namespace benchd::store
