#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>

#include "client/present/csv.h"
#include "client/present/json.h"
#include "client/present/live_view.h"
#include "client/present/pages.h"
#include "client/present/report.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/words.h"
#include "client/request/replay.h"
#include "core/base/text.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

constexpr Style kPlain{false, true, 0};
constexpr Style kAscii{false, false, 0};

google::protobuf::Timestamp SampleNow() {
  return Event([](auto&) {}).time();
}

std::string NameOf(std::uint32_t uid) {
  return uid == 1000 ? "user" : "uid " + std::to_string(uid);
}

TEST(UnitsTest, ReadsAsPeopleWrite) {
  EXPECT_EQ(FormatQuantity(0.010123, "s", kPlain), "10.12 ms");
  EXPECT_EQ(FormatQuantity(2.5e-6, "s", kPlain), "2.500 µs");
  EXPECT_EQ(FormatQuantity(2.5e-6, "s", kAscii), "2.500 us");
  EXPECT_EQ(FormatQuantity(0, "s", kPlain), "0 s");
  EXPECT_EQ(FormatQuantity(1e308, "1", kPlain), "1.000e+308");
  EXPECT_EQ(FormatQuantity(-1e300, "s", kPlain), "-1.000e+300 s");
  EXPECT_EQ(FormatQuantity(1572864, "B", kPlain), "1.500 MiB");
  EXPECT_EQ(FormatQuantity(1572864, "B/s", kPlain), "1.500 MiB/s");
  EXPECT_EQ(FormatQuantity(12, "B/s", kPlain), "12 B/s");
  EXPECT_EQ(FormatQuantity(1000, "1", kPlain), "1000");
  EXPECT_EQ(FormatQuantity(12.5, "MB/s", kPlain), "12.50 MB/s");
  EXPECT_EQ(FormatQuantity(234640222, "1/s", kPlain), "234.6 M/s");
  EXPECT_EQ(FormatQuantity(12.5, "1/s", kPlain), "12.50 1/s");
  EXPECT_EQ(FormatQuantity(3.5 * 1024 * 1024 * 1024, "B/s", kPlain), "3.500 GiB/s");
  EXPECT_EQ(FormatQuantity(234640222, "1", kPlain), "234.6 M");
  EXPECT_EQ(FormatQuantity(999999, "1", kPlain), "999999");
  EXPECT_EQ(FormatQuantity(-0.002, "s", kPlain), "-2 ms");
  EXPECT_EQ(FormatMeanSd(0.010123, 0.000054, "s", kPlain), "10.123 ± 0.054 ms");
  EXPECT_EQ(FormatMeanSd(0.010123, 0.000054, "s", kAscii), "10.123 +- 0.054 ms");
  EXPECT_EQ(FormatMeanSd(1000, 0.0, "1", kPlain), "1000");
  EXPECT_EQ(FormatMeanSd(1000, std::nullopt, "1", kPlain), "1000");
  EXPECT_EQ(FormatChange(0.102, 1), "+10.2 %");
  EXPECT_EQ(FormatChange(-0.0001, 1), "+0.0 %") << "no minus sign without a direction";
  EXPECT_EQ(FormatShare(0.341), "34.1 %");
  EXPECT_EQ(FormatShare(0.003), "0.30 %");
  EXPECT_EQ(FormatShare(2000), "over 100000 %");
  EXPECT_EQ(FormatUnsigned(-0.05, 1), "-5.0 %");
  EXPECT_EQ(FormatPercent(0.99), "99 %");
  EXPECT_EQ(FormatPercent(0.9975), "99.75 %");
  EXPECT_EQ(FormatConfidence(0.99), "99 %");
  EXPECT_EQ(FormatConfidence(0.9975), "99.75 %") << "as somebody may ask for it";
  EXPECT_EQ(FormatConfidence(1 - 0.01 / 6), "99.8 %");
  EXPECT_EQ(FormatConfidence(1 - 0.01 / 300), "99.997 %");
  EXPECT_EQ(FormatConfidence(1 - 0.05 / 3), "98.3 %");
  EXPECT_EQ(FormatConfidence(1 - 1e-12), "99.9999999999 %");
  EXPECT_FALSE(WiderThanTellable(-1.03, -0.64)) << "an interval of differences has no factors";
  EXPECT_TRUE(WiderThanTellable(-1.03, 2000));
  EXPECT_EQ(FormatClock(3723.9), "1:02:03");
  EXPECT_EQ(FormatClock(14), "0:14");
  EXPECT_EQ(FormatRough(42.4), "42 s");
  EXPECT_EQ(FormatRough(200), "3 min");
  EXPECT_EQ(FormatRoundTrip(0.1 + 0.2), "0.30000000000000004");
}

TEST(UnitsTest, DecimalsFollowTheWidthOfTheInterval) {
  EXPECT_EQ(PercentDecimals(0.098, 0.106), 1);
  EXPECT_EQ(PercentDecimals(0.0998, 0.1003), 2);
  EXPECT_EQ(PercentDecimals(-0.1, 0.15), 1);
  EXPECT_EQ(PercentDecimals(std::nullopt, 0.3), 1);
  EXPECT_EQ(PercentDecimals(-0.2, 0.3), 0) << "fifty percentage points wide";
}

TEST(UnitsTest, AnIntervalHasItsUnitOnce) {
  const ColumnFormat changes = ColumnFormat::OfChanges(0.021, 0.152);
  EXPECT_EQ(changes.Interval(0.021, 0.152, kPlain), "+2.1 … +15.2 %");
  EXPECT_EQ(changes.Interval(0.021, 0.152, kAscii), "+2.1 .. +15.2 %");
  const auto differences = [](double lo, double estimate, double hi, const char* unit) {
    return ColumnFormat::OfDifferences(estimate, lo, hi, unit, kPlain).Interval(lo, hi, kPlain);
  };
  EXPECT_EQ(differences(2.99e6, 3e6, 3.01e6, "B"), "+2.85 … +2.87 MiB");
  EXPECT_EQ(differences(-0.0132, 0.0004, 0.0174, "s"), "-13 … +17 ms");
  EXPECT_EQ(differences(0.0012, 0.003, 0.0045, "s"), "+1.2 … +4.5 ms") << "two digits at least";
  EXPECT_EQ(differences(-2, 0, 2, "1"), "-2 … +2") << "whole numbers stay whole";
}

TEST(UnitsTest, TwoMeansShareAScaleAndTheDigitsThatTellThemApart) {
  const auto means = [](double reference, double candidate, double relative) {
    const auto [first, second] = FormatMeans(reference, candidate, relative, "s", kPlain);
    return first + " " + second;
  };
  EXPECT_EQ(means(0.02312, 0.02513, 0.13), "23.1 ms 25.1 ms");
  EXPECT_EQ(means(0.02312, 0.02319, 0.005), "23.12 ms 23.19 ms");
  EXPECT_EQ(means(0.00095, 0.00105, 0.1), "0.95 ms 1.05 ms");
  EXPECT_EQ(means(0.5, 0.5, 0.01), "500 ms 500 ms");
  EXPECT_EQ(means(0.0017, 14, 0.1), "1.700 ms 14 s") << "too far apart for one scale";
  EXPECT_EQ(FormatMeans(std::nullopt, 0.5, 0, "s", kPlain).first, "-");
}

TEST(UnitsTest, AllTimesInOneUnit) {
  Style style = kPlain;
  style.time_unit = "us";
  EXPECT_EQ(FormatQuantity(0.010123, "s", style), "10123 µs");
  EXPECT_EQ(FormatMeanSd(0.010123, 0.000054, "s", style), "10123 ± 54 µs");
  EXPECT_EQ(FormatQuantity(1572864, "B", style), "1.500 MiB") << "other metrics as before";
  style.time_unit = "s";
  EXPECT_EQ(FormatMeanSd(0.010123, 0.000054, "s", style), "0.010123 ± 0.000054 s");
  style.unicode = false;
  style.time_unit = "us";
  EXPECT_EQ(FormatQuantity(0.010123, "s", style), "10123 us");
}

TEST(TextTest, SentencesWrapBetweenWords) {
  const Style narrow{false, true, 30};
  EXPECT_EQ(WrapSentence("PASS: candidate is not slower than base", narrow),
            "PASS: candidate is not\n  slower than base\n");
  EXPECT_EQ(WrapSentence("  parse: candidate is not slower than base", narrow),
            "  parse: candidate is not\n    slower than base\n");
  EXPECT_EQ(WrapSentence("  as it is", kPlain), "  as it is\n");
}

TEST(TextTest, MakesForeignTextHarmless) {
  EXPECT_EQ(Printable("a\x1b[2Jb\tc\x7f\n"), "a?[2Jb c??");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m µ"),
            "?31m µ");
  EXPECT_EQ(Printable("a\xE2\x80\xAE\xE2\x81\xA9\xD8\x9C\xE2\x80\xA8ä\x9B"), "a????ä?");
  EXPECT_EQ(OneLine("one\n\ntwo\n"), "one; two");
  EXPECT_EQ(Shorten("abcdef", 4, kPlain), "abc…");
  EXPECT_EQ(Shorten("abcdef", 4, kAscii), "abc~");
  EXPECT_EQ(Width("\x1b[31mä…\x1b[0m"), 2);
}

TEST(JsonTest, EventsHaveTheContractsNames) {
  std::string lines;
  lines += EventJson(Event([](v1::SessionEvent& e) {
             e.mutable_queued()->set_position(2);
             e.mutable_queued()->set_eta_seconds(12.5);
           })) +
           "\n";
  lines +=
      EventJson(Event([](v1::SessionEvent& e) { *e.mutable_started() = SampleStarted(); })) + "\n";
  lines +=
      EventJson(Event([](v1::SessionEvent& e) { *e.mutable_update() = SuiteUpdate(); })) + "\n";
  lines +=
      EventJson(Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); })) + "\n";
  lines +=
      EventJson(Event([](v1::SessionEvent& e) { *e.mutable_verdict() = RegressionUpdate(); })) +
      "\n";
  lines +=
      EventJson(Event([](v1::SessionEvent& e) { *e.mutable_failed() = SampleFailed(); })) + "\n";
  lines +=
      EventJson(Event([](v1::SessionEvent& e) { e.mutable_cancelled()->set_by("uid 1000"); })) +
      "\n";
  ExpectGolden("events.jsonl", lines);
}

TEST(JsonTest, WhatCouldNotBeHadIsAbsent) {
  const auto json = nlohmann::json::parse(
      EventJson(Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); })));
  EXPECT_FALSE(json.contains("eta_s"));
  EXPECT_FALSE(json.contains("basis"));
  EXPECT_FALSE(json["comparisons"][0].contains("decided"));
  EXPECT_FALSE(json["comparisons"][0]["change"].contains("lo"));
  EXPECT_EQ(json["comparisons"][0]["change"]["estimate"], 0.0099);
}

TEST(JsonTest, RunsAreKeyedByBenchmarkOnlyWhereThereAreSeveral) {
  const auto keys = [](const v1::Update& update) {
    const auto json = nlohmann::json::parse(
        EventJson(Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; })));
    return json["runs"].dump();
  };
  EXPECT_EQ(keys(RegressionUpdate()), R"({"base":12,"candidate":12})");
  EXPECT_EQ(
      keys(SuiteUpdate()),
      R"({"parse/base":40,"parse/candidate":40,"render a page/base":40,"render a page/candidate":40})");
}

TEST(JsonTest, RetiredArmsAreKeyedLikeTheirRuns) {
  v1::Update update = SuiteUpdate();
  const auto json_of = [](const v1::Update& one) {
    return nlohmann::json::parse(
        EventJson(Event([&one](v1::SessionEvent& e) { *e.mutable_update() = one; })));
  };
  EXPECT_FALSE(json_of(update).contains("retired_after"));
  EXPECT_FALSE(json_of(update).contains("orders"));
  update.mutable_runs(1)->set_retired_after(9);
  v1::ArmOrder* const order = update.add_orders();
  order->set_metric("wall_time");
  order->add_groups()->add_arms("base");
  v1::ArmFactor* const factor = order->add_factors();
  factor->set_arm("candidate");
  factor->mutable_factor()->set_estimate(2.5);
  const auto json = json_of(update);
  EXPECT_EQ(json["retired_after"].dump(), R"({"parse/candidate":9})");
  EXPECT_EQ(json["orders"][0]["groups"].dump(),
            R"([{"arms":["base"],"clear":[],"without_interval":[]}])");
  EXPECT_EQ(json["orders"][0]["factors"].dump(),
            R"([{"arm":"candidate","factor":{"estimate":2.5}}])");
}

TEST(JsonTest, NumbersThatAreNotFiniteAreLeftOut) {
  v1::Update update = EarlyUpdate();
  update.mutable_comparisons(0)->set_p_value(std::numeric_limits<double>::quiet_NaN());
  const auto json = nlohmann::json::parse(
      EventJson(Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; })));
  EXPECT_FALSE(json["comparisons"][0].contains("p_value"));
}

TEST(JsonTest, OtherCommandsPrintOneObjectALine) {
  v1::SubmitResponse submitted;
  submitted.set_session("k3x9m2pq");
  submitted.set_position(1);
  v1::QueueStatus queue;
  queue.set_paused(true);
  queue.set_queued(3);
  queue.set_version("0.1.0");
  queue.set_pid(77);
  v1::MoveRequest move;
  move.set_session("k3x9");
  move.set_priority(-1);
  v1::MoveResponse moved;
  moved.set_position(2);
  moved.set_session("k3x9");
  const auto now = SampleNow();
  ExpectGolden("commands.jsonl",
               SubmittedJson(submitted, {}, now) + "\n" +
                   CancelJson("k3x9m2pq", v1::SESSION_STATE_CANCELLED, now) + "\n" +
                   MoveJson(move, moved, now) + "\n" + MessageLine("queue", "", queue, now) + "\n" +
                   VersionJson("0.1.0", &queue, now) + "\n" + VersionJson("0.1.0", nullptr, now) +
                   "\n" + MessageLine("session", SampleSession().session(), SampleSession(), now) +
                   "\n" + ExportJson(SampleSession(), SampleRuns()) + "\n");
}

TEST(JsonTest, EnvironmentValuesAreNeverPrinted) {
  EXPECT_EQ(MessageLine("session", SampleSession().session(), SampleSession(), SampleNow())
                .find("a secret"),
            std::string::npos);
  EXPECT_EQ(ExportJson(SampleSession(), {}).find("a secret"), std::string::npos);
  EXPECT_EQ(RenderSession(SampleSession(), {}, NameOf, kPlain).find("a secret"), std::string::npos);
}

TEST(CsvTest, PrintsARunARow) {
  std::vector<v1::Run> runs = SampleRuns();
  v1::Session session = SampleSession();
  v1::Comparison* rate = session.mutable_report()->add_comparisons();
  rate->set_benchmark("main");
  rate->set_metric("rate");
  rate->set_better(v1::BETTER_HIGHER);
  ExpectGolden("runs_with_warmup.csv", RunsToCsv(runs, session));
  runs.erase(runs.begin(), runs.begin() + 2);
  ExpectGolden("runs.csv", RunsToCsv(runs, session));
}

TEST(CsvTest, SamplesInsideARunBecomeOneValue) {
  const std::vector<v1::Run> runs = SampleRuns();
  v1::Session session;
  // Arithmetic mean of 2 and 4; harmonic 2/(1/2 + 1/4) = 8/3 to the nearest double.
  EXPECT_NE(RunsToCsv(runs, session).find(",3\n"), std::string::npos);
  v1::Comparison* rate = session.mutable_report()->add_comparisons();
  rate->set_benchmark("main");
  rate->set_metric("rate");
  rate->set_better(v1::BETTER_HIGHER);
  EXPECT_NE(RunsToCsv(runs, session).find(",2.6666666666666665\n"), std::string::npos);
}

TEST(CsvTest, ARateOfOneBenchmarkIsNotOneOfAnother) {
  std::vector<v1::Run> runs;
  v1::Session session;
  for (const bool higher : {true, false}) {
    v1::Run& run = runs.emplace_back();
    run.set_benchmark(higher ? "throughput" : "latency");
    run.set_arm("base");
    for (const double value : {1.0, 2.0, 4.0}) {
      v1::Sample* sample = run.add_samples();
      sample->set_metric("n");
      sample->set_value(value);
    }
    v1::Comparison* comparison = session.mutable_report()->add_comparisons();
    comparison->set_benchmark(run.benchmark());
    comparison->set_metric("n");
    comparison->set_better(higher ? v1::BETTER_HIGHER : v1::BETTER_LOWER);
  }
  // Harmonic 3/(1 + 1/2 + 1/4) = 12/7, arithmetic 7/3, each to the nearest double.
  EXPECT_EQ(RunsToCsv(runs, session),
            "arm,role,benchmark,pair,order,started_at,n\n"
            "base,,throughput,0,1,1970-01-01T00:00:00Z,1.7142857142857142\n"
            "base,,latency,0,2,1970-01-01T00:00:00Z,2.3333333333333335\n");
}

// A spreadsheet evaluates cells that begin with = and similar characters.
TEST(CsvTest, ANameIsNoFormulaAndIsReadBackAsItIs) {
  MeasurementTable table;
  table.arms = {"=1+1", "-x"};
  table.benchmarks = {"@b", "'+c"};
  table.metrics = {MetricInfo{.name = "=HYPERLINK(\"x\",1)"}, MetricInfo{.name = "-4"}};
  table.arm = {0, 1};
  table.benchmark = {0, 1};
  table.values = {{1, -2}, {3, 4}};
  EXPECT_EQ(TableToCsv(table),
            "arm,benchmark,\"'=HYPERLINK(\"\"x\"\",1)\",metric:-4\n"
            "'=1+1,'@b,1,3\n"
            "'-x,''+c,-2,4\n");
  std::vector<v1::Run> runs = SampleRuns();
  runs.erase(runs.begin() + 2, runs.end());
  for (v1::Run& run : runs) {
    run.set_benchmark("@b");
    run.set_arm(run.arm() == "base" ? "=1+1" : "+c");
    run.mutable_samples(0)->set_metric("-m");
  }
  const std::string csv = RunsToCsv(runs, SampleSession());
  EXPECT_TRUE(csv.starts_with("arm,role,benchmark,pair,order,started_at,'-m\n'=1+1,,'@b,")) << csv;
  const auto read = ReadMeasurementTable(WholeText(csv), {}, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->arms, (std::vector<std::string>{"=1+1", "+c"}));
  EXPECT_EQ(read->benchmarks, (std::vector<std::string>{"@b"}));
  EXPECT_EQ(read->metrics.front().name, "-m");
}

TEST(CsvTest, ASessionWithoutRunsIsAHeader) {
  EXPECT_EQ(RunsToCsv({}, {}), "arm,role,benchmark,pair,order,started_at\n");
}

TEST(ReportTest, ShowsAFailureWithTheEndOfItsStderr) {
  ExpectGolden("failure.txt", RenderFailure("k3x9m2pq", SampleFailed()));
}

TEST(ReportTest, ReplaysWithTheSameSeedAndOptions) {
  v1::Session session = SampleSession();
  session.mutable_spec()->mutable_benchmarks(0)->mutable_arms(1)->clear_env();
  (*session.mutable_spec()->mutable_labels())["branch"] = "a b";
  EXPECT_EQ(
      ReplayCommand(session.spec(), 42),
      "benchctl compare --seed 42 --metric wall_time:2% --max-time 60s --setup 'make -s' --cwd "
      "'/home/user/my project' --label 'branch=a b' -n base -n candidate -- './bench --size 10' "
      "'./bench --size 11 --note '\\''it'\\'''\\''s'\\'''");
  v1::SessionSpec suite = session.spec();
  *suite.add_benchmarks() = suite.benchmarks(0);
  const std::string from_file = "benchctl compare --seed 42 -f FILE";
  EXPECT_EQ(ReplayCommand(suite, 42), from_file);
  suite.set_invocation("--file suite.toml --only 'p*'");
  EXPECT_EQ(ReplayCommand(suite, 42), "benchctl compare --seed 42 --file suite.toml --only 'p*'");
  suite.clear_invocation();
  v1::SessionSpec folders = session.spec();
  folders.mutable_benchmarks(0)->mutable_arms(1)->set_cwd("/elsewhere");
  EXPECT_EQ(ReplayCommand(folders, 42), from_file) << "a command line has one cwd for all arms";
  EXPECT_EQ(ReplayCommand(SampleSession().spec(), 42), from_file) << "and one environment";
}

TEST(ReportTest, ReplaysTheOwnValuesOfArms) {
  v1::Session session = SampleSession();
  v1::Benchmark& benchmark = *session.mutable_spec()->mutable_benchmarks(0);
  benchmark.mutable_arms(1)->clear_env();
  benchmark.mutable_hooks()->set_prepare("sync");
  benchmark.mutable_hooks()->set_shell(true);
  benchmark.mutable_arms(0)->set_prepare("make base");
  benchmark.mutable_arms(0)->set_shell(true);
  benchmark.mutable_arms(0)->set_interpreter("bash");
  for (int i = 0; i < 2; ++i) {
    benchmark.mutable_arms(i)->set_command("./bench");
    benchmark.mutable_arms(i)->set_input("/in-" + std::to_string(i));
  }
  EXPECT_EQ(
      ReplayCommand(session.spec(), 42),
      "benchctl compare --seed 42 --metric wall_time:2% --max-time 60s --shell=bash --shell=none "
      "--setup 'make -s' --prepare 'make base' --prepare sync --cwd '/home/user/my project' "
      "--input /in-0 --input /in-1 --label branch=main -n base -n candidate -- ./bench ./bench");
  // The shell of the hooks does not follow from those of the arms.
  benchmark.mutable_hooks()->set_interpreter("zsh");
  EXPECT_EQ(ReplayCommand(session.spec(), 42), "benchctl compare --seed 42 -f FILE");
}

TEST(ReportTest, TellsWhatArmsHaveBesidesTheirCommands) {
  using Extras = std::vector<std::pair<std::string, std::string>>;
  v1::SessionSpec spec = SampleSession().spec();
  EXPECT_EQ(ArmExtras(spec), (Extras{{"candidate", "env MALLOC_ARENA_MAX"}}));
  v1::Arm& base = *spec.mutable_benchmarks(0)->mutable_arms(0);
  base.set_shell(true);
  base.set_input("/a b");
  base.set_prepare("make\n");
  spec.mutable_benchmarks(0)->mutable_arms(1)->set_shell(true);
  spec.mutable_benchmarks(0)->mutable_arms(1)->set_interpreter("/bin/zsh");
  EXPECT_EQ(ArmExtras(spec),
            (Extras{{"base", "shell sh, input /a b, prepare " + Printable("make\n")},
                    {"candidate", "shell /bin/zsh, env MALLOC_ARENA_MAX"}}));
  *spec.add_benchmarks() = spec.benchmarks(0);
  spec.mutable_benchmarks(1)->set_name("other");
  EXPECT_EQ(ArmExtras(spec).back().first, "other/candidate");
}

TEST(ReportTest, ReplaysWhatWasFoundInProgramsAsItWasAskedFor) {
  v1::Session session = SampleSession();
  v1::Benchmark& benchmark = *session.mutable_spec()->mutable_benchmarks(0);
  benchmark.mutable_arms(1)->clear_env();
  benchmark.set_harness("criterion");
  benchmark.set_parse("libtest");
  benchmark.add_only("sum/*");
  const std::string asked = ReplayCommand(session.spec(), 42);
  EXPECT_NE(asked.find(" --harness criterion --only 'sum/*' "), std::string::npos) << asked;
  EXPECT_EQ(asked.find("--parse"), std::string::npos) << "the harness implies it: " << asked;
  *session.mutable_spec()->add_benchmarks() = benchmark;
  for (int i = 0; i < 2; ++i) {
    v1::Benchmark& found = *session.mutable_spec()->mutable_benchmarks(i);
    found.set_inner("sum/" + std::to_string(i));
    found.set_name(found.inner());
  }
  EXPECT_EQ(ReplayCommand(session.spec(), 42), asked);
}

// Sets the time zone while it exists.
class LocalTimeIn {
 public:
  explicit LocalTimeIn(const char* zone) {
    if (const char* before = std::getenv("TZ"); before != nullptr) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  LocalTimeIn(const LocalTimeIn&) = delete;
  LocalTimeIn& operator=(const LocalTimeIn&) = delete;
  ~LocalTimeIn() {
    if (before_.empty()) {
      unsetenv("TZ");
    } else {
      setenv("TZ", before_.c_str(), 1);
    }
    tzset();
  }

 private:
  std::string before_;
};

TEST(WordsTest, TheTimeZoneIsNamed) {
  google::protobuf::Timestamp time;
  time.set_seconds(1767323045);
  const LocalTimeIn zone("CET-1");
  EXPECT_EQ(LocalMoment(time), "2026-01-02 04:04:05");
  EXPECT_EQ(LocalZone(time), "CET (UTC+01:00)");
  const LocalTimeIn utc("UTC0");
  EXPECT_EQ(LocalZone(time), "UTC");
}

TEST(PagesTest, TheKernelsCommandLineIsForThoseWhoAskForEverything) {
  v1::Session session = SampleSession();
  v1::EnvironmentFact* const fact = session.mutable_started()->add_environment();
  fact->set_name("kernel_command_line");
  fact->set_value("BOOT_IMAGE=/vmlinuz quiet");
  EXPECT_EQ(RenderSession(session, {}, NameOf, kPlain).find("BOOT_IMAGE"), std::string::npos);
  EXPECT_NE(RenderSession(session, {}, NameOf, kPlain, true).find("BOOT_IMAGE"), std::string::npos);
}

TEST(PagesTest, ShowsASession) {
  const LocalTimeIn zone("CET-1");
  ExpectGolden("show.txt", RenderSession(SampleSession(), {}, NameOf, kPlain));
}

TEST(PagesTest, ListsSessions) {
  std::vector<v1::Session> sessions = {SampleSession()};
  sessions[0].clear_submitted_at();  // local time, which depends on the machine
  v1::Session queued;
  queued.set_session("aaaa1111");
  queued.set_state(v1::SESSION_STATE_QUEUED);
  queued.set_uid(7);
  queued.mutable_queued()->set_position(2);
  sessions.push_back(queued);
  ExpectGolden("list.txt", RenderList(sessions, NameOf, SampleNow(), kPlain) + "\n" +
                               RenderList(sessions, NameOf, SampleNow(), {false, true, 60}));
}

TEST(PagesTest, SaysHowTheQueueStands) {
  v1::QueueStatus status;
  EXPECT_WORDING(RenderQueue(status));
  status.set_paused(true);
  status.set_running("k3x9m2pq");
  status.set_queued(2);
  EXPECT_WORDING(RenderQueue(status));
  status.set_draining(true);
  EXPECT_WORDING(RenderQueue(status));
}

TEST(PlainLinesTest, TellsChangesAndNotEveryBlock) {
  PlainNarrator narrator(kPlain);
  std::string told;
  const auto tell = [&told, &narrator](double now, const v1::SessionEvent& event) {
    for (const std::string& line : narrator.Describe(event, now)) told += line + "\n";
  };
  tell(0, Event([](v1::SessionEvent& e) { e.mutable_queued()->set_position(2); }));
  tell(1, Event([](v1::SessionEvent& e) { e.mutable_queued()->set_position(2); }));
  tell(2, Event([](v1::SessionEvent& e) { e.mutable_queued()->set_position(1); }));
  tell(3, Event([](v1::SessionEvent& e) { *e.mutable_started() = SampleStarted(); }));
  tell(3.5, Event([](v1::SessionEvent& e) {
         e.mutable_update()->set_state(v1::SESSION_STATE_PREPARING);
       }));
  tell(3.6, Event([](v1::SessionEvent& e) {
         e.mutable_update()->set_state(v1::SESSION_STATE_RUNNING);
       }));
  tell(4, Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); }));
  tell(5, Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); }));
  tell(8.9, Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); }));
  tell(9.1, Event([](v1::SessionEvent& e) { *e.mutable_update() = SuiteUpdate(); }));
  tell(9.2, Event([](v1::SessionEvent& e) { *e.mutable_update() = SuiteUpdate(); }));
  ExpectGolden("plain_lines.txt", told);
}

TEST(PlainLinesTest, TellsHowManyBenchmarksWereFound) {
  PlainNarrator narrator(kPlain);
  const auto told = narrator.Describe(Event([](v1::SessionEvent& e) {
                                        *e.mutable_started() = SampleStarted();
                                        e.mutable_started()->set_found_benchmarks(12);
                                      }),
                                      0);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0], "found 12 benchmarks in the programs; each runs alone");
}

TEST(PlainLinesTest, TellsWhyASessionStandsStillAndThatItGoesOn) {
  PlainNarrator narrator(kPlain);
  const auto tell = [&narrator](double now, const v1::Update& update) {
    return narrator.Describe(
        Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; }), now);
  };
  EXPECT_EQ(tell(0, EarlyUpdate()).size(), 1U);
  EXPECT_EQ(tell(1, PausedUpdate()),
            std::vector<std::string>{PausedUpdate().warnings(0).message()});
  EXPECT_TRUE(tell(60, PausedUpdate()).empty()) << "no progress, no line";
  EXPECT_WORDING(Join(tell(61, EarlyUpdate()), "\n"));
  v1::Update silent;
  silent.set_state(v1::SESSION_STATE_PAUSED);
  EXPECT_WORDING(Join(tell(62, silent), "\n"));
}

TEST(PlainLinesTest, ManyGatesStandOnOneLineEveryFiveSeconds) {
  PlainNarrator narrator(kPlain);
  v1::Update update = SuiteUpdate();
  const v1::Comparison decided = update.comparisons(0);
  for (int i = 0; i < 4; ++i) {
    *update.add_comparisons() = decided;
    update.mutable_comparisons(3 + i)->set_benchmark("b" + std::to_string(i));
  }
  const auto tell = [&narrator, &update](double now) {
    return narrator.Describe(
        Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; }), now);
  };
  const auto first = tell(0);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_NE(first[0].find("b0: candidate wall_time"), std::string::npos) << first[0];
  EXPECT_WORDING(first[0]);
  EXPECT_TRUE(tell(4.9).empty());
  const auto second = tell(5);
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].find("b0: "), std::string::npos) << "told before: " << second[0];
  EXPECT_WORDING(second[0]);
}

TEST(PlainLinesTest, TheTimeLimitIsNotSaidToBeTheVerdict) {
  PlainNarrator narrator(kPlain);
  v1::Update update = SuiteUpdate();
  update.clear_eta_seconds();
  update.set_time_left_seconds(25);
  const auto lines =
      narrator.Describe(Event([&update](v1::SessionEvent& e) { *e.mutable_update() = update; }), 0);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("25 s"), std::string::npos) << lines[0];
  EXPECT_WORDING(lines[0]);
}

TEST(KnownSoFarTest, SaysWhatTheGatesIntervalsAre) {
  EXPECT_WORDING(KnownSoFar(EarlyUpdate(), kPlain));
  v1::Update one = EarlyUpdate();
  v1::Comparison& gate = *one.mutable_comparisons(0);
  gate.mutable_change()->set_lo(-0.004);
  gate.mutable_change()->set_hi(0.031);
  const std::string interval = JudgedBy(gate).Interval(kPlain);
  EXPECT_TRUE(KnownSoFar(one, kPlain).ends_with(interval)) << KnownSoFar(one, kPlain);
  EXPECT_WORDING(KnownSoFar(one, kPlain));
  gate.set_metric("cpu_time");
  EXPECT_TRUE(KnownSoFar(one, kPlain).ends_with("cpu_time " + interval));
  EXPECT_WORDING(KnownSoFar(one, kPlain));
  EXPECT_WORDING(KnownSoFar(v1::Update(), kPlain));
  // A regression first, a pass last.
  const std::string suite = KnownSoFar(SuiteUpdate(), kPlain);
  const std::size_t regression = suite.find("render a page: candidate max_rss");
  const std::size_t open = suite.find("candidate wall_time +1.2 % (");
  const std::size_t pass = suite.find("parse: candidate wall_time");
  EXPECT_LT(regression, open) << suite;
  EXPECT_LT(open, pass) << suite;
  EXPECT_NE(pass, std::string::npos) << suite;
  EXPECT_WORDING(suite);
}

TEST(WordsTest, TimesAreRfc3339) {
  google::protobuf::Timestamp time;
  time.set_seconds(1767323045);
  EXPECT_EQ(Rfc3339(time), "2026-01-02T03:04:05Z");
  time.set_nanos(678000000);
  EXPECT_EQ(Rfc3339(time), "2026-01-02T03:04:05.678Z");
  time.set_nanos(1);
  EXPECT_EQ(Rfc3339(time), "2026-01-02T03:04:05.000000001Z");
}

TEST(WidthTest, CountsTheColumnsOfATerminalAndNotCharacters) {
  EXPECT_EQ(Width("abc µ…"), 6);
  EXPECT_EQ(Width("測試"), 4);         // East Asian Width W
  EXPECT_EQ(Width("e\u0301"), 1);      // a combining accent: category Mn
  EXPECT_EQ(Width("\U0001F680!"), 3);  // an emoji
  EXPECT_EQ(Width("\x1b[31m測\x1b[0m"), 2);
  EXPECT_EQ(Width("\xff\x80x"), 3);  // not UTF-8: one column per byte, as printed
}

TEST(WidthTest, ColumnsAlignWhateverTheWidthOfTheirCharacters) {
  EXPECT_EQ(AlignColumns({{"測試", "1"}, {"e\u0301te\u0301", "2"}, {"plain", "3"}}),
            "測試   1\n"
            "e\u0301te\u0301    2\n"
            "plain  3\n");
}

TEST(ShortenTest, CutsBetweenCharactersAtTheirColumns) {
  const Style style;
  EXPECT_EQ(Shorten("測試測試", 5, style), "測試…");
  EXPECT_EQ(Shorten("測試測試", 4, style), "測…");
  EXPECT_EQ(Shorten("e\u0301te\u0301s", 3, style), "e\u0301t…");
  EXPECT_EQ(Shorten("測試", 4, style), "測試");
}

}  // namespace
}  // namespace benchd::client
