// What a child finds when it starts, and why a child may not start.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemon/launch/launch_plan.h"
#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// The words after "NAME:" in a child's /proc/self/status.
std::string StatusField(const std::string& status, const std::string& name) {
  std::istringstream lines(status);
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with(name + ":")) continue;
    std::istringstream words(line.substr(name.size() + 1));
    std::string field;
    for (std::string word; words >> word;) field += (field.empty() ? "" : " ") + word;
    return field;
  }
  ADD_FAILURE() << "no " << name << " in:\n" << status;
  return "";
}

TEST(LaunchTest, GivesExactlyTheArgumentsAndTheEnvironment) {
  RunnerProcess runner;
  ChildSpec child = ChildOf({"/usr/bin/printf", "%s|", "a b", "", "$HOME", "*"});
  EXPECT_EQ(runner.OutputOf(child), "a b||$HOME|*|");

  child = ChildOf({"/usr/bin/env"});
  child.env = {{"B", "2"}, {"A", "x=y"}, {"EMPTY", ""}};
  EXPECT_EQ(runner.OutputOf(child), Lines({"A=x=y", "B=2", "EMPTY="}));
  child.env.clear();
  EXPECT_EQ(runner.OutputOf(child), "");
}

TEST(LaunchTest, PadsTheEnvironmentByAsManyCharactersAsTold) {
  RunnerProcess runner;
  ChildSpec child = ChildOf({"/usr/bin/env"});
  child.env = {{"A", "1"}};
  child.output = OutputKind::kLog;
  ASSERT_TRUE(runner.Open(child));
  for (std::uint32_t padding : {4096U, 1U, 0U}) {
    runner.Start(0, padding);
    const auto figures = runner.Finish();
    ASSERT_TRUE(figures) << figures.error().message;
    const std::string added =
        padding == 0 ? "" : "BENCHD_PADDING=" + std::string(padding, 'x') + "\n";
    EXPECT_EQ(figures->output, "A=1\n" + added);
  }
}

TEST(LaunchTest, StartsInTheWorkingDirectoryWithItsInput) {
  const TempFolder folder;
  folder.Put("in.txt", "hello input");
  RunnerProcess runner;
  ChildSpec child = ScriptOf("pwd; cat");
  child.cwd = folder.path();
  child.input = "in.txt";  // relative to cwd
  EXPECT_EQ(runner.OutputOf(child), folder.path() + "\nhello input");
  child.input.clear();  // /dev/null
  EXPECT_EQ(runner.OutputOf(child), folder.path() + "\n");
}

TEST(LaunchTest, LeavesNoDescriptorOpen) {
  RunnerProcess runner;
  // 3 is the folder that ls itself reads.
  EXPECT_EQ(runner.OutputOf(ChildOf({"/bin/ls", "/proc/self/fd"})), Lines({"0", "1", "2", "3"}));
}

TEST(LaunchTest, StartsWithDefaultSignalsInASessionOfItsOwn) {
  RunnerProcess runner;
  const std::string status = runner.OutputOf(ChildOf({"/bin/cat", "/proc/self/status"}));
  EXPECT_EQ(StatusField(status, "SigBlk"), std::string(16, '0'));
  EXPECT_EQ(StatusField(status, "SigIgn"), std::string(16, '0'));
  // Fields 1, 5 and 6 of stat: pid, process group, session.
  std::istringstream stat(runner.OutputOf(ChildOf({"/bin/cat", "/proc/self/stat"})));
  std::vector<std::string> field(7);
  for (std::size_t i = 1; i <= 6; ++i) stat >> field[i];
  EXPECT_EQ(field[1], field[5]);
  EXPECT_EQ(field[1], field[6]);
}

/// Waits for the process that `parent` has started and that has become the user nobody, and returns
/// it.
pid_t AwaitNobodyBelow(pid_t parent) {
  for (;;) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string status = ReadFile(entry.path() / "status");
      if (status.find("\nPPid:\t" + std::to_string(parent) + "\n") == std::string::npos) continue;
      if (StatusField(status, "Uid").starts_with(std::to_string(kNobodyId))) {
        return static_cast<pid_t>(std::stol(name));
      }
    }
  }
}

TEST(LaunchTest, BeforeItsProgramBeginsAChildTakesNoSignalOfItsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const TempFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(chown(pipe.c_str(), kNobodyId, kNobodyId), 0);
  RunnerProcess runner;
  ChildSpec child = ScriptOf("cat");
  child.caller = NobodyCaller();
  child.input = pipe;
  child.output = OutputKind::kLog;
  ASSERT_TRUE(runner.Open(child));
  runner.Start();
  // It opens its input as nobody and waits there for a writer.
  const pid_t pid = AwaitNobodyBelow(runner.pid());
  const std::string status = ReadFile("/proc/" + std::to_string(pid) + "/status");
  const auto blocked = std::stoull(StatusField(status, "SigBlk"), nullptr, 16);
  EXPECT_NE(blocked & (1ULL << (SIGQUIT - 1)), 0U) << status;
  // A signal that causes a core dump (signal(7)) has no effect here.
  EXPECT_EQ(kill(pid, SIGQUIT), 0);
  const UniqueFd writer(open(pipe.c_str(), O_WRONLY | O_CLOEXEC));
  const auto figures = runner.Finish();
  ASSERT_FALSE(figures) << "the signal arrives when the program is to start";
  EXPECT_WORDING(figures.error());
}

TEST(LaunchTest, AppliesUmaskAndLimits) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("umask; ulimit -Sn; ulimit -Hn; ulimit -c");
  child.caller.umask = 0027;
  child.caller.limits = {{.resource = RLIMIT_NOFILE, .soft = 77, .hard = 99},
                         {.resource = RLIMIT_CORE, .soft = 0, .hard = 0}};
  EXPECT_EQ(runner.OutputOf(child), Lines({"0027", "77", "99", "0"}));
}

TEST(LaunchTest, ALimitAboveWhatIsPossibleBecomesTheHighestPossible) {
  RunnerProcess runner;
  ChildSpec child = ScriptOf("ulimit -Hn");
  // Above fs.nr_open, which not even root may exceed.
  child.caller.limits = {{.resource = RLIMIT_NOFILE, .soft = 16, .hard = UINT64_MAX - 1}};
  const int hard = std::stoi(runner.OutputOf(child));
  EXPECT_GE(hard, 16);
}

TEST(LaunchTest, PinsTheChildWhereToldAndElseLetsItGoAnywhere) {
  RunnerProcess runner;
  const int last = runner.hello().benchmark_cpus.back();
  ChildSpec child = ChildOf({"/bin/cat", "/proc/self/status"});
  child.cpus = {last};
  EXPECT_EQ(StatusField(runner.OutputOf(child), "Cpus_allowed_list"), std::to_string(last));

  // The affinity of an unrestricted process.
  cpu_set_t all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
  ASSERT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
  const std::string own = StatusField(ReadFile("/proc/self/status"), "Cpus_allowed_list");
  child.cpus = {};
  EXPECT_EQ(StatusField(runner.OutputOf(child), "Cpus_allowed_list"), own);

  child.cpus = {1023};
  const auto refused = runner.Open(child);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

TEST(LaunchTest, AChildHasNoCapabilityFromInheritance) {
  RunnerProcess runner;
  const std::string status = runner.OutputOf(ChildOf({"/bin/cat", "/proc/self/status"}));
  for (const char* set : {"CapInh", "CapAmb"}) {
    EXPECT_EQ(StatusField(status, set), std::string(16, '0')) << set;
  }
}

TEST(LaunchTest, RunsAsTheCallerWithNothingOfRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const TempFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  const std::string secret = folder.Put("secret", "for root", 0600);
  RunnerProcess runner;
  ChildSpec child = ChildOf({"/bin/cat", "/proc/self/status"});
  child.caller = NobodyCaller();
  const std::string status = runner.OutputOf(child);
  EXPECT_EQ(StatusField(status, "Uid"), "65534 65534 65534 65534");
  EXPECT_EQ(StatusField(status, "Gid"), "65534 65534 65534 65534");
  EXPECT_EQ(StatusField(status, "Groups"), "12345 65534");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    EXPECT_EQ(StatusField(status, set), std::string(16, '0')) << set;
  }

  // Everything that touches files happens as the user.
  child = ScriptOf("echo hi");
  child.caller = NobodyCaller();
  child.input = secret;
  EXPECT_WORDING(runner.Run(child).error(), {{folder.path(), "DIR"}});
  child.input.clear();
  child.output = OutputKind::kFile;
  child.output_path = folder / "out.txt";
  ASSERT_TRUE(runner.Run(child));
  struct stat info {};
  ASSERT_EQ(stat(child.output_path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kNobodyId);
}

TEST(LaunchTest, ARunnerWithoutPrivilegesSaysThatItCannotBecomeAnother) {
  if (auto why = CannotStartAs(RunnerIds::kNobody); !why.empty()) GTEST_SKIP() << why;
  RunnerProcess runner(RunnerIds::kNobody);
  EXPECT_FALSE(runner.hello().privileged);
  const auto refused = runner.Open(ChildOf({"/bin/true"}));  // as root
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_WORDING(refused.error());

  ChildSpec child = ScriptOf("id -u");
  child.caller = NobodyCaller();
  EXPECT_EQ(runner.OutputOf(child), "65534\n");
}

TEST(LaunchTest, ResetsNiceAndOomAdjustmentOfTheChildAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can lower its nice value";
  RunnerProcess runner(RunnerIds::kOwn, [] {
    std::ofstream("/proc/self/oom_score_adj") << 100;
    if (nice(5) == -1) _exit(124);
  });
  EXPECT_EQ(runner.OutputOf(ScriptOf("cat /proc/self/oom_score_adj; nice")), "0\n0\n");
  EXPECT_EQ(ReadFile("/proc/" + std::to_string(runner.pid()) + "/oom_score_adj"), "100\n");
}

/// Sets a nice value like an unprivileged CI agent, which cannot lower it again.
void BeNicedForGood() {
  if (nice(5) == -1) _exit(124);
  const rlimit none{};
  if (setrlimit(RLIMIT_NICE, &none) != 0) _exit(124);
  if (geteuid() == 0 && prctl(PR_CAPBSET_DROP, CAP_SYS_NICE) != 0) _exit(124);
}

TEST(LaunchTest, InheritsANiceValueThatMayNotBeLoweredAndWarns) {
  RunnerProcess runner(RunnerIds::kOwn, BeNicedForGood);
  runner.Send(wire::AcquireMachine{{.isolation = Isolation::kOff}});
  ASSERT_TRUE(runner.Await<Result<MachineReport>>());
  const int inherited = std::min(getpriority(PRIO_PROCESS, 0) + 5, 19);  // setpriority(2)
  EXPECT_EQ(runner.OutputOf(ScriptOf("nice")), std::to_string(inherited) + "\n");
  runner.Send(wire::ReleaseMachine{});
  const MachineEnd end = runner.Await<MachineEnd>();
  ASSERT_FALSE(end.warnings.empty());
  EXPECT_EQ(end.warnings.back().code, "nice_inherited");
}

void ForbidClone3() { ForbidCall(SYS_clone3, ENOSYS); }

TEST(LaunchTest, WorksWhereClone3IsForbidden) {
  const TempFolder folder;
  const Leash leash(folder);
  RunnerProcess runner(RunnerIds::kOwn, &ForbidClone3);
  EXPECT_EQ(runner.OutputOf(ScriptOf("echo hello")), "hello\n");
  ChildSpec child = ChildOf({"/bin/true"});
  child.cwd = "/no/such/folder";
  EXPECT_WORDING(runner.Run(child).error());
  EXPECT_TRUE(runner.Run(ScriptOf("exec 9>" + leash.path() + "; setsid sleep 1000 & exit 0")));
  leash.AwaitEnd();
}

struct Unlaunchable {
  const char* name;
  ChildSpec (*child)(const TempFolder& folder);
};

class LaunchFailureTest : public testing::TestWithParam<Unlaunchable> {};

TEST_P(LaunchFailureTest, NamesTheStepAndTheFile) {
  const TempFolder folder;
  RunnerProcess runner;
  const auto figures = runner.Run(GetParam().child(folder));
  ASSERT_FALSE(figures);
  EXPECT_EQ(figures.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_WORDING(figures.error(),
                 {{folder.path(), "FOLDER"}, {"uid " + std::to_string(geteuid()), "uid UID"}});
  // The runner is unaffected.
  EXPECT_TRUE(runner.Run(ChildOf({"/bin/true"})));
}

INSTANTIATE_TEST_SUITE_P(
    All, LaunchFailureTest,
    testing::Values(
        Unlaunchable{"MissingFolder",
                     [](const TempFolder& folder) {
                       ChildSpec child = ChildOf({"/bin/true"});
                       child.cwd = folder / "gone";
                       return child;
                     }},
        Unlaunchable{"MissingInput",
                     [](const TempFolder& folder) {
                       ChildSpec child = ChildOf({"/bin/true"});
                       child.input = folder / "gone";
                       return child;
                     }},
        Unlaunchable{"OutputThatIsAFolder",
                     [](const TempFolder& folder) {
                       ChildSpec child = ChildOf({"/bin/true"});
                       child.output = OutputKind::kFile;
                       child.output_path = folder.path();
                       return child;
                     }},
        Unlaunchable{"NoFormat",
                     [](const TempFolder& folder) {
                       return ChildOf({folder.Put("script", "echo no hash-bang\n", 0755)});
                     }},
        Unlaunchable{"NoInterpreter",
                     [](const TempFolder& folder) {
                       return ChildOf({folder.Put("script", "#!/no/such/interpreter\n", 0755)});
                     }},
        Unlaunchable{"NotExecutable",
                     [](const TempFolder& folder) {
                       ChildSpec child = ChildOf({folder.Put("script", "#!/bin/sh\n", 0644)});
                       return child;
                     }},
        Unlaunchable{"TooManyArguments",
                     [](const TempFolder& folder) {
                       const std::string script = folder.Put("script", "#!/bin/sh\n", 0755);
                       ChildSpec child = ChildOf({script});
                       child.argv.resize(70, std::string(120'000, 'x'));  // over 6 MiB, the most
                       return child;
                     }},
        Unlaunchable{"ProgramGone",
                     [](const TempFolder& folder) {
                       const std::string script = folder.Put("script", "#!/bin/sh\n", 0755);
                       ChildSpec child = ChildOf({script});
                       std::filesystem::remove(script);
                       return child;
                     }},
        Unlaunchable{"ProgramGrown",
                     [](const TempFolder& folder) {
                       ChildSpec child = ChildOf({folder.Put("script", "#!/bin/sh\n", 0755)});
                       ++child.program.size_bytes;
                       return child;
                     }},
        Unlaunchable{"ProgramRebuiltInPlace",
                     [](const TempFolder& folder) {
                       ChildSpec child = ChildOf({folder.Put("script", "#!/bin/sh\n", 0755)});
                       --child.program.mtime_ns;
                       return child;
                     }},
        Unlaunchable{"ProgramReplaced",
                     [](const TempFolder& folder) {
                       const std::string script = folder.Put("script", "#!/bin/sh\n", 0755);
                       ChildSpec child = ChildOf({script});
                       std::filesystem::rename(folder.Put("new", "#!/bin/sh\n", 0755), script);
                       child.program.mtime_ns = IdentityOf(script).mtime_ns;
                       return child;
                     }}),
    [](const testing::TestParamInfo<Unlaunchable>& instance) { return instance.param.name; });

TEST(LaunchTest, RefusesWhatNoProcessCanBeGiven) {
  RunnerProcess runner;
  ChildSpec child = ChildOf({"/bin/true"});
  child.argv.clear();
  EXPECT_WORDING(runner.Open(child).error());
  child = ChildOf({"/bin/true"});
  child.argv.push_back(std::string("a\0b", 3));
  EXPECT_WORDING(runner.Open(child).error());
  child = ChildOf({"/bin/true"});
  child.env = {{"A", std::string("a\0b", 3)}};
  EXPECT_WORDING(runner.Open(child).error());
  child = ChildOf({"/bin/true"});
  child.program.path = "true";
  EXPECT_WORDING(runner.Open(child).error());
}

// LaunchFailureTest cannot cause these failures: they need a kernel or machine that refuses.
TEST(DescribeLaunchFailureTest, NamesTheStepThatTheSystemRefused) {
  LaunchSpec spec;
  spec.caller.uid = 1234;
  spec.program = ProgramIdentity{.path = "/bin/old"};
  const auto expect_told = [&spec](ChildStep step, int error_number) {
    ChildReport report;
    report.step = step;
    report.error_number = error_number;
    const Error error = DescribeLaunchFailure(report, spec);
    EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition) << error.message;
    EXPECT_WORDING(error);
  };
  expect_told(ChildStep::kStat, EIO);
  expect_told(ChildStep::kGroup, EBUSY);
  expect_told(ChildStep::kAffinity, EINVAL);
  expect_told(ChildStep::kLimits, EPERM);
  expect_told(ChildStep::kPriority, EPERM);
  expect_told(ChildStep::kMemory, EPERM);
  for (const ChildStep step :
       {ChildStep::kGroups, ChildStep::kGid, ChildStep::kUid, ChildStep::kCapabilities}) {
    expect_told(step, EPERM);
  }
  for (const ChildStep step : {ChildStep::kSession, ChildStep::kStreams, ChildStep::kDescriptors}) {
    expect_told(step, EMFILE);
  }
  expect_told(ChildStep::kExecute, EAGAIN);
  expect_told(ChildStep::kExecute, ETXTBSY);
  expect_told(ChildStep::kExecute, ELOOP);
}

}  // namespace
}  // namespace benchd
