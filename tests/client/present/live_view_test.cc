#include "client/present/live_view.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>

#include "client/present/text.h"
#include "client/terminal/terminal.h"
#include "core/base/file.h"
#include "tests/client/golden.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

std::string Drawn(const LiveState& state, const Style& style, int height = 23) {
  std::string text;
  for (const std::string& line : RenderLiveView(state, style, height)) text += line + "\n";
  return text;
}

LiveState StateOf(const v1::Update& update) {
  LiveState state;
  state.session = "k3x9m2pq";
  state.started = SampleStarted();
  state.update = update;
  return state;
}

// Thirty gates, of which only the last is decided.
v1::Update ManyGates() {
  v1::Update update = EarlyUpdate();
  const v1::Comparison gate = SuiteUpdate().comparisons(1);
  update.clear_comparisons();
  for (int i = 0; i < 30; ++i) {
    *update.add_comparisons() = gate;
    update.mutable_comparisons(i)->set_benchmark("benchmark-with-a-long-name-" + std::to_string(i));
  }
  update.mutable_comparisons(0)->mutable_decided()->set_blocks(8);
  update.mutable_comparisons(0)->set_verdict(v1::VERDICT_PASS);
  return update;
}

TEST(LiveViewTest, ShowsTheStagesOfASession) {
  LiveState state;
  state.session = "k3x9m2pq";
  std::string text = Drawn(state, {false, true, 80});
  state.queued.emplace().set_position(2);
  state.queued->set_eta_seconds(130);
  text += "\n" + Drawn(state, {false, true, 80});
  state.started = SampleStarted();
  text += "\n" + Drawn(state, {false, true, 80});
  state.update.emplace().set_state(v1::SESSION_STATE_PREPARING);
  text += "\n" + Drawn(state, {false, true, 80});
  state.update = EarlyUpdate();
  text += "\n" + Drawn(state, {false, true, 80});
  v1::Update regression = RegressionUpdate();
  regression.set_state(v1::SESSION_STATE_RUNNING);
  state.update = regression;
  text += "\n" + Drawn(state, {false, true, 80});
  state.note = "cancelling k3x9m2pq (Ctrl-C again to quit)";
  text += "\n" + Drawn(state, {false, true, 80});
  ExpectGolden("live_stages.txt", text);
}

TEST(LiveViewTest, TheBarNeverGoesBack) {
  const Style style{false, true, 80};
  LiveState state;
  int before = -1;
  // Typical forecasts: growing, limited, or absent in a session with a fixed number of runs.
  for (const auto& [elapsed, eta] :
       {std::pair{10.0, 20.0}, {15.0, 80.0}, {20.0, 5.0}, {21.0, 300.0}}) {
    v1::SessionEvent event = Event([&](v1::SessionEvent& e) {
      *e.mutable_update() = RegressionUpdate();
      e.mutable_update()->set_state(v1::SESSION_STATE_RUNNING);
      e.mutable_update()->set_elapsed_seconds(elapsed);
      e.mutable_update()->set_eta_seconds(eta);
    });
    state.Apply(event);
    for (const double since : {0.0, 2.0}) {
      state.since_event_seconds = since;
      const std::string text = Drawn(state, style);
      const std::size_t end = text.find(" %\n");
      ASSERT_NE(end, std::string::npos) << text;
      const int percent = std::stoi(text.substr(end - 3, 3));
      EXPECT_GE(percent, before) << text;
      before = percent;
    }
  }
  EXPECT_GE(before, 80);
}

TEST(LiveViewTest, ShowsASuiteInManyWidths) {
  const LiveState state = StateOf(SuiteUpdate());
  std::string text;
  for (const int width : {120, 80, 60, 40}) text += Drawn(state, {false, true, width}) + "\n";
  text += Drawn(state, {false, false, 80}) + "\n" + Drawn(state, {true, true, 80});
  ExpectGolden("live_suite.txt", text);
}

TEST(LiveViewTest, SaysWhyASessionStandsStill) {
  std::string text;
  for (const int width : {120, 60}) {
    text += Drawn(StateOf(PausedUpdate()), {false, true, width}) + "\n";
  }
  v1::Update before_the_first_block = PausedUpdate();
  before_the_first_block.clear_comparisons();
  text += Drawn(StateOf(before_the_first_block), {false, true, 80});
  ExpectGolden("live_paused.txt", text);
}

TEST(LiveViewTest, ASessionThatWaitsAgainAfterARestartIsNotSaidToRun) {
  LiveState state = StateOf(EarlyUpdate());
  state.Apply(Event([](v1::SessionEvent& e) { e.mutable_queued()->set_position(1); }));
  EXPECT_WORDING(LineWith(Drawn(state, {false, true, 80}), "k3x9m2pq  queued"));
  state.Apply(Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); }));
  EXPECT_WORDING(LineWith(Drawn(state, {false, true, 80}), "k3x9m2pq  running"));
}

TEST(LiveViewTest, FitsTheTerminal) {
  LiveState state = StateOf(ManyGates());
  state.update->set_state(v1::SESSION_STATE_PAUSED);
  *state.update->mutable_warnings() = PausedUpdate().warnings();
  state.note = std::string(200, 'n');
  for (const int width : {20, 30, 40, 60, 80, 200}) {
    for (const int height : {1, 2, 3, 4, 5, 10, 23, 100}) {
      const auto lines = RenderLiveView(state, {false, true, width}, height);
      EXPECT_LE(lines.size(), static_cast<std::size_t>(std::max(2, height)))
          << width << "x" << height;
      for (const std::string& line : lines) EXPECT_LE(Width(line), width) << line;
    }
  }
}

TEST(LiveViewTest, OpenGatesComeFirstWhereNotAllFit) {
  const std::string text = Drawn(StateOf(ManyGates()), {false, true, 100}, 8);
  EXPECT_EQ(text.find("name-0:"), std::string::npos) << text;
  EXPECT_NE(text.find("name-1:"), std::string::npos) << text;
  EXPECT_NE(text.find("more\n"), std::string::npos) << text;
}

TEST(LiveViewTest, TheClockGoesOnBetweenEvents) {
  LiveState state = StateOf(SuiteUpdate());  // 75 s, 42.4 s to go
  state.since_event_seconds = 10;
  const std::string text = Drawn(state, {false, true, 80});
  EXPECT_NE(text.find("32 s"), std::string::npos) << text;
  EXPECT_WORDING(LineWith(text, "1:25"));
}

TEST(LiveViewTest, WithoutAnEstimateTheTimeLimitIsSaidToBeOne) {
  LiveState state = StateOf(SuiteUpdate());
  state.update->clear_eta_seconds();
  state.update->set_time_left_seconds(25);
  state.since_event_seconds = 10;
  EXPECT_NE(Drawn(state, {false, true, 80}).find("15 s"), std::string::npos);
  EXPECT_WORDING(LineWith(Drawn(state, {false, true, 80}), "1:25"));
  state.update = EarlyUpdate();
  EXPECT_EQ(Drawn(state, {false, true, 80}).find("left"), std::string::npos)
      << "before the first look an estimate may still come";
}

TEST(LiveViewTest, TheKeysStandInTheLastLineUntilThereIsANote) {
  LiveState state = StateOf(SuiteUpdate());
  state.keys = "d detaches";
  EXPECT_TRUE(Drawn(state, {false, true, 80}).ends_with("\nd detaches\n"));
  EXPECT_EQ(Drawn(state, {false, true, 80}, 4).find("d detaches"), std::string::npos)
      << "gates are worth more than keys";
  state.note = "cancelling";
  EXPECT_TRUE(Drawn(state, {false, true, 80}).ends_with("\ncancelling\n"));
  EXPECT_EQ(Drawn(state, {false, true, 80}).find("d detaches"), std::string::npos);
}

TEST(LiveViewTest, DrawsTheIntervalAgainstTheMargin) {
  const Style style{false, false, 80};
  EXPECT_EQ(DrawInterval(-0.5, 0, 0.5, 2, 21, style), "     : ===O=== :     ");
  EXPECT_EQ(DrawInterval(1.2, 1.4, 1.6, 2, 21, style), "     :    |    :=O=  ");
  EXPECT_EQ(DrawInterval(5, 6, 7, 2, 21, style), "     :    |    :    >");
  EXPECT_EQ(DrawInterval(-7, -6, -5, 2, 21, style), "<    :    |    :     ");
  EXPECT_EQ(DrawInterval(-7, 0, 7, 2, 21, style), "<=========O=========>");
}

TEST(LiveViewTest, ANegativeMarginHasTheSameAxis) {
  const auto drawn = [](double margin) {
    LiveState state = StateOf(SuiteUpdate());
    for (v1::Comparison& gate : *state.update->mutable_comparisons()) gate.set_margin_ratio(margin);
    return Drawn(state, {false, true, 100});
  };
  std::string negative = drawn(-0.02);
  EXPECT_NE(negative.find("-2 %"), std::string::npos) << negative;
  EXPECT_NE(negative.find("+2 %"), std::string::npos) << negative;
  const std::size_t word = negative.find("not better");
  ASSERT_NE(word, std::string::npos) << negative;
  EXPECT_EQ(negative.replace(word, 10, "regression"), drawn(0.02));
}

TEST(LiveScreenTest, RedrawsInPlaceAndGivesTheCursorBack) {
  LiveScreen screen(-1);
  EXPECT_EQ(screen.Compose({"one", "two"}, 80), "\x1b[?25l\x1b[Kone\n\x1b[Ktwo\n");
  EXPECT_EQ(screen.Compose({"three"}, 80), "\x1b[2A\r\x1b[J\x1b[Kthree\n");
  EXPECT_EQ(screen.Compose({"four"}, 80), "\x1b[1A\r\x1b[Kfour\n");
}

TEST(LiveScreenTest, BeginsANewAreaBelowWhatOthersWrote) {
  LiveScreen screen(-1);
  screen.Compose({"one"}, 80);
  screen.Forget();
  EXPECT_EQ(screen.Compose({"two"}, 80), "\x1b[?25l\x1b[Ktwo\n");
}

TEST(KeyboardTest, LeavesATerminalAloneThatDoesNotControlThisProcess) {
  const UniqueFd other(posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_TRUE(other);
  ASSERT_EQ(grantpt(other.get()) + unlockpt(other.get()), 0);
  const UniqueFd terminal(open(ptsname(other.get()), O_RDWR | O_NOCTTY));
  ASSERT_TRUE(terminal);
  termios before{};
  ASSERT_EQ(tcgetattr(terminal.get(), &before), 0);
  Keyboard keyboard(terminal.get());
  EXPECT_FALSE(keyboard.Hold());
  EXPECT_EQ(keyboard.fd(), -1);
  termios after{};
  ASSERT_EQ(tcgetattr(terminal.get(), &after), 0);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_TRUE(InForeground(terminal.get())) << "what has no jobs can be drawn on";
  EXPECT_FALSE(InForeground(-1));
}

TEST(LiveScreenTest, CountsLinesThatANarrowerTerminalHasWrapped) {
  LiveScreen screen(-1);
  screen.Compose({std::string(70, 'x'), "short"}, 80);
  EXPECT_EQ(screen.Compose({"y"}, 40), "\x1b[3A\r\x1b[J\x1b[Ky\n")
      << "70 columns are two rows of 40";
}

}  // namespace
}  // namespace benchd::client
