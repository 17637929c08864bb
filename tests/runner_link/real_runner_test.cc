#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/runner_link/runner_client.h"
#include "daemon/runner_link/runner_sources.h"
#include "tests/runner_link/fake_runner.h"
#include "tests/support/places.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

/// The port with the real benchd-runner and benchd-helper, if they are built.
class RealRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"benchd-runner", "benchd-helper"}) {
      const auto path = std::filesystem::path(test::BuiltFile("bin")) / program;
      if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not built";
    }
  }

  ChildSpec Child(std::vector<std::string> argv, std::string parse = {}) {
    ChildSpec child;
    child.caller.uid = geteuid();
    child.caller.gid = getegid();
    child.caller.pid = getpid();
    child.argv = std::move(argv);
    child.env = {{"PATH", "/usr/bin:/bin"}};
    child.cwd = "/";
    child.parse = std::move(parse);
    const auto program = Await(io_, client_.Resolve(QueryFor(child)));
    EXPECT_TRUE(program) << program.error().message;
    if (program) child.program = *program;
    return child;
  }

  void Open(std::vector<ChildSpec> children) {
    const auto lease = Await(io_, client_.Acquire(std::nullopt));
    ASSERT_TRUE(lease) << lease.error().message;
    runner_ = lease->runner;
    const auto opened = Await(io_, client_.Open(runner_, std::move(children)));
    ASSERT_TRUE(opened) << opened.error().message;
  }

  static ProgramQuery QueryFor(const ChildSpec& child) {
    return {child.caller, child.argv.front(), child.env.at("PATH"), child.cwd};
  }

  asio::awaitable<BatchOutcome> Run(Batch batch) {
    return client_.Run(runner_, std::move(batch), stop_.get_token());
  }

  static Batch Order(std::uint32_t child) {
    Batch order;
    order.runs = {RunOrder{child, 100, true, {}}};
    order.timeout = std::chrono::minutes(1);
    return order;
  }

  Result<RunOutcome> RunOne(std::uint32_t child) { return OnlyOne(Await(io_, Run(Order(child)))); }

  asio::io_context io_;
  SpawnedRunner source_{io_.get_executor(), {.program = test::BuiltFile("bin/benchd-runner")}};
  RunnerConnection connection_{io_.get_executor(), source_};
  RunnerClient client_{connection_};
  RunnerId runner_ = 0;
  std::stop_source stop_;
};

TEST_F(RealRunnerTest, RunsATrueProgram) {
  Open({Child({"true"})});
  const auto outcome = RunOne(0);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(outcome->exit.Succeeded());
  // The optional metrics that this machine has are included.
  ASSERT_GE(outcome->samples.size(), BuiltinMetrics().size());
  EXPECT_GT(outcome->samples[0].value, 0);
  EXPECT_LT(outcome->samples[0].value, 60);
}

TEST_F(RealRunnerTest, ParsesWhatAProgramPrints) {
  Open({Child({"printf", "#! prefer=lower\\nlatency 12.50 ms\\n"}, "lines"),
        Child({"printf", "latency\\n"}, "lines")});
  const auto outcome = RunOne(0);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->samples.back(), (Sample{"latency", "", 0, 12.5}));
  // Metrics that the kernel counts in ticks come before it.
  ASSERT_FALSE(outcome->metrics.empty());
  EXPECT_EQ(outcome->metrics.back(), (MetricInfo{"latency", "ms", Better::kLower, 0.01}));
  const auto bad = RunOne(1);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kInvalidArgument);
  EXPECT_WORDING(bad.error());
}

TEST_F(RealRunnerTest, SaysThatAProgramDoesNotExist) {
  ChildSpec child;
  child.caller.uid = geteuid();
  child.caller.gid = getegid();
  child.argv = {"no-such-program-here"};
  child.env = {{"PATH", "/usr/bin:/bin"}};
  child.cwd = "/";
  const auto program = Await(io_, client_.Resolve(QueryFor(child)));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(program.error());
}

TEST_F(RealRunnerTest, CancelsARun) {
  Open({Child({"sleep", "600"}), Child({"true"})});
  Started<BatchOutcome> run(io_, Run(Order(0)));
  io_.poll();  // the order is sent
  stop_.request_stop();
  EXPECT_EQ(OnlyOne(run.Wait()).error().code, ErrorCode::kCancelled);
  stop_ = std::stop_source();
  const auto next = RunOne(1);
  EXPECT_TRUE(next) << next.error().message;
}

TEST_F(RealRunnerTest, OutlivesTheDeathOfARunner) {
  Open({Child({"sleep", "600"})});
  const auto facts = Await(io_, connection_.Connect());
  ASSERT_TRUE(facts);
  Started<BatchOutcome> run(io_, Run(Order(0)));
  io_.poll();
  kill(facts->pid, SIGKILL);
  const auto outcome = OnlyOne(run.Wait());
  ASSERT_FALSE(outcome);
  EXPECT_WORDING(outcome.error());
  Open({Child({"true"})});
  const auto outcome_of_fresh_runner = RunOne(0);
  EXPECT_TRUE(outcome_of_fresh_runner) << outcome_of_fresh_runner.error().message;
}

TEST_F(RealRunnerTest, DescribesTheMachine) {
  const MachineRequest request{"default", Isolation::kBestEffort, {}};
  const auto lease = Await(io_, client_.Acquire(request));
  ASSERT_TRUE(lease) << lease.error().message;
  ASSERT_TRUE(lease->machine);
  EXPECT_FALSE(lease->machine->environment.facts.empty());
  EXPECT_FALSE(lease->machine->benchmark_cpus.empty());
  Await(io_, client_.Release(lease->runner));
}

}  // namespace
}  // namespace benchd
