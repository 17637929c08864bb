// Runs `benchctl machine` and `benchctl calibrate` as processes against a fake daemon.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "client/link/host.h"
#include "tests/client/program.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

using Asked = std::vector<std::string>;

v1::ReserveResponse Waiting() { return {}; }
v1::ReserveResponse Mine(double seconds) {
  v1::ReserveResponse response;
  response.set_held(true);
  response.set_remaining_seconds(seconds);
  return response;
}

class MachineProgramTest : public ProgramTest {
 protected:
  MachineProgramTest() {
    v1::MachineStatus status;
    status.set_profile("quiet");
    *status.mutable_settings() = SampleStarted().isolation();
    daemon_->machine().SetStatus(status);
  }

  /// The output so far of a program that is still running.
  std::string Printed() const {
    std::ifstream file(dir_ / "out");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(MachineProgramTest, StatusApplyAndRestorePrintHowTheMachineStands) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"machine", "status"},
                                                {"machine", "status", "quiet"},
                                                {"machine", "apply", "quiet"},
                                                {"machine", "restore"}}) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find("profile  quiet\n"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find("governor  performance  powersave  no"), std::string::npos);
    EXPECT_EQ(ended.err, "");
  }
  EXPECT_EQ(daemon_->machine().asked(), (Asked{"get ", "get quiet", "apply quiet", "restore"}));
  EXPECT_EQ(nlohmann::json::parse(Run({"machine", "status", "--json"}).out)["profile"], "quiet");
}

TEST_F(MachineProgramTest, DoctorSaysWhenThereIsNothing) {
  const Ended nothing = Run({"machine", "doctor"});
  EXPECT_EQ(nothing.exit_code, 0) << nothing.err;
  EXPECT_WORDING(nothing.out);
  EXPECT_TRUE(nlohmann::json::parse(Run({"machine", "doctor", "--json"}).out)["sources"].empty());
}

TEST_F(MachineProgramTest, WhatTheDaemonRefusesIsItsSentence) {
  daemon_->machine().Refuse({grpc::StatusCode::FAILED_PRECONDITION,
                             "apply: user mode changes no machine setting", "use the system's"});
  const Ended ended = Run({"machine", "apply"});
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_EQ(ended.err,
            "error: apply: user mode changes no machine setting\nhint: use the system's\n");
  daemon_->machine().Refuse(
      {grpc::StatusCode::INVALID_ARGUMENT, "machine-profile: unknown profile 'x'"});
  EXPECT_EQ(Run({"machine", "status", "x"}).exit_code, 2);
}

TEST_F(MachineProgramTest, SaysWhomItWaitsFor) {
  daemon_->SetRunning("k3x9m2pq");
  const Ended waited = Run({"machine", "doctor"});
  EXPECT_NE(waited.err.find("session k3x9m2pq"), std::string::npos) << waited.err;
  EXPECT_WORDING(waited.err);
  EXPECT_EQ(Run({"machine", "status"}).err, "") << "answered at once";
}

TEST_F(MachineProgramTest, WrongWordsAreTold) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"machine"},
                                                {"machine", "--json"},
                                                {"machine", "frobnicate"},
                                                {"machine", "stats"},
                                                {"machin"},
                                                {"machine", "status", "a", "b"},
                                                {"machine", "doctor", "now"},
                                                {"machine", "reserve"}}) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 2) << ended.out;
    EXPECT_TRUE(ended.err.starts_with("error: ")) << ended.err;
    EXPECT_WORDING(ended.err);
  }
  EXPECT_EQ(Run({"machine", "reserve", "--for", "soon"}).exit_code, 2);
  EXPECT_EQ(Run({"machine", "reserve", "--for", "1m", "sleep 1"}).exit_code, 2);
  EXPECT_EQ(Run({"calibrate", "a", "b"}).exit_code, 2);
  EXPECT_EQ(Run({"calibrate", "--for", "x"}).exit_code, 2);
  EXPECT_EQ(Run({"calibrate", "--margin", "1%"}).exit_code, 2) << "not one of its options";
  EXPECT_TRUE(daemon_->machine().asked().empty());
}

TEST_F(MachineProgramTest, HelpComesForTheGroupAndForEachCommand) {
  const Ended group = Run({"machine", "--help"});
  EXPECT_EQ(group.exit_code, 0);
  EXPECT_NE(group.out.find("  machine doctor "), std::string::npos) << group.out;
  EXPECT_EQ(group.out.find("  compare "), std::string::npos);
  const Ended reserve = Run({"machine", "reserve", "--help"});
  EXPECT_EQ(reserve.exit_code, 0);
  EXPECT_NE(reserve.out.find("usage: benchctl machine reserve --for D"), std::string::npos);
  EXPECT_NE(reserve.out.find("--for D"), std::string::npos);
}

TEST_F(MachineProgramTest, AReservationEndsByItself) {
  daemon_->machine().SetReservation({Waiting(), Mine(600), Mine(0)}, /*ends=*/true);
  const Ended ended = Run({"machine", "reserve", "--for", "10m"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_WORDING(ended.out);
  EXPECT_WORDING(ended.err);
  EXPECT_EQ(daemon_->machine().asked(), (Asked{"reserve 600.000000"}));
}

TEST_F(MachineProgramTest, AReservationSaysWhoIsBeforeIt) {
  daemon_->machine().SetReservation({Waiting(), Mine(60), Mine(0)}, /*ends=*/true);
  daemon_->SetRunning("k3x9m2pq");
  EXPECT_WORDING(LineWith(Run({"machine", "reserve", "--for", "1m"}).err, "k3x9m2pq"));
  daemon_->SetRunning("");
  daemon_->SetReservedBy(::getuid());
  const std::string user = UserName(::getuid());
  const Ended reserved = Run({"machine", "reserve", "--for", "1m"});
  EXPECT_WORDING(LineWith(reserved.err, "benchctl: " + user), {{user, "USER"}});
}

TEST_F(MachineProgramTest, CtrlCGivesTheMachineBack) {
  daemon_->machine().SetReservation({Waiting(), Mine(600)}, /*ends=*/false);
  const pid_t pid = Start({"machine", "reserve", "--for", "10m", "--json"});
  // Wait until it reports that it has the machine.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (Printed().find("true") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
  kill(pid, SIGINT);
  const Ended ended = Wait(pid);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::vector<bool> held;
  for (std::string line; std::getline(lines, line);) {
    held.push_back(nlohmann::json::parse(line)["held"]);
  }
  EXPECT_EQ(held, (std::vector<bool>{false, true}));
}

TEST_F(MachineProgramTest, CtrlCWhileItWaitsIsAnInterrupt) {
  daemon_->machine().SetReservation({Waiting()}, /*ends=*/false);
  const pid_t pid = Start({"machine", "reserve", "--for", "10m"});
  daemon_->machine().AwaitReservation();
  kill(pid, SIGINT);
  const Ended ended = Wait(pid);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_EQ(ended.out, "");
}

TEST_F(MachineProgramTest, CalibrateComparesACommandWithItselfUntilTheTimeIsOver) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) {
    *e.mutable_verdict() = RegressionUpdate();
    e.mutable_verdict()->set_verdict(v1::VERDICT_UNDECIDED);
  })});
  const Ended ended = Run({"calibrate", "--for", "5s", "--cpus", "2-3", "--isolation", "off",
                           "--machine-profile", "quiet", "./bench x"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("wall_time   2 x 12"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("warning: candidate: 2 of 12 values"), std::string::npos);
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  ASSERT_EQ(spec.benchmarks(0).arms_size(), 2);
  for (const v1::Arm& arm : spec.benchmarks(0).arms()) EXPECT_EQ(arm.command(), "./bench x");
  ASSERT_EQ(spec.benchmarks(0).gates_size(), 2);
  EXPECT_EQ(spec.benchmarks(0).gates(0).metric(), "wall_time");
  EXPECT_EQ(spec.benchmarks(0).gates(1).metric(), "cpu_time");
  EXPECT_EQ(spec.limits().max_time_seconds(), 5);
  EXPECT_LT(spec.rule().precision_width(), 1e-9);
  EXPECT_GT(spec.rule().precision_width(), 0);
  EXPECT_EQ(spec.cpus(), "2-3");
  EXPECT_EQ(spec.isolation(), v1::ISOLATION_OFF);
  EXPECT_EQ(spec.machine_profile(), "quiet");
}

TEST_F(MachineProgramTest, CalibrateEndsItsJsonWithTheCalibration) {
  daemon_->SetScript(
      {Event([](v1::SessionEvent& e) { *e.mutable_verdict() = RegressionUpdate(); })});
  const Ended ended = Run({"calibrate", "--json"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::istringstream lines(ended.out);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    events.push_back(nlohmann::json::parse(line)["event"]);
  }
  EXPECT_EQ(events, (std::vector<std::string>{"verdict", "calibration"}));
  EXPECT_EQ(daemon_->last_submit().spec().limits().max_time_seconds(), 60);
  EXPECT_TRUE(daemon_->last_submit().spec().benchmarks(0).arms(0).command().starts_with("sh -c "));
}

TEST_F(MachineProgramTest, ACalibrationThatFailsIsAFailedSession) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) { *e.mutable_failed() = SampleFailed(); })});
  EXPECT_EQ(Run({"calibrate"}).exit_code, 4);
}

TEST_F(MachineProgramTest, ASessionBehindAReservationSaysSo) {
  daemon_->SetReservedBy(::getuid());
  daemon_->SetScript(
      {Event([](v1::SessionEvent& e) { *e.mutable_verdict() = RegressionUpdate(); })});
  const std::string user = UserName(::getuid());
  EXPECT_WORDING(LineWith(Run({"compare", "a", "b"}).err, user), {{user, "USER"}});
}

}  // namespace
}  // namespace benchd::client
