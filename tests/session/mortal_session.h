#pragma once

#include <gtest/gtest.h>

#include <asio/io_context.hpp>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "daemon/session/run_session.h"
#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"

namespace benchd::test {

/// Simulates kill -9 of benchd: leaves the coroutine at that point.
struct Killed : std::runtime_error {
  Killed() : std::runtime_error("killed") {}
};

/// A session that several lives of benchd may run. The record and the store outlive each of them.
class MortalSession : public testing::Test {
 protected:
  MortalSession() {
    runner_.report->environment.facts = {
        {"kernel", "6.1.0"}, {"cpu", "Model 1"}, {"boot_id", "first"}, {"microcode", "0x1"}};
  }

  /// One life of benchd; the record continues from the previous one.
  SessionSnapshot Live() {
    CancelToken cancel;
    SessionServices services{
        runner_, store_, clock_, disturbances_, cancel, [this](const SessionSnapshot& snapshot) {
          record_.snapshot = snapshot;
          published_.push_back(snapshot);
        }};
    record_.snapshot.id = id_;
    record_.spec = spec_;
    store_.Keep(record_);
    record_.snapshot = RunToEnd(loop_, RunSession(std::move(services), record_));
    return record_.snapshot;
  }

  void LiveUntilKilledInRun(std::size_t number) {
    std::size_t runs = 0;
    runner_.during_run = [&runs, number] {
      if (runs++ == number) throw Killed();
    };
    EXPECT_THROW(Live(), Killed);
    runner_.during_run = nullptr;
  }

  asio::io_context loop_;
  fake::Clock clock_;
  fake::Runner runner_{clock_};
  TestStore store_;
  DisturbanceLog disturbances_;
  SessionSpec spec_ = fake::TwoArms();
  SessionId id_{"testtest"};
  SessionRecord record_;
  std::vector<SessionSnapshot> published_;
};

}  // namespace benchd::test
