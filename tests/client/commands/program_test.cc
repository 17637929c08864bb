// Runs benchctl as a process against a daemon that plays back events.
#include "tests/client/program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "client/present/live_view.h"
#include "tests/client/refusals.h"
#include "tests/client/samples.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

v1::SessionEvent Running() {
  return Event([](v1::SessionEvent& e) { *e.mutable_update() = EarlyUpdate(); });
}
v1::SessionEvent Started() {
  return Event([](v1::SessionEvent& e) { *e.mutable_started() = SampleStarted(); });
}
v1::SessionEvent Queued(std::uint64_t position) {
  return Event([position](v1::SessionEvent& e) { e.mutable_queued()->set_position(position); });
}
// The last update of a session that waits to resume.
v1::SessionEvent Interrupted() {
  return Event([](v1::SessionEvent& e) {
    *e.mutable_update() = EarlyUpdate();
    e.mutable_update()->set_state(v1::SESSION_STATE_QUEUED);
  });
}
v1::SessionEvent Verdict(v1::Verdict verdict) {
  return Event([verdict](v1::SessionEvent& e) {
    *e.mutable_verdict() = RegressionUpdate();
    e.mutable_verdict()->set_verdict(verdict);
  });
}

TEST_F(ProgramTest, TheExitCodeIsTheVerdict) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_PASS)});
  EXPECT_EQ(Run({"compare", "a", "b"}).exit_code, 0);
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_REGRESSION)});
  EXPECT_EQ(Run({"compare", "a", "b"}).exit_code, 1);
  EXPECT_EQ(Run({"watch", "k3"}).exit_code, 1);
  daemon_->SetScript({Verdict(v1::VERDICT_UNDECIDED)});
  EXPECT_EQ(Run({"compare", "a", "b"}).exit_code, 3);
}

TEST_F(ProgramTest, ResultsGoToStdoutAndProgressToStderr) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_REGRESSION)});
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_WORDING(LineWith(ended.out, "REGRESSION: "));
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos) << "no terminal, no escape sequences";
  EXPECT_WORDING(LineWith(ended.err, "6 blocks"));
}

TEST_F(ProgramTest, HowMuchIsToldIsTheReadersChoice) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_REGRESSION)});
  const Ended quiet = Run({"compare", "--quiet", "a", "b"});
  EXPECT_TRUE(quiet.out.starts_with("REGRESSION: ")) << quiet.out;
  EXPECT_WORDING(quiet.out);
  EXPECT_EQ(quiet.err, "") << "no progress either";
  EXPECT_NE(Run({"watch", "--verbose", "k3"}).out.find("10.123 ± 0.054 ms"), std::string::npos);
  EXPECT_NE(Run({"watch", "--time-unit=us", "k3"}).out.find("10123 µs"), std::string::npos);
  EXPECT_NE(Run({"show", "--time-unit", "s", "k3"}).out.find("0.010123 ± 0.000054 s"),
            std::string::npos);
  const Ended both = Run({"compare", "--quiet", "--verbose", "a", "b"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_WORDING(both.err);
  const Ended unit = Run({"watch", "--time-unit", "h", "k3"});
  EXPECT_EQ(unit.exit_code, 2);
  EXPECT_WORDING(unit.err);
}

TEST_F(ProgramTest, AValueThatIsGivenTwiceIsAnError) {
  const auto said = [this](const std::vector<std::string>& words) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_WORDING(said({"compare", "--margin", "2%", "--margin=3%", "a", "b"}));
  EXPECT_WORDING(said({"compare", "-s", "x", "--setup", "y", "a", "b"}));
  EXPECT_WORDING(said({"--socket", "x", "list", "--socket", "y"}));
}

TEST_F(ProgramTest, AValueThatSaysNothingIsAnError) {
  for (const char* option : {"--cpus", "--machine-profile"}) {
    const auto ended = Run({"compare", option, "", "a", "b"});
    EXPECT_EQ(ended.exit_code, 2) << option;
    EXPECT_WORDING(ended.err);
  }
  const auto ended = Run({"top", "--count", "0"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_WORDING(ended.err);
}

TEST_F(ProgramTest, AFileThatGitLfsDidNotFetchIsNamed) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  std::ofstream(dir_ / "data.bin") << "version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
  const Ended ended =
      Run({"compare", "--cwd", std::string(dir_.path()), "cat data.bin", "cat data.bin"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_WORDING(LineWith(ended.err, "data.bin"));
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  ASSERT_EQ(spec.lfs_pointers_size(), 1) << "for the verdict";
  EXPECT_EQ(spec.lfs_pointers(0), "data.bin");
}

TEST_F(ProgramTest, SendsWhatItsCallerHas) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  more_environment_ = {"BENCHCTL_TEST_BROKEN=\xff"};
  const Ended ended = Run({"compare", "-n", "old", "./a x", "./b y"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_WORDING(LineWith(ended.err, "BENCHCTL_TEST_BROKEN"));
  const v1::SubmitRequest request = daemon_->last_submit();
  EXPECT_EQ(request.request_id().size(), 32U);
  EXPECT_EQ(request.spec().environment().at("LC_ALL"), "C.UTF-8");
  EXPECT_EQ(request.spec().environment().count("BENCHCTL_TEST_BROKEN"), 0U);
  EXPECT_EQ(request.spec().benchmarks(0).arms(0).name(), "old");
  EXPECT_EQ(request.spec().benchmarks(0).arms(0).cwd(), std::filesystem::current_path().string());
}

TEST_F(ProgramTest, JsonLinesAreOnStdoutAlone) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_REGRESSION)});
  const Ended ended = Run({"compare", "--json", "a", "b"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err, "");
  std::istringstream lines(ended.out);
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);) {
    events.push_back(nlohmann::json::parse(line)["event"]);
  }
  EXPECT_EQ(events, (std::vector<std::string>{"update", "verdict"}));
}

TEST_F(ProgramTest, AFailedSessionIsToldOnStderr) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) { *e.mutable_failed() = SampleFailed(); })});
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_EQ(ended.exit_code, 4);
  EXPECT_TRUE(ended.err.starts_with("error: session k3x9m2pq ")) << ended.err;
  EXPECT_NE(ended.err.find("\nhint: "), std::string::npos) << ended.err;
  EXPECT_WORDING(LineWith(ended.err, "error: "));
}

TEST_F(ProgramTest, SomebodyElsesCancelIsCode6) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) { e.mutable_cancelled()->set_by("uid 0"); })});
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_EQ(ended.exit_code, 6);
  EXPECT_WORDING(ended.err);
}

TEST_F(ProgramTest, SigintAndSigtermCancelTheComparedSession) {
  for (const int signal : {SIGINT, SIGTERM}) {
    daemon_ = nullptr;  // the socket's path must be free first
    daemon_ = std::make_unique<FakeDaemon>(dir_ / "d.sock");
    daemon_->SetScript({Running()});
    const pid_t pid = Start({"compare", "a", "b"});
    daemon_->AwaitWatcher();
    kill(pid, signal);
    const Ended ended = Wait(pid);
    EXPECT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_TRUE(daemon_->cancelled());
    EXPECT_WORDING(LineWith(ended.err, "session k3x9m2pq"));
  }
}

TEST_F(ProgramTest, ACancelledSessionSaysWhatIsKnownSoFar) {
  daemon_->SetScript({Running()});
  const std::string known = KnownSoFar(EarlyUpdate(), {false, true, 0});
  for (const bool json : {false, true}) {
    std::vector<std::string> words = {"compare", "a", "b"};
    if (json) words.emplace_back("--json");
    const pid_t pid = Start(words);
    daemon_->AwaitWatcher();
    kill(pid, SIGINT);
    const Ended ended = Wait(pid);
    EXPECT_EQ(ended.err.find(known + "\n") != std::string::npos, !json) << ended.err;
    daemon_ = nullptr;
    daemon_ = std::make_unique<FakeDaemon>(dir_ / "d.sock");
    daemon_->SetScript({Running()});
  }
}

TEST_F(ProgramTest, SigintLeavesAWatchedSessionRunning) {
  daemon_->SetScript({Running()});
  const pid_t pid = Start({"watch", "k3x9m2pq"});
  daemon_->AwaitWatcher();
  kill(pid, SIGINT);
  const Ended ended = Wait(pid);
  EXPECT_EQ(ended.exit_code, 130);
  EXPECT_FALSE(daemon_->cancelled());
  EXPECT_WORDING(LineWith(ended.err, "benchctl watch k3x9m2pq"));
}

TEST_F(ProgramTest, SighupLeavesTheSessionRunning) {
  daemon_->SetScript({Running()});
  const pid_t pid = Start({"compare", "a", "b"});
  daemon_->AwaitWatcher();
  kill(pid, SIGHUP);
  const Ended ended = Wait(pid);
  EXPECT_EQ(ended.signal, SIGHUP);
  EXPECT_FALSE(daemon_->cancelled());
}

TEST_F(ProgramTest, AWatchGoesOnAfterTheDaemonWentAway) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_PASS)});
  daemon_->BreakWatches(2);
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_WORDING(LineWith(ended.err, "30 s"));
  EXPECT_EQ(daemon_->request_ids().size(), 1U) << "watched again, not submitted again";
}

TEST_F(ProgramTest, ADaemonThatWentAwayIsToldOnceUntilItSaysSomething) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_PASS)});
  daemon_->RefuseWatches(3, {grpc::StatusCode::UNAVAILABLE, "benchd is stopping"});
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_WORDING(ended.err.substr(0, ended.err.find("benchctl: running: ")));
}

TEST_F(ProgramTest, AnotherDaemonAtTheSameSocketIsWatchedAndItsVerdictPrinted) {
  daemon_->SetScript({Started(), Running()});
  const pid_t pid = Start({"compare", "a", "b"});
  daemon_->AwaitWatcher();
  daemon_ = nullptr;
  daemon_ = std::make_unique<FakeDaemon>(dir_ / "d.sock");
  // The session was interrupted: it waits, starts again and continues.
  daemon_->SetScript(
      {Started(), Queued(1), Interrupted(), Started(), Running(), Verdict(v1::VERDICT_REGRESSION)});
  const Ended ended = Wait(pid);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_WORDING(LineWith(ended.out, "REGRESSION: "));
  EXPECT_WORDING(ended.err);
}

TEST_F(ProgramTest, OneRequestTooManyIsAskedAgain) {
  daemon_->HoldOffSubmits(2);
  const Ended ended = Run({"submit", "a", "b"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "k3x9m2pq\n");
  EXPECT_EQ(daemon_->request_ids().size(), 3U);
  daemon_->HoldOffSubmits(3);
  const Ended refused = Run({"submit", "a", "b"});
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_EQ(refused.err, "error: too many requests: uid 1000 makes too many\n");
}

TEST_F(ProgramTest, MoveSaysTheNewPlace) {
  const Ended moved = Run({"move", "k3x9", "--priority", "-2"});
  EXPECT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_TRUE(moved.out.starts_with("k3x9m2pq: ")) << moved.out;
  EXPECT_WORDING(moved.out);
  EXPECT_EQ(daemon_->last_move().session(), "k3x9");
  EXPECT_EQ(daemon_->last_move().priority(), -2);
  const auto json = nlohmann::json::parse(Run({"move", "k3x9", "--priority=-2", "--json"}).out);
  EXPECT_EQ(json["event"], "move");
  EXPECT_EQ(json["position"], 3);

  const Ended denied = Run({"move", "k3x9", "--priority", "5"});
  EXPECT_EQ(denied.exit_code, 5);
  EXPECT_EQ(denied.err,
            "error: priority: only admins may raise it\n"
            "hint: ask root or the group benchd-admin\n");
  const Ended without = Run({"move", "k3x9"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_WORDING(without.err);
  EXPECT_EQ(Run({"move", "--priority", "1"}).exit_code, 2);
  EXPECT_EQ(Run({"move", "k3x9", "--priority", "high"}).exit_code, 2);
}

TEST_F(ProgramTest, ARetriedSubmitKeepsItsRequestId) {
  daemon_->RefuseSubmit({grpc::StatusCode::UNAVAILABLE, "Socket closed"});
  const Ended ended = Run({"submit", "a", "b"});
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_WORDING(ended.err);
  const std::vector<std::string> ids = daemon_->request_ids();
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[1], ids[2]);
}

TEST_F(ProgramTest, ARefusedSubmitIsTheDaemonsSentence) {
  daemon_->RefuseSubmit(
      {grpc::StatusCode::UNIMPLEMENTED, "--method welch: it is not offered yet", "use paired"});
  const Ended ended = Run({"compare", "--method", "welch", "a", "b"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err, "error: --method welch: it is not offered yet\nhint: use paired\n");
  EXPECT_EQ(ended.out, "");
}

TEST_F(ProgramTest, SubmitPrintsTheSession) {
  const Ended ended = Run({"submit", "a", "b"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out, "k3x9m2pq\n");
  EXPECT_NE(ended.err.find("benchctl watch k3x9m2pq"), std::string::npos) << ended.err;
  EXPECT_WORDING(ended.err);
  EXPECT_EQ(Run({"compare", "--detach", "a", "b"}).out, "k3x9m2pq\n");
}

TEST_F(ProgramTest, OtherCommandsAnswer) {
  EXPECT_NE(Run({"list"}).out.find("k3x9m2pq  done"), std::string::npos);
  EXPECT_NE(Run({"show", "k3"}).out.find("again: benchctl compare --seed "), std::string::npos);
  EXPECT_WORDING(Run({"cancel", "k3x9"}).out) << "its whole ID";
  EXPECT_WORDING(Run({"cancel", "k3x9m2pq"}).out);
  EXPECT_EQ(nlohmann::json::parse(Run({"cancel", "--json", "k3"}).out)["session"], "k3x9m2pq");
  EXPECT_TRUE(
      Run({"export", "k3"}).out.starts_with("arm,role,benchmark,pair,order,started_at,wall_time,"));
  EXPECT_EQ(nlohmann::json::parse(Run({"export", "k3", "--format", "json"}).out)["runs"].size(), 4U)
      << "without those of the block that was dropped";
  EXPECT_NE(Run({"version"}).out.find("benchd 9.9.9 (pid 77)\n"), std::string::npos);
}

TEST_F(ProgramTest, WithoutAnIdTheCallersNewestSessionIsMeant) {
  daemon_->SetScript({Verdict(v1::VERDICT_REGRESSION)});
  daemon_->SetListed(30);
  daemon_->SetOldestOwner(geteuid());
  EXPECT_EQ(Run({"watch"}).exit_code, 1);
  EXPECT_NE(Run({"show"}).out.find("k3x9m2pq"), std::string::npos);
  EXPECT_EQ(Run({"export"}).out, Run({"export", "k3x9m2pq"}).out);
  daemon_->SetOldestOwner(geteuid() + 1);
  for (const char* command : {"watch", "show", "export"}) {
    const Ended ended = Run({command});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_WORDING(ended.err);
  }
  EXPECT_EQ(Run({"cancel"}).exit_code, 2) << "never by guessing";
  EXPECT_EQ(Run({"show", "k3", "k4"}).exit_code, 2);
}

TEST_F(ProgramTest, ShowOutputKeepsTheLogAndPrintsItBeforeTheResult) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  const Ended ended = Run({"compare", "--show-output", "a", "b"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err, "== base, block 0\nhello\x1b[31m\n") << "no terminal: as it was written";
  EXPECT_EQ(daemon_->last_submit().spec().benchmarks(0).output(), v1::OUTPUT_KIND_LOG);
  EXPECT_EQ(Run({"compare", "--show-output", "--output", "log", "a", "b"}).exit_code, 0);
  for (const char* place : {"null", "pipe", "/tmp/file"}) {
    const Ended refused = Run({"compare", "--show-output", "--output", place, "a", "b"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_WORDING(refused.err);
  }
  const Ended detached = Run({"compare", "--show-output", "--detach", "a", "b"});
  EXPECT_EQ(detached.exit_code, 2);
  EXPECT_WORDING(detached.err);
}

TEST_F(ProgramTest, AListIsTheNewestTwentyAndSaysThatThereAreMore) {
  daemon_->SetListed(20);
  EXPECT_EQ(Run({"list"}).err, "");
  daemon_->SetListed(30);
  const auto sessions = [](const Ended& ended) {
    return std::count(ended.out.begin(), ended.out.end(), '\n') - 1;  // without the header
  };
  const Ended newest = Run({"list"});
  EXPECT_EQ(sessions(newest), 20);
  EXPECT_WORDING(newest.err);
  const Ended every = Run({"list", "--all"});
  EXPECT_EQ(sessions(every), 30);
  EXPECT_EQ(every.err, "");
}

TEST_F(ProgramTest, OptionsOfAllCommandsStandBeforeOrAfterTheCommand) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"list", "--json"}, {"--json", "list"}, {"--no-autostart", "--json", "list"}}) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(nlohmann::json::parse(ended.out)["event"], "session");
  }
  const std::string socket = dir_ / "other.sock";
  EXPECT_NE(Run({"--socket", socket, "list"}).err.find(socket + " (--socket)"), std::string::npos);
  EXPECT_NE(Run({"machine", "--socket=" + socket, "status"}).err.find(socket), std::string::npos);
}

TEST_F(ProgramTest, HelpIsGivenForWhatIsNamed) {
  const std::string compare = Run({"compare", "--help"}).out;
  EXPECT_TRUE(compare.starts_with("usage: benchctl compare ")) << compare;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"help", "compare"}, {"--help", "compare"}, {"compare", "-h"}, {"-h", "compare", "a"}}) {
    EXPECT_EQ(Run(words).out, compare);
  }
  EXPECT_EQ(Run({"help", "machine", "status"}).out, Run({"machine", "status", "--help"}).out);
  EXPECT_EQ(Run({"help", "machine"}).out, Run({"machine", "help"}).out);
  EXPECT_EQ(Run({"help"}).out, Run({"--help"}).out);
  EXPECT_EQ(Run({"help", "compare"}).exit_code, 0);
  const Ended nothing = Run({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_TRUE(nothing.err.starts_with("usage: benchctl COMMAND [OPTIONS]\n")) << nothing.err;
}

TEST_F(ProgramTest, EveryMistypedWordGetsASuggestion) {
  const auto said = [this](const std::vector<std::string>& words) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{"comprae", "a", "b"},
                                                {"help", "comprae"},
                                                {"machine", "stats"},
                                                {"status"},
                                                {"machine"},
                                                {"--json"},
                                                {"--jsno", "list"},
                                                {"--margin", "2%", "compare", "a", "b"},
                                                {"-w", "3", "compare", "a", "b"},
                                                {"list", "--state", "don"},
                                                {"./a x", "./b x"},
                                                {"help", "list", "show"}}) {
    EXPECT_WORDING(said(words));
  }
}

TEST_F(ProgramTest, LettersAreThoseOfHyperfine) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  const Ended ended =
      Run({"compare", "-w", "3", "-r9", "-i",  "-p", "make x", "-s",  "a",       "-c",
           "b",       "-C", "c", "-n",  "old", "-L", "t",      "1,2", "./a {t}", "./b"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  EXPECT_EQ(spec.warmup(), 3U);
  EXPECT_EQ(spec.limits().runs(), 9U);
  ASSERT_EQ(spec.benchmarks_size(), 2);
  EXPECT_TRUE(spec.benchmarks(0).ignore_failure());
  EXPECT_EQ(spec.benchmarks(0).hooks().prepare(), "make x");
  EXPECT_EQ(spec.benchmarks(0).hooks().setup(), "a");
  EXPECT_EQ(spec.benchmarks(0).hooks().cleanup(), "b");
  EXPECT_EQ(spec.benchmarks(0).hooks().conclude(), "c");
  EXPECT_EQ(Run({"compare", "-m", "9", "-M", "20", "a", "b"}).exit_code, 0);
  EXPECT_EQ(daemon_->last_submit().spec().limits().min_runs(), 9U);
  EXPECT_EQ(daemon_->last_submit().spec().limits().max_runs(), 20U);
}

TEST_F(ProgramTest, AShellTellsWhatItCostsWhileNobodyMeasures) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  const auto tells = [this](const std::vector<std::string>& words) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.err.find("`sh -c`") != std::string::npos;
  };
  EXPECT_TRUE(tells({"compare", "--shell", "a | b", "c"}));
  EXPECT_FALSE(tells({"compare", "a", "c"}));
  EXPECT_FALSE(tells({"compare", "--shell", "--json", "a", "c"}));
  daemon_->SetRunning("aaaa1111");
  EXPECT_FALSE(tells({"compare", "--shell", "a", "c"})) << "it would disturb that session";
}

TEST_F(ProgramTest, RefusalsHaveTheContractsCodes) {
  const Ended unknown = Run({"show", "zzz"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.err,
            "error: no session matches 'zzz'\nhint: benchctl list --all shows the IDs\n");
  const Ended denied = Run({"pause"});
  EXPECT_EQ(denied.exit_code, 5);
  EXPECT_EQ(denied.err,
            "error: pause: only admins may\nhint: ask root or the group benchd-admin\n");
  EXPECT_EQ(Run({"frobnicate"}).exit_code, 2);
  EXPECT_EQ(Run({"compare", "--no-such-option", "a", "b"}).exit_code, 2);
  EXPECT_EQ(Run({"export", "k3", "--format", "yaml"}).exit_code, 2);
  EXPECT_EQ(Run({"list", "extra"}).exit_code, 2);
  EXPECT_EQ(Run({}).exit_code, 2);
}

}  // namespace
}  // namespace benchd::client
