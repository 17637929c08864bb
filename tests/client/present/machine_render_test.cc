#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/present/calibration.h"
#include "client/present/json.h"
#include "client/present/pages.h"
#include "client/present/text.h"
#include "tests/client/golden.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

constexpr Style kMachinePlain{false, true, 0};
constexpr Style kNarrow{false, true, 72};

google::protobuf::Timestamp MachineNow() {
  return Event([](auto&) {}).time();
}

v1::MachineStatus SampleStatus() {
  v1::MachineStatus status;
  const v1::Started started = SampleStarted();
  *status.mutable_environment() = started.environment();
  *status.mutable_settings() = started.isolation();
  status.mutable_settings(1)->set_why(
      "user mode changes no machine setting: it has no journal that would give it back after a "
      "crash");
  status.set_profile("default");
  status.add_benchmark_cpus(1);
  status.add_benchmark_cpus(2);
  status.add_housekeeping_cpus(0);
  status.add_notes(
      "irqbalance runs and moves interrupts back; stop it while benchmarks run: "
      "systemctl stop irqbalance");
  status.add_notes("cpuset: this cgroup cannot be a partition");
  return status;
}

v1::DoctorResponse SampleSources() {
  v1::DoctorResponse response;
  v1::NoiseSource* source = response.add_sources();
  source->set_name("steal time");
  source->set_finding("the hypervisor took the CPU away for 21 ms of the second that was watched");
  source->set_advice("measure on a machine of your own, or compare cpu_time instead of wall_time");
  source->set_effect(0.0213);
  source = response.add_sources();
  source->set_name("turbo");
  source->set_finding("the clock rises and falls with load and heat");
  source->set_advice("boost = \"off\" in the machine profile");
  return response;
}

/// An A/A session of `seconds`, with intervals of ±1.2 % for wall_time and ±0.3 % for cpu_time.
v1::Update AgainstItself(double seconds) {
  v1::Update update = RegressionUpdate();
  update.set_elapsed_seconds(seconds);
  v1::Comparison* wall = update.mutable_comparisons(0);
  wall->mutable_change()->set_lo(-0.013);
  wall->mutable_change()->set_hi(0.011);
  wall->set_sd_reference(0.0003);
  wall->set_sd_candidate(0.0004);
  v1::Comparison* cpu = update.mutable_comparisons(1);
  cpu->set_role(v1::COMPARISON_ROLE_GATE);
  cpu->mutable_change()->set_lo(-0.003);
  cpu->mutable_change()->set_hi(0.003);
  return update;
}

TEST(TextTest, WrapsBetweenWordsOnly) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(WrapWords("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(WrapWords("one two three", 0), (Lines{"one two three"}));
  EXPECT_EQ(WrapWords("  one   two ", 20), (Lines{"one two"}));
  EXPECT_EQ(WrapWords("a verylongword b", 5), (Lines{"a", "verylongword", "b"}));
  EXPECT_EQ(WrapWords("", 5), (Lines{""}));
  EXPECT_EQ(WrapWords("äöü äöü", 7), (Lines{"äöü äöü"})) << "characters count, not bytes";
}

TEST(MachineTest, ShowsSettingsThenFactsThenNotes) {
  v1::MachineStatus held = SampleStatus();
  held.set_holder("session");
  held.set_session("k3x9m2pq");
  held.clear_notes();
  v1::MachineStatus off;
  off.set_profile("strict");
  off.set_session("k3x9m2pq");
  ExpectGolden("machine_status.txt", RenderMachine(SampleStatus(), kMachinePlain) + "\n" +
                                         RenderMachine(SampleStatus(), kNarrow) + "\n" +
                                         RenderMachine(held, kMachinePlain) + "\n" +
                                         RenderMachine(off, kMachinePlain));
}

TEST(MachineTest, NamesWhoHoldsTheSettings) {
  v1::MachineStatus status;
  status.set_holder("apply");
  EXPECT_WORDING(LineWith(RenderMachine(status, kMachinePlain), "benchctl machine restore"));
  status.set_holder("daemon");
  EXPECT_WORDING(LineWith(RenderMachine(status, kMachinePlain), "benchd"));
}

TEST(MachineTest, TheDoctorNumbersWhatItFound) {
  ExpectGolden("doctor.txt", RenderDoctor(SampleSources(), kMachinePlain) + "\n" +
                                 RenderDoctor(SampleSources(), kNarrow) + "\n" +
                                 RenderDoctor(SampleSources(), {true, true, 40}) + "\n" +
                                 RenderDoctor({}, kMachinePlain));
}

TEST(MachineTest, JsonHasOneObjectForEach) {
  v1::MachineStatus held = SampleStatus();
  held.set_holder("session");
  held.set_session("k3x9m2pq");
  v1::ReserveResponse waiting;
  v1::ReserveResponse mine;
  mine.set_held(true);
  mine.set_remaining_seconds(59.5);
  ExpectGolden("machine.jsonl",
               MessageLine("machine", SampleStatus().session(), SampleStatus(), MachineNow()) +
                   "\n" + MessageLine("machine", held.session(), held, MachineNow()) + "\n" +
                   MessageLine("doctor", "", SampleSources(), MachineNow()) + "\n" +
                   MessageLine("doctor", "", v1::DoctorResponse(), MachineNow()) + "\n" +
                   MessageLine("reserve", "", waiting, MachineNow()) + "\n" +
                   MessageLine("reserve", "", mine, MachineNow()) + "\n");
}

TEST(MachineTest, ForeignTextIsHarmless) {
  v1::MachineStatus status = SampleStatus();
  status.mutable_settings(0)->set_actual("\x1b[2J");
  status.set_notes(0, "\x1b[2J");
  status.set_profile("\x1b[2J");
  v1::DoctorResponse sources = SampleSources();
  sources.mutable_sources(0)->set_finding("\x1b[2J");
  EXPECT_EQ(
      (RenderMachine(status, kMachinePlain) + RenderDoctor(sources, kMachinePlain)).find('\x1b'),
      std::string::npos);
}

TEST(SettingsTableTest, HasAColumnForTheEndWhereSomethingChanged) {
  v1::Session session = SampleSession();
  v1::Started* started = session.mutable_started();
  started->mutable_isolation(0)->set_at_end("1");
  EXPECT_EQ(RenderSettings(started->isolation(), kMachinePlain).find("at end"), std::string::npos);
  started->mutable_isolation(0)->set_at_end("0-3");
  started->mutable_isolation(1)->set_at_end("powersave");
  ExpectGolden("settings_changed.txt", RenderSettings(started->isolation(), kMachinePlain) + "\n" +
                                           RenderSettings(started->isolation(), kNarrow) + "\n" +
                                           RenderSettings(started->isolation(), {false, true, 50}));
  EXPECT_EQ(RenderSettings({}, kMachinePlain), "");
}

TEST(JsonTest, ShowTellsHowSettingsStoodAtTheEndAndEventsDoNot) {
  v1::Session session = SampleSession();
  session.mutable_started()->mutable_isolation(0)->set_at_end("0-3");
  const auto shown =
      nlohmann::json::parse(MessageLine("session", session.session(), session, MachineNow()));
  EXPECT_EQ(shown["started"]["isolation"][0]["at_end"], "0-3");
  EXPECT_FALSE(shown["started"]["isolation"][1].contains("at_end"));
  const auto event = nlohmann::json::parse(EventJson(
      Event([&session](v1::SessionEvent& e) { *e.mutable_started() = session.started(); })));
  EXPECT_FALSE(event["isolation"][0].contains("at_end"));
}

TEST(QueueTest, SaysWhoHasTheMachineReserved) {
  v1::QueueStatus status;
  status.set_reserved_by(1000);
  EXPECT_NE(RenderQueue(status).find("uid 1000"), std::string::npos);
  EXPECT_WORDING(RenderQueue(status));
  EXPECT_EQ(nlohmann::json::parse(MessageLine("queue", "", status, MachineNow()))["reserved_by"],
            1000);
}

TEST(CalibrationTest, HalfTheIntervalIsTheChangeThatStandsOut) {
  const Calibration calibration = CalibrationOf(AgainstItself(15));
  ASSERT_EQ(calibration.metrics.size(), 2U) << "the gates";
  EXPECT_EQ(calibration.confidence, 0.99);
  const NoiseFloor& wall = calibration.metrics[0];
  EXPECT_EQ(wall.metric, "wall_time");
  EXPECT_EQ(wall.runs, 12U);
  EXPECT_DOUBLE_EQ(wall.mean, (0.010123 + 0.011155) / 2);
  // sqrt((0.3^2 + 0.4^2) / 2) = 0.5 / sqrt(2)
  EXPECT_DOUBLE_EQ(wall.sd, 0.0005 / std::sqrt(2));
  EXPECT_DOUBLE_EQ(*wall.seen, 0.012);
  // Measured for a quarter of a minute; a whole minute halves the interval.
  EXPECT_DOUBLE_EQ(*wall.seen_in_minute, 0.006);
  EXPECT_TRUE(calibration.scaled());
  EXPECT_FALSE(CalibrationOf(AgainstItself(60.5)).scaled());
}

TEST(CalibrationTest, WithoutAnIntervalThereIsNothingToSee) {
  const Calibration calibration = CalibrationOf(EarlyUpdate());
  ASSERT_EQ(calibration.metrics.size(), 1U);
  EXPECT_FALSE(calibration.metrics[0].seen);
  EXPECT_FALSE(calibration.metrics[0].seen_in_minute);
  const std::string text = RenderCalibration(calibration, kMachinePlain);
  EXPECT_WORDING(text.substr(text.find("\n\n") + 2));
  const auto json = nlohmann::json::parse(CalibrationJson(calibration, "k3x9m2pq", MachineNow()));
  EXPECT_FALSE(json["metrics"][0].contains("seen"));
}

TEST(CalibrationTest, PrintsWhatCanBeSeen) {
  v1::Update alike = AgainstItself(60);
  alike.mutable_comparisons(1)->mutable_change()->set_lo(-0.011);
  alike.mutable_comparisons(1)->mutable_change()->set_hi(0.011);
  ExpectGolden("calibration.txt",
               RenderCalibration(CalibrationOf(AgainstItself(15)), kMachinePlain) + "\n" +
                   RenderCalibration(CalibrationOf(alike), kMachinePlain));
  ExpectGolden("calibration.jsonl",
               CalibrationJson(CalibrationOf(AgainstItself(15)), "k3x9m2pq", MachineNow()) + "\n");
}

}  // namespace
}  // namespace benchd::client
