#include "daemon/store/store.h"

#include <signal.h>

#include <asio/io_context.hpp>
#include <atomic>
#include <future>
#include <thread>

#include "tests/store/store_fixture.h"
#include "tests/support/loop.h"

namespace benchd::store {
namespace {

/// The records behind their thread. The clock is read on the thread that does the work.
class StoreThreadTest : public StoreTest {
 protected:
  void SetUp() override { OpenStore(); }

  void OpenStore(bool own_thread = true) {
    store_.reset();
    StoreOptions options{.steady = [this] { return Steady(); }, .own_thread = own_thread};
    Result<std::unique_ptr<Store>> store = Store::Open(state_, options);
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
  }
  SteadyTime Steady() {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    worked_on_ = std::this_thread::get_id();
    takes_signals_ = sigismember(&blocked, SIGTERM) == 0 || sigismember(&blocked, SIGCHLD) == 0;
    if (gate_.valid()) gate_.wait();
    return {};
  }

  SessionId InsertOne() {
    const HistoryEntry entry = Happened("submitted");
    EXPECT_TRUE(RunToEnd(loop_, store_->Do(&Records::Insert, PlainRecord("a"), entry, nullptr)));
    return {"a"};
  }
  asio::awaitable<void> AppendBlock(SessionId id, std::uint64_t block) {
    std::vector<benchd::Run> runs{PlainRun(block, 0), PlainRun(block, 1)};
    Result<void> done = co_await store_->Do(&Records::Append, id, std::move(runs), std::string());
    EXPECT_EQ(std::this_thread::get_id(), loops_thread_);
    if (done) answered_.push_back(block);
  }
  void AppendBlocks(const SessionId& id, std::uint64_t count) {
    for (std::uint64_t block = 0; block < count; ++block) {
      asio::co_spawn(loop_, AppendBlock(id, block), Rethrow);
    }
    loop_.restart();
  }
  void ExpectAnswered(std::uint64_t count) {
    ASSERT_EQ(answered_.size(), count);
    for (std::uint64_t block = 0; block < count; ++block) EXPECT_EQ(answered_[block], block);
  }
  void ExpectStored(const SessionId& id, std::uint64_t count) {
    store_.reset();
    Open();
    const std::vector<benchd::Run> runs = Runs(id);
    ASSERT_EQ(runs.size(), 2 * count);
    for (std::uint64_t block = 0; block < count; ++block) EXPECT_EQ(runs[2 * block].block, block);
  }

  std::atomic<std::thread::id> worked_on_;
  std::atomic<bool> takes_signals_ = true;
  std::shared_future<void> gate_;
  const std::thread::id loops_thread_ = std::this_thread::get_id();
  std::vector<std::uint64_t> answered_;
  asio::io_context loop_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreThreadTest, WorksOnItsThreadWhichTakesNoSignalsAndAnswersOnTheLoops) {
  const SessionId id = InsertOne();
  EXPECT_NE(worked_on_, loops_thread_);
  EXPECT_FALSE(takes_signals_);
  AppendBlocks(id, 1);
  loop_.run();
  ExpectAnswered(1);
}

TEST_F(StoreThreadTest, KeepsTheOrderInWhichItWasAskedAndTheLoopFromRunningDry) {
  const SessionId id = InsertOne();
  AppendBlocks(id, 200);
  loop_.run();
  ExpectAnswered(200);
  ExpectStored(id, 200);
}

TEST_F(StoreThreadTest, FinishesWhatWasAskedBeforeItEnds) {
  const SessionId id = InsertOne();
  std::promise<void> open_gate;
  gate_ = open_gate.get_future().share();
  AppendBlocks(id, 50);
  loop_.poll();
  EXPECT_TRUE(answered_.empty());
  open_gate.set_value();
  store_.reset();
  // The answers arrive although the thread has ended.
  loop_.run();
  ExpectAnswered(50);
  ExpectStored(id, 50);
}

/// Calls of each kind, which wait together while the first one occupies the thread.
class StoreLanesTest : public StoreThreadTest {
 protected:
  void SetUp() override {
    StoreThreadTest::SetUp();
    id_ = InsertOne();
    gate_ = open_gate_.get_future().share();
    Ask(Append("held"));
  }
  asio::awaitable<void> Append(std::string name) {
    Result<void> done =
        co_await store_->DoForSession(&Records::Append, id_, std::vector<benchd::Run>(), name);
    Note(std::move(name), done);
  }
  asio::awaitable<void> Move(std::string name) {
    Result<void> done = co_await store_->Do(&Records::SetPriority, id_, -1, Happened("moved"));
    Note(std::move(name), done);
  }
  asio::awaitable<void> Load(std::string name, std::stop_token gone = {}) {
    Result<SessionRecord> done = co_await store_->Ask(std::move(gone), &Records::Load, id_);
    Note(std::move(name), done);
  }
  template <typename T>
  void Note(std::string name, const Result<T>& done) {
    if (!done) {
      name.append(": ").append(NameOf(done.error().code));
      refusals_.push_back(done.error());
    }
    told_.push_back(std::move(name));
  }
  void Ask(asio::awaitable<void> call) {
    asio::co_spawn(loop_, std::move(call), Rethrow);
    // Without this, a loop that had run out of work would start nothing.
    loop_.restart();
    loop_.poll();
  }
  /// Releases the thread and collects the answers.
  std::vector<std::string> Told() {
    open_gate_.set_value();
    loop_.restart();
    loop_.run();
    return told_;
  }

  SessionId id_;
  std::promise<void> open_gate_;
  std::vector<std::string> told_;
  std::vector<Error> refusals_;
};

TEST_F(StoreLanesTest, ServesTheRunningSessionThenWhatIsToBeKeptThenReads) {
  for (const char* read : {"read 1", "read 2"}) Ask(Load(read));
  for (const char* change : {"change 1", "change 2"}) Ask(Move(change));
  for (const char* commit : {"commit 1", "commit 2"}) Ask(Append(commit));
  EXPECT_THAT(Told(), testing::ElementsAre("held", "commit 1", "commit 2", "change 1", "change 2",
                                           "read 1", "read 2"));
}

TEST_F(StoreLanesTest, DropsTheReadsOfACallerWhoHasGone) {
  std::stop_source gone;
  Ask(Load("gone", gone.get_token()));
  Ask(Load("here"));
  gone.request_stop();
  EXPECT_THAT(Told(), testing::ElementsAre("held", "gone: cancelled", "here"));
  ASSERT_EQ(refusals_.size(), 1U);
  EXPECT_WORDING(refusals_[0]);
}

TEST_F(StoreLanesTest, OnceStoppingDoesWhatIsToBeKeptAlone) {
  Ask(Load("waited"));
  Ask(Move("change"));
  Ask(Append("commit"));
  store_->StopAnswering();
  Ask(Load("came late"));
  EXPECT_THAT(Told(), testing::ElementsAre("held", "commit", "change", "waited: unavailable",
                                           "came late: unavailable"));
  for (const Error& refusal : refusals_) EXPECT_WORDING(refusal);
}

TEST_F(StoreThreadTest, MayEndWithAnswersThatNobodyTakes) {
  const SessionId id = InsertOne();
  std::promise<void> open_gate;
  gate_ = open_gate.get_future().share();
  {
    asio::io_context loop;
    asio::co_spawn(loop, AppendBlock(id, 0), Rethrow);
    loop.poll();
    open_gate.set_value();
    store_.reset();
  }
  EXPECT_TRUE(answered_.empty());
  ExpectStored(id, 1);
}

TEST_F(StoreThreadTest, WithoutAThreadTheCallerWorksAndHasTheAnswerInItsNextTurn) {
  OpenStore(/*own_thread=*/false);
  const SessionId id = InsertOne();
  EXPECT_EQ(worked_on_, loops_thread_);
  AppendBlocks(id, 3);
  loop_.run();
  ExpectAnswered(3);
  ExpectStored(id, 3);
}

}  // namespace
}  // namespace benchd::store
