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

#include "tests/client/samples.h"

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
  EXPECT_NE(ended.out.find(
                "REGRESSION: candidate is 10.2 % slower (1.102 times, 1.098 … 1.106) than base"),
            std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos) << "no terminal, no escape sequences";
  EXPECT_NE(ended.err.find("benchctl: running: 6 blocks"), std::string::npos) << ended.err;
}

TEST_F(ProgramTest, HowMuchIsToldIsTheReadersChoice) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_REGRESSION)});
  const Ended quiet = Run({"compare", "--quiet", "a", "b"});
  EXPECT_EQ(quiet.out,
            "REGRESSION: candidate is 10.2 % slower (1.102 times, 1.098 … 1.106) than base\n");
  EXPECT_EQ(quiet.err, "") << "no progress either";
  EXPECT_NE(Run({"watch", "--verbose", "k3"}).out.find("10.123 ± 0.054 ms"), std::string::npos);
  EXPECT_NE(Run({"watch", "--time-unit=us", "k3"}).out.find("10123 µs"), std::string::npos);
  EXPECT_NE(Run({"show", "--time-unit", "s", "k3"}).out.find("0.010123 ± 0.000054 s"),
            std::string::npos);
  const Ended both = Run({"compare", "--quiet", "--verbose", "a", "b"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.err, "error: --quiet: conflicts with --verbose\n");
  EXPECT_EQ(Run({"watch", "--time-unit", "h", "k3"}).err,
            "error: --time-unit h: unknown value\nhint: write ns, us, ms or s\n");
}

TEST_F(ProgramTest, AValueThatIsGivenTwiceIsAnError) {
  const auto said = [this](const std::vector<std::string>& words) {
    const Ended ended = Run(words);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(said({"compare", "--margin", "2%", "--margin=3%", "a", "b"}),
            "error: --margin 3%: given twice\n"
            "hint: it was already given as '2%'; leave one of the two out\n");
  EXPECT_EQ(said({"compare", "-s", "x", "--setup", "y", "a", "b"}),
            "error: --setup y: given twice\nhint: it was already given as 'x'; leave one of the "
            "two out\n");
  EXPECT_EQ(said({"--socket", "x", "list", "--socket", "y"}),
            "error: --socket y: given twice\nhint: it was already given as 'x'; leave one of the "
            "two out\n");
}

TEST_F(ProgramTest, AValueThatSaysNothingIsAnError) {
  for (const char* option : {"--cpus", "--machine-profile"}) {
    const auto ended = Run({"compare", option, "", "a", "b"});
    EXPECT_EQ(ended.exit_code, 2) << option;
    EXPECT_NE(ended.err.find("empty value"), std::string::npos) << ended.err;
  }
  const auto ended = Run({"top", "--count", "0"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_NE(ended.err.find("--count 0: must be at least 1"), std::string::npos) << ended.err;
}

TEST_F(ProgramTest, AFileThatGitLfsDidNotFetchIsNamed) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  std::ofstream(dir_ / "data.bin") << "version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
  const Ended ended =
      Run({"compare", "--cwd", std::string(dir_.path()), "cat data.bin", "cat data.bin"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(
      ended.err.find(
          "warning: data.bin is a Git LFS pointer instead of the content: run git lfs pull\n"),
      std::string::npos)
      << ended.err;
  const v1::SessionSpec spec = daemon_->last_submit().spec();
  ASSERT_EQ(spec.lfs_pointers_size(), 1) << "for the verdict";
  EXPECT_EQ(spec.lfs_pointers(0), "data.bin");
}

TEST_F(ProgramTest, SendsWhatItsCallerHas) {
  daemon_->SetScript({Verdict(v1::VERDICT_PASS)});
  more_environment_ = {"BENCHCTL_TEST_BROKEN=\xff"};
  const Ended ended = Run({"compare", "-n", "old", "./a x", "./b y"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(
      ended.err.find("warning: the environment variable BENCHCTL_TEST_BROKEN is not valid UTF-8"),
      std::string::npos);
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
  EXPECT_TRUE(
      ended.err.starts_with("error: session k3x9m2pq failed: candidate exited with code 1\nhint: "))
      << ended.err;
}

TEST_F(ProgramTest, SomebodyElsesCancelIsCode6) {
  daemon_->SetScript({Event([](v1::SessionEvent& e) { e.mutable_cancelled()->set_by("uid 0"); })});
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_EQ(ended.exit_code, 6);
  EXPECT_EQ(ended.err, "benchctl: session k3x9m2pq was cancelled by uid 0\n");
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
    EXPECT_NE(ended.err.find("session k3x9m2pq was cancelled\n"), std::string::npos) << ended.err;
  }
}

TEST_F(ProgramTest, ACancelledSessionSaysWhatIsKnownSoFar) {
  daemon_->SetScript({Running()});
  for (const bool json : {false, true}) {
    std::vector<std::string> words = {"compare", "a", "b"};
    if (json) words.emplace_back("--json");
    const pid_t pid = Start(words);
    daemon_->AwaitWatcher();
    kill(pid, SIGINT);
    const Ended ended = Wait(pid);
    const bool told =
        ended.err.find("no verdict: 6 runs each, change about +1.0 %, no interval yet\n") !=
        std::string::npos;
    EXPECT_EQ(told, !json) << ended.err;
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
  EXPECT_NE(ended.err.find("benchctl: still running; reattach with benchctl watch k3x9m2pq\n"),
            std::string::npos)
      << ended.err;
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
  EXPECT_NE(ended.err.find("the daemon went away: waiting up to 30 s for it"), std::string::npos)
      << ended.err;
  EXPECT_EQ(daemon_->request_ids().size(), 1U) << "watched again, not submitted again";
}

TEST_F(ProgramTest, ADaemonThatWentAwayIsToldOnceUntilItSaysSomething) {
  daemon_->SetScript({Running(), Verdict(v1::VERDICT_PASS)});
  daemon_->RefuseWatches(3, {grpc::StatusCode::UNAVAILABLE, "benchd is stopping"});
  const Ended ended = Run({"compare", "a", "b"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err.substr(0, ended.err.find("benchctl: running: ")),
            "benchctl: the daemon went away: waiting up to 30 s for it\n"
            "benchctl: the daemon is back\n");
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
  EXPECT_NE(ended.out.find(
                "REGRESSION: candidate is 10.2 % slower (1.102 times, 1.098 … 1.106) than base"),
            std::string::npos)
      << ended.out;
  EXPECT_EQ(ended.err,
            "benchctl: started: seed 18446744073709551615; user mode: machine not tuned\n"
            "benchctl: running: 6 blocks, 0:03, candidate vs base +1.0 %\n"
            "benchctl: the daemon went away: waiting up to 30 s for it\n"
            "benchctl: the daemon is back\n"
            "benchctl: queued: place 1\n");
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
  EXPECT_EQ(moved.out, "k3x9m2pq: priority -2, place 3\n");
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
  EXPECT_EQ(without.err,
            "error: move: missing --priority\n"
            "hint: write benchctl move k3x9 --priority N\n");
  EXPECT_EQ(Run({"move", "--priority", "1"}).exit_code, 2);
  EXPECT_EQ(Run({"move", "k3x9", "--priority", "high"}).exit_code, 2);
}

TEST_F(ProgramTest, ARetriedSubmitKeepsItsRequestId) {
  daemon_->RefuseSubmit({grpc::StatusCode::UNAVAILABLE, "Socket closed"});
  const Ended ended = Run({"submit", "a", "b"});
  EXPECT_EQ(ended.exit_code, 5);
  EXPECT_EQ(ended.err.substr(0, 30), "error: lost the connection to ");
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
  EXPECT_EQ(ended.err, "benchctl: session k3x9m2pq, place 1; watch it: benchctl watch k3x9m2pq\n");
  EXPECT_EQ(Run({"compare", "--detach", "a", "b"}).out, "k3x9m2pq\n");
}

TEST_F(ProgramTest, OtherCommandsAnswer) {
  EXPECT_NE(Run({"list"}).out.find("k3x9m2pq  done"), std::string::npos);
  EXPECT_NE(Run({"show", "k3"}).out.find("again: benchctl compare --seed "), std::string::npos);
  EXPECT_EQ(Run({"cancel", "k3x9"}).out, "k3x9m2pq: cancelled\n") << "its whole ID";
  EXPECT_EQ(Run({"cancel", "k3x9m2pq"}).out, "k3x9m2pq: already cancelled\n");
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
    EXPECT_EQ(ended.err,
              "error: no session: you have none yet\n"
              "hint: start one with benchctl compare; benchctl list --all shows all sessions\n");
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
  for (const char* place : {"null", "/tmp/file"}) {
    const Ended refused = Run({"compare", "--show-output", "--output", place, "a", "b"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.err, std::string("error: --show-output: --output sends the output to ") +
                               place + "\nhint: leave one of the two out\n");
  }
  const Ended detached = Run({"compare", "--show-output", "--detach", "a", "b"});
  EXPECT_EQ(detached.exit_code, 2);
  EXPECT_TRUE(
      detached.err.starts_with("error: --show-output: --detach does not wait for the output\n"))
      << detached.err;
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
  EXPECT_EQ(newest.err, "showing the newest 20; list --all shows all\n");
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
  EXPECT_EQ(said({"comprae", "a", "b"}),
            "error: comprae: unknown command\nhint: did you mean compare?\n");
  EXPECT_EQ(said({"help", "comprae"}),
            "error: comprae: unknown command\nhint: did you mean compare?\n");
  EXPECT_EQ(said({"machine", "stats"}),
            "error: machine stats: unknown command\nhint: did you mean machine status?\n");
  EXPECT_EQ(said({"status"}),
            "error: status: unknown command\nhint: did you mean machine status?\n");
  EXPECT_EQ(said({"machine"}),
            "error: machine: missing command\n"
            "hint: write benchctl machine status, doctor, apply, restore or reserve\n");
  EXPECT_EQ(said({"--json"}), "error: missing command\nhint: benchctl help lists the commands\n");
  EXPECT_EQ(said({"--jsno", "list"}),
            "error: --jsno: unknown option\nhint: did you mean --json?\n");
  EXPECT_EQ(said({"--margin", "2%", "compare", "a", "b"}),
            "error: --margin: not a global option\n"
            "hint: write it after the command: benchctl compare --margin\n");
  EXPECT_EQ(said({"-w", "3", "compare", "a", "b"}),
            "error: -w: not a global option\n"
            "hint: write it after the command: benchctl compare -w\n");
  EXPECT_EQ(said({"list", "--state", "don"}),
            "error: --state don: unknown value\nhint: did you mean done?\n");
  EXPECT_EQ(said({"./a x", "./b x"}),
            "error: ./a x: unknown command\n"
            "hint: to compare commands: benchctl compare 'BASE' 'CANDIDATE'\n");
  EXPECT_EQ(said({"help", "list", "show"}),
            "error: show: only one command is allowed\nhint: write benchctl help COMMAND\n");
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
    return ended.err.find("`sh -c` alone takes about ") != std::string::npos;
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
