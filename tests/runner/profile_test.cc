// Runs that are sampled by a real runner. Where the kernel does not let this user sample programs,
// the tests are skipped.

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/affinity.h"
#include "daemon/launch/profiler.h"
#include "daemon/wire/profile_stream.h"
#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// A child whose runs are sampled.
ChildSpec Sampled(ChildSpec child, Profile profile = {}) {
  child.profile = std::move(profile);
  return child;
}

/// A script that counts, for about 100 ms.
const std::string kCount = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";

/// The number of records of each type in a stream, by its headers.
std::map<std::uint32_t, int> TypesIn(std::string_view stream) {
  std::map<std::uint32_t, int> types;
  wire::ProfileHeader profile;
  if (stream.size() < sizeof(profile)) return types;
  std::memcpy(&profile, stream.data(), sizeof(profile));
  if (profile.records_at > stream.size()) return types;
  std::string_view rest = stream.substr(profile.records_at);
  perf_event_header header{};
  while (rest.size() >= sizeof(header)) {
    std::memcpy(&header, rest.data(), sizeof(header));
    if (header.size < sizeof(header) || header.size > rest.size()) break;
    ++types[header.type];
    rest.remove_prefix(header.size);
  }
  EXPECT_TRUE(rest.empty()) << "the stream ends with a whole record";
  return types;
}

std::string ErrorIn(const wire::RunFigures& figures) {
  const auto parsed = wire::DecodeParsedOutput(figures.parsed);
  if (!parsed) return "the answer cannot be decoded";
  if (parsed->result) return "";
  const Error& error = parsed->result.error();
  return error.hint.empty() ? error.message : error.message + "\n  hint: " + error.hint;
}

std::size_t DescriptorsOf(pid_t pid) {
  const std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

/// A runner whose benchd-helper is another program.
class ProfileTest : public testing::Test {
 protected:
  void SetUp() override {
    const PerfSupport support(OpenPerfEvent, KernelFiles("/"));
    const auto cpus = ReadAffinity(0).value_or(std::vector<int>{0});
    const auto possible = Profiler(nullptr, support).Open({}, 0, cpus);
    if (!possible) GTEST_SKIP() << possible.error().message;
  }

  /// Starts the runner. `tee profile` takes the place of `benchd-helper profile`: it answers with
  /// the stream that it was given, and copies it into its working directory.
  RunnerProcess& RunnerWith(const std::string& helper = "/usr/bin/tee") {
    std::filesystem::copy_file(RunnerPath(), folder_ / "benchd-runner");
    std::filesystem::copy_file(helper, folder_ / "benchd-helper");
    return runner_.emplace(RunnerIds::kOwn, nullptr, std::vector<std::string>{},
                           folder_ / "benchd-runner");
  }

  TempFolder folder_;
  TempFolder work_;
  std::optional<RunnerProcess> runner_;
};

TEST_F(ProfileTest, ASampledRunIsHandedToTheHelperInTheFolderOfTheChild) {
  RunnerProcess& runner = RunnerWith();
  ChildSpec child = Sampled(ScriptOf(kCount));
  child.cwd = work_.path();
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_GT(figures->wall_time_ns, 0);
  EXPECT_EQ(figures->parsed, ReadFile(work_ / "profile"));
  const auto types = TypesIn(figures->parsed);
  EXPECT_GE(types.at(PERF_RECORD_SAMPLE), 5);
  EXPECT_GE(types.at(PERF_RECORD_MMAP2), 2);
}

TEST_F(ProfileTest, TheHelperRunsAsTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can run a child as another user";
  RunnerProcess& runner = RunnerWith();
  ASSERT_EQ(chmod(work_.path().c_str(), 0777), 0);
  ChildSpec child = Sampled(ScriptOf(kCount));
  child.caller = NobodyCaller();
  child.cwd = work_.path();
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  struct stat info {};
  ASSERT_EQ(stat((work_ / "profile").c_str(), &info), 0) << ErrorIn(*figures);
  EXPECT_EQ(info.st_uid, kNobodyId);
  EXPECT_GE(TypesIn(figures->parsed).at(PERF_RECORD_SAMPLE), 5) << "its own children are sampled";
}

// The next child waits at its gate while the samples of the previous run are read.
TEST_F(ProfileTest, EachRunOfABatchHasItsOwnSamplesAndLeavesNothing) {
  RunnerProcess& runner = RunnerWith();
  ChildSpec child = Sampled(ScriptOf(kCount));
  child.cwd = work_.path();
  child.cpus = {runner.hello().benchmark_cpus.front()};
  ASSERT_TRUE(runner.Open(child));
  Batch batch;
  batch.budget = std::chrono::minutes(1);
  batch.runs = {{.child = 0}, {.child = 0}, {.child = 0}};
  std::size_t descriptors = 0;
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    runner.Send(wire::RunBatch{batch});
    const auto finished = runner.Await<wire::BatchFigures>();
    ASSERT_TRUE(finished.result) << finished.result.error().message;
    ASSERT_EQ(finished.runs.size(), 3U);
    std::set<std::int32_t> processes;
    for (const wire::RunFigures& run : finished.runs) {
      EXPECT_GE(TypesIn(run.parsed).at(PERF_RECORD_SAMPLE), 5);
      wire::ProfileHeader header;
      std::memcpy(&header, run.parsed.data(), sizeof(header));
      processes.insert(header.pid);
      EXPECT_EQ(header.event_count, 1U) << "one for each CPU of the child";
    }
    EXPECT_EQ(processes.size(), 3U);
    if (round == 0) descriptors = DescriptorsOf(runner.pid());
  }
  // A batch is answered before the last of its descriptors is closed, so that either number may
  // include one that is about to be.
  EXPECT_LT(DescriptorsOf(runner.pid()), descriptors + kRounds - 1);
}

TEST_F(ProfileTest, AChildWithoutAProfileIsNotSampled) {
  RunnerProcess& runner = RunnerWith();
  const auto figures = runner.Run(ScriptOf(kCount));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->parsed, "");
}

TEST_F(ProfileTest, AHelperThatFailsIsReportedWithItsReason) {
  RunnerProcess& runner = RunnerWith("/bin/false");
  const auto figures = runner.Run(Sampled(ChildOf({"/bin/true"})));
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_WORDING(ErrorIn(*figures));
}

// A limit of time or a signal ends the program, and not what is known of it until then.
TEST_F(ProfileTest, ARunThatIsKilledKeepsItsProfile) {
  RunnerProcess& runner = RunnerWith();
  const auto late = runner.Run(Sampled(ScriptOf("while :; do :; done")), 200'000'000);
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_TRUE(late->exit.timed_out);
  EXPECT_TRUE(late->parsed.starts_with("bdsample"));
  const auto killed = runner.Run(Sampled(ScriptOf("kill -9 $$")));
  ASSERT_TRUE(killed) << killed.error().message;
  EXPECT_EQ(killed->exit.signal, SIGKILL);
  EXPECT_TRUE(killed->parsed.starts_with("bdsample"));
}

// Samples also belong to processes that the run leaves behind, until they are killed.
TEST_F(ProfileTest, TheProfileOfAFailedRunIsRead) {
  RunnerProcess& runner = RunnerWith();
  ChildSpec child = Sampled(ScriptOf("(" + kCount + ") & sleep 0.05; exit 3"));
  child.cwd = work_.path();
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_EQ(figures->exit.code, 3);
  EXPECT_GE(TypesIn(figures->parsed)[PERF_RECORD_FORK], 1);
}

// The kernel removes the events of a program that its user may not read.
TEST_F(ProfileTest, AProgramThatItsUserMayNotReadIsNamed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can run a child as another user";
  RunnerProcess& runner = RunnerWith();
  const std::string shell = work_ / "unreadable";
  std::filesystem::copy_file("/bin/sh", shell);
  ASSERT_EQ(chmod(shell.c_str(), 0711), 0);
  ASSERT_EQ(chmod(work_.path().c_str(), 0755), 0);
  ChildSpec child = Sampled(ChildOf({shell, "-c", kCount}));
  child.caller = NobodyCaller();
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  EXPECT_WORDING(ErrorIn(*figures));
}

TEST_F(ProfileTest, ThousandsOfProcessesAndThreadsAreOneRun) {
  RunnerProcess& runner = RunnerWith();
  ChildSpec child = Sampled(ScriptOf("i=0; while [ $i -lt 3000 ]; do (:); i=$((i+1)); done"));
  child.cwd = work_.path();
  const auto figures = runner.Run(child);
  ASSERT_TRUE(figures) << figures.error().message;
  const auto types = TypesIn(figures->parsed);
  EXPECT_GE(types.at(PERF_RECORD_FORK), 2900);
}

TEST(ProfileRefusalTest, WhereTheKernelRefusesTheChildIsNotOpened) {
  // The errors of a container's filter, and of a kernel without the call.
  for (void (*const prepare)() : {+[] { ForbidCall(SYS_perf_event_open, EPERM); },
                                  +[] { ForbidCall(SYS_perf_event_open, ENOSYS); }}) {
    RunnerProcess runner(RunnerIds::kOwn, prepare);
    const auto opened = runner.Open(Sampled(ChildOf({"/bin/true"})));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_TRUE(runner.Run(ChildOf({"/bin/true"}))) << "without a profile, it runs";
  }
}

TEST(ProfileRefusalTest, AnImpossibleFrequencyIsRefused) {
  RunnerProcess runner;
  const auto opened = runner.Open(Sampled(ChildOf({"/bin/true"}), {.frequency_hz = 0}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kInvalidArgument);
}

// The child cannot be held before its start.
TEST(ProfileRefusalTest, WithoutClone3NothingIsSampled) {
  RunnerProcess runner(
      RunnerIds::kOwn, +[] { ForbidCall(SYS_clone3, ENOSYS); });
  const auto run = runner.Run(Sampled(ChildOf({"/bin/true"})));
  ASSERT_FALSE(run);
  EXPECT_TRUE(run.error().message.starts_with("profile: ")) << run.error().message;
}

}  // namespace
}  // namespace benchd
