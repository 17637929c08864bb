#include "client/present/history.h"

#include <gtest/gtest.h>

#include <chrono>

#include "client/present/live_view.h"
#include "client/report/page.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

// 2026-01-02 03:04:05 UTC and every hour after that.
Timestamp TimeOfEntry(int i) {
  return Timestamp(std::chrono::seconds(1'767'323'045) + std::chrono::hours(i));
}

std::vector<GateSummary> ParserEntries() {
  std::vector<GateSummary> entries;
  for (int i = 0; i < 16; ++i) {
    const double value = (i < 8 ? 0.0100 : 0.0111) + 0.00001 * ((i * 7) % 5);
    GateSummary entry{.number = static_cast<std::uint64_t>(i) + 1,
                      .session = {"session" + std::to_string(i % 10)},
                      .ended_at = TimeOfEntry(i),
                      .benchmark = "parse",
                      .metric = "wall_time",
                      .unit = "s",
                      .better = Better::kLower,
                      .reference = "base",
                      .candidate = "new",
                      .machine = "EPYC, CPUs 0-3",
                      .kernel = i < 12 ? "6.1.0" : "6.2.0",
                      .settings = "cpus=1"};
    entry.candidate_commit =
        Commit{std::string(40, static_cast<char>('a' + i % 6)), i == 15 ? "v1.2\x1b[31m" : ""};
    entry.mean_candidate = value;
    entry.change = Effect{value / 0.0100 - 1, value / 0.0101 - 1, value / 0.0099 - 1};
    entry.verdict = i < 8 ? Verdict::kPass : Verdict::kRegression;
    entries.push_back(entry);
  }
  return entries;
}

std::vector<HistorySeries> ParserHistory() {
  std::vector<GateSummary> entries = ParserEntries();
  GateSummary wide = entries.front();
  wide.benchmark = "main";
  wide.series = "85944171f73967e8";
  wide.command = "./解析 --fast";
  wide.candidate_commit.reset();
  wide.metric = "rate";
  wide.unit = "MB/s";
  entries.push_back(wide);
  return MakeHistory(entries, {}).value();
}

google::protobuf::Timestamp NowOfHistory() {
  google::protobuf::Timestamp now;
  now.set_seconds(1'767'323'045 + 30 * 24 * 3600);
  return now;
}

constexpr Style kWide{false, true, 0};

TopState Busy(int queued) {
  TopState state;
  state.queue.set_version("1.2.3");
  state.queue.set_running("k3x9m2pq");
  state.queue.set_queued(static_cast<std::uint64_t>(queued));
  for (const auto& [name, value] : {std::pair("cpu", "EPYC"), std::pair("kernel", "6.1.0")}) {
    v1::EnvironmentFact* fact = state.machine.add_environment();
    fact->set_name(name);
    fact->set_value(value);
  }
  state.machine.add_benchmark_cpus(1);
  v1::Setting* governor = state.machine.add_settings();
  governor->set_setting("governor");
  governor->set_actual("performance");
  governor->set_held(true);
  state.machine.add_settings()->set_setting("boost");
  for (int i = queued; i >= 0; --i) {
    v1::Session session;
    session.set_session(i == 0 ? "k3x9m2pq" : "queued" + std::to_string(i));
    session.set_state(i == 0 ? v1::SESSION_STATE_RUNNING : v1::SESSION_STATE_QUEUED);
    session.set_uid(1000);
    if (i > 0) session.mutable_queued()->set_position(static_cast<std::uint64_t>(i));
    v1::Arm* arm = session.mutable_spec()->add_benchmarks()->add_arms();
    arm->set_name("基线");
    arm->set_command("./解析 <script>");
    state.sessions.push_back(session);
  }
  LiveState& running = state.running.emplace();
  running.session = "k3x9m2pq";
  v1::Update& update = running.update.emplace();
  update.set_state(v1::SESSION_STATE_RUNNING);
  update.set_elapsed_seconds(75);
  update.set_time_left_seconds(525);
  v1::Comparison* gate = update.add_comparisons();
  gate->set_benchmark("main");
  gate->set_reference("base");
  gate->set_candidate("候选");
  gate->set_metric("wall_time");
  gate->set_unit("s");
  gate->set_role(v1::COMPARISON_ROLE_GATE);
  gate->set_margin_ratio(0.02);
  gate->set_confidence(0.99);
  gate->mutable_change()->set_estimate(0.012);
  gate->mutable_change()->set_lo(-0.006);
  gate->mutable_change()->set_hi(0.03);
  return state;
}

std::string UserOf(std::uint32_t uid) { return "uid " + std::to_string(uid); }

std::string Board(const TopState& state, const Style& style, int height) {
  std::string text;
  for (const std::string& line : RenderTop(state, UserOf, NowOfHistory(), style, height)) {
    text += line + "\n";
  }
  return text;
}

bool HasText(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST(HistoryPageTest, EachSeriesHasAPictureWithItsStepsAndTheEdgesOfItsSegments) {
  const std::vector<HistorySeries> history = ParserHistory();
  const std::string page = RenderHistoryPage(history, "", {});
  ExpectGolden("history.html", page);
  EXPECT_TRUE(HasText(page, "<h1>2 series</h1>"));
  EXPECT_TRUE(HasText(page, "step: +")) << "a title on the line";
  EXPECT_TRUE(HasText(page, "machine changed: kernel 6.1.0 → 6.2.0"));
  EXPECT_TRUE(HasText(page, "steps: E-divisive means"));
  std::size_t marks = 0;
  for (std::size_t at = 0; (at = page.find("class=\"candidate entry\"", at)) != std::string::npos;
       ++at) {
    ++marks;
  }
  EXPECT_EQ(marks, 17U) << "16 of the parser, one of the other";
}

TEST(HistoryPageTest, NamesAreNeverMarkup) {
  std::vector<GateSummary> entries = ParserEntries();
  const std::string hostile = "<script>alert(1)</script>";
  for (GateSummary& entry : entries) {
    entry.benchmark = entry.metric = entry.machine = entry.kernel = hostile;
    entry.candidate_commit->description = hostile;
    entry.session.value = hostile;
  }
  entries.front().kernel = "another";
  const std::string page = RenderHistoryPage(MakeHistory(entries, {}).value(), hostile, {});
  EXPECT_FALSE(HasText(page, "<script"));
  EXPECT_TRUE(HasText(page, "&lt;script&gt;alert(1)"));
}

TEST(HistoryPageTest, OfALongSeriesTheNewestEntriesAreDrawnAndItsLastLevelGoesOn) {
  std::vector<GateSummary> entries;
  const GateSummary one = ParserEntries().front();
  for (int i = 0; i < 2000; ++i) {
    GateSummary& entry = entries.emplace_back(one);
    entry.number = static_cast<std::uint64_t>(i) + 1;
    entry.ended_at = TimeOfEntry(i);
    entry.kernel = i < 100 ? "a" : i < 1900 ? "b" : "c";
  }
  ChangePointSearch search;
  search.permutations = 19;
  search.alpha = 0.05;
  const auto history = MakeHistory(entries, search);
  ASSERT_TRUE(history) << history.error().message;
  const std::string page = RenderHistoryPage(*history, "parse", search);
  EXPECT_TRUE(HasText(page, "1500 of 2000"));
  EXPECT_TRUE(HasText(page, "mean of 1800 entries: ")) << "of b, also of those not drawn";
  EXPECT_TRUE(HasText(page, "mean of 100 entries: ")) << "of c";
  EXPECT_FALSE(HasText(page, "kernel a")) << "that edge is not in the picture";
  EXPECT_LT(page.size(), 1'000'000U);
}

TEST(TopRenderTest, ShowsMachineSessionAndQueue) {
  ExpectGolden("top.txt", Board(Busy(2), {false, true, 80}, 23));
  TopState idle;
  idle.queue.set_version("1.2.3");
  idle.queue.set_paused(true);
  idle.queue.set_reserved_by(1000);
  idle.note = "the daemon went away";
  ExpectGolden("top_idle.txt", Board(idle, {false, false, 80}, 23));
}

TEST(TopRenderTest, FitsWhateverTheTerminalIs) {
  for (const int width : {20, 40, 80, 200}) {
    for (const int height : {1, 3, 5, 9, 23, 60}) {
      for (const int queued : {0, 1, 30}) {
        const Style style{true, true, width};
        const auto lines = RenderTop(Busy(queued), UserOf, NowOfHistory(), style, height);
        EXPECT_LE(static_cast<int>(lines.size()), height) << width << "x" << height;
        for (const std::string& line : lines) EXPECT_LE(Width(line), width) << line;
      }
    }
  }
  EXPECT_NE(Board(Busy(30), {false, true, 80}, 23).find("more"), std::string::npos);
}

TEST(TopRenderTest, IsOneLineForAPipe) {
  EXPECT_WORDING(TopLine(Busy(2), UserOf, NowOfHistory(), kWide));
}

TEST(HistoryRenderTest, EntriesStepsAndEdges) {
  ExpectGolden("history.txt", RenderHistory(ParserHistory(), {}, NowOfHistory(), kWide));
}

TEST(HistoryRenderTest, FitsANarrowAsciiTerminal) {
  const std::string text = RenderHistory(ParserHistory(), {}, NowOfHistory(), {false, false, 60});
  for (const std::string& line : Lines(text)) EXPECT_LE(Width(line), 60) << line;
  EXPECT_NE(text.find("  -- step: +10.9 %  10.0 ms -> 11.1 ms  (p = 0.003)"), std::string::npos)
      << text;
}

TEST(HistoryRenderTest, AListHasALineASeries) {
  ExpectGolden("history_list.txt", RenderHistoryList(ParserHistory(), NowOfHistory(), kWide));
}

TEST(HistoryRenderTest, JsonHasEntriesAndChangePoints) {
  std::string text;
  for (const std::string& line : HistoryJson(ParserHistory(), {}, NowOfHistory())) {
    text += line + "\n";
  }
  ExpectGolden("history.jsonl", text);
}

}  // namespace
}  // namespace benchd::client
