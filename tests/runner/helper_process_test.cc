// benchd-helper's control group.

#include "daemon/launch/helper_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/tree_group.h"
#include "tests/runner/runner_process.h"

namespace benchd {
namespace {

/// Blocks every signal, as the runner does.
class Blocked {
 public:
  Blocked() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  Blocked(const Blocked&) = delete;
  Blocked& operator=(const Blocked&) = delete;
  ~Blocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

class HelperGroupTest : public testing::Test, public HelperOwner {
 protected:
  /// A helper that parses the input of a pipe, which stays open.
  Result<void> StartIn(const std::string& folder) {
    auto host = LookAround("/");
    if (!host) return std::move(host).error();
    host_.emplace(std::move(*host));
    host_->helper_groups = folder;
    helper_.emplace(loop_, *host_, tree_, *this);
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    HelperOrder order;
    order.name = "parsing";
    order.argv = {"parse", "lines", "0", "0", ""};
    order.input.Reset(ends[0]);
    output_.Reset(ends[1]);
    order.caller = OwnCaller();
    order.timeout_ns = 60'000'000'000;
    return helper_->Start(std::move(order));
  }

  static std::set<std::string> GroupsIn(const std::string& folder) {
    const std::string own = "benchd-run-" + std::to_string(getpid());
    std::set<std::string> groups;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name.starts_with(own)) groups.insert(entry.path());
    }
    return groups;
  }

  const Blocked blocked_;
  EventLoop loop_;
  ProcessTree tree_;
  std::optional<Host> host_;
  std::optional<HelperProcess> helper_;
  UniqueFd output_;
  std::optional<Result<std::string>> answer_;
  std::set<std::string> groups_at_answer_;
  std::string folder_;

 private:
  void OnHelperDone(HelperProcess&, Result<std::string> answer) override {
    answer_ = std::move(answer);
    groups_at_answer_ = GroupsIn(folder_);
    loop_.Stop();
  }
};

TEST_F(HelperGroupTest, NothingIsLeftInItsGroupWhenItHasAnswered) {
  folder_ = OwnCgroupFolder(KernelFiles("/")).value_or("");
  if (const auto group = TreeGroup::CreateIn(folder_); !group) {
    GTEST_SKIP() << "no group can be created here: " << group.error().message;
  }
  ASSERT_TRUE(GroupsIn(folder_).empty());
  // Stands for a process that a lookup started. Forked before the pipe, so that it does not hold it
  // open.
  const pid_t left = fork();
  if (left == 0) {
    for (;;) pause();
  }
  const auto started = StartIn(folder_);
  ASSERT_TRUE(started) << started.error().message;
  const auto groups = GroupsIn(folder_);
  ASSERT_EQ(groups.size(), 1U);
  const std::string procs = *groups.begin() + "/cgroup.procs";
  pid_t helper = 0;
  std::ifstream(procs) >> helper;
  EXPECT_GT(helper, 0);
  EXPECT_NE(helper, getpid());
  std::ofstream(procs) << left << std::flush;
  output_.Reset();
  loop_.Run();
  ASSERT_TRUE(answer_);
  EXPECT_TRUE(*answer_) << answer_->error().message;
  EXPECT_TRUE(groups_at_answer_.empty());
  int status = 0;
  ASSERT_EQ(waitpid(left, &status, 0), left);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST_F(HelperGroupTest, NoHelperIsStartedOutsideOfIt) {
  const TempFolder plain;
  const auto started = StartIn(plain.path());
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().message.starts_with("parsing: ")) << started.error().message;
  helper_.reset();
  EXPECT_TRUE(std::filesystem::is_empty(plain.path()));
}

}  // namespace
}  // namespace benchd
