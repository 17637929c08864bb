#include "client/pool/slurm.h"

#include <gtest/gtest.h>

#include "client/commands/command_options.h"
#include "client/pool/pool_folder.h"
#include "tests/client/refusals.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

Result<PoolOrder> OrderOf(const std::vector<std::string>& words) {
  const std::vector<OptionInfo> known = WithEveryOption(CompareOptions(true));
  const auto arguments = ParseArguments(words, known);
  if (!arguments) return arguments.error();
  return ReadPoolOrder(*arguments, known);
}

TEST(PoolOrderTest, TasksGetEverythingButThePool) {
  const auto order =
      OrderOf({"--pool", "slurm:bench", "--machines=8", "--json", "-r", "30", "./old", "--shell",
               "--pool-folder", "/x", "-P", "n", "1", "9", "2", "./new -x"});
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_EQ(order->partition, "bench");
  EXPECT_EQ(order->machines, 8U);
  EXPECT_EQ(order->words, (std::vector<std::string>{"--runs=30", "--shell", "--parameter-scan", "n",
                                                    "1", "9", "2", "--", "./old", "./new -x"}));
}

TEST(PoolOrderTest, SaysWhatDoesNotFit) {
  EXPECT_TRUE(OrderOf({"--pool", "slurm", "--runs", "9", "a", "b"}));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--pool", "slurm", "a", "b"},
        {"--pool", "pbs", "a", "b"},
        {"--pool", "slurm:", "a", "b"},
        {"--pool", "slurm", "--machines", "0", "a", "b"}}) {
    ExpectRefused(OrderOf(words));
  }
  for (const char* option : {"--detach", "--bisect", "--host=ssh://x", "--export-csv=f"}) {
    ExpectRefused(OrderOf({"--pool", "slurm", "--runs", "9", option, "a", "b"}));
  }
}

TEST(BatchScriptTest, AsksForOneTaskAMachine) {
  const PoolOrder order{.partition = "bench",
                        .machines = 4,
                        .program = "/opt/it's/benchctl",
                        .folder = "/shared/benchd-pool-1",
                        .cwd = "/shared/a b",
                        .words = {"--runs=30", "--", "./old -x", "./new"}};
  EXPECT_EQ(BatchScript(order),
            "#!/bin/sh\n"
            "#SBATCH --job-name=benchd-pool-1\n"
            "#SBATCH --partition=bench\n"
            "#SBATCH --array=1-4\n"
            "#SBATCH --nodes=1\n"
            "#SBATCH --ntasks=1\n"
            "#SBATCH --exclusive\n"
            "#SBATCH --requeue\n"
            "#SBATCH --open-mode=append\n"
            "#SBATCH --signal=B:TERM@120\n"
            "#SBATCH --chdir=\"/shared/a b\"\n"
            "#SBATCH --output=\"/shared/benchd-pool-1/task-%a.log\"\n"
            "benchctl='/opt/it'\\''s/benchctl'\n"
            "[ -x \"$benchctl\" ] || benchctl=benchctl\n"
            "exec \"$benchctl\" pool-task -- /shared/benchd-pool-1 \"$SLURM_ARRAY_TASK_ID\" "
            "compare \\\n"
            "  --runs=30 -- './old -x' ./new\n");
}

// sbatch(1): a newline ends a line of the script, quotes and backslashes are interpreted, and % in
// a file name stands for a number.
TEST(BatchScriptTest, NothingThatSbatchWouldReadOtherwiseIsInALineOfIt) {
  for (const std::string mark : {"\n#SBATCH --uid=0\n", "\r", "\t", "\x1b", "\xC2\x85",
                                 "\xE2\x80\xA8", "\"", "'", "\\", "%j", "%"}) {
    ExpectRefused(OrderOf({"--pool", "slurm:x" + mark, "--runs", "9", "a", "b"}));
    ExpectRefused(CheckPoolFolders({.folder = "/shared/p", .cwd = "/shared/a" + mark}));
    const auto folder = CheckPoolFolders({.folder = "/x" + mark + "/p", .cwd = "/shared"});
    ASSERT_FALSE(folder) << mark;
    ExpectRefused(folder);
    EXPECT_NE(folder.error().hint.find("--pool-folder"), std::string::npos);
  }
  EXPECT_TRUE(CheckPoolFolders({.folder = "/shared/b-1", .cwd = "/shared/ä b #,;$(x)"}));
}

// A running and several pending tasks as printed by Slurm 22.05, and one of Slurm 23.11.
TEST(SqueueTest, CountsTheTasksOfItsJobs) {
  const auto view = ReadSqueue(R"({"jobs": [
    {"job_id": 3, "array_job_id": 2, "array_task_id": 1, "job_state": "RUNNING"},
    {"job_id": 2, "array_job_id": 2, "array_task_id": null, "job_state": "PENDING",
     "state_reason": "Resources"},
    {"job_id": 4, "array_job_id": 2, "array_task_id": 2, "job_state": "NODE_FAIL"},
    {"job_id": 9, "array_job_id": 0, "array_task_id": null, "job_state": "RUNNING"},
    {"job_id": {"set": true, "number": 7}, "array_job_id": {"set": true, "number": 6},
     "array_task_id": {"set": true, "number": 3}, "job_state": ["COMPLETING"]}]})",
                               {"2", "6"});
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->running, 2U) << "of 2 and 6, not 9";
  EXPECT_EQ(view->pending, 1U);
  EXPECT_EQ(view->reason, "Resources");
  EXPECT_EQ(view->ended, (std::map<int, std::string>{{2, "NODE_FAIL"}}));
}

TEST(SqueueTest, OtherTextIsAnError) {
  for (const char* text : {"", "JOBID PARTITION", "[]", "{}", R"({"jobs": 1})"}) {
    EXPECT_FALSE(ReadSqueue(text, {"1"})) << text;
  }
}

TEST(TaskStateTest, IsReadAsItWasWritten) {
  const TaskState state{.task = 3,
                        .node = "n3",
                        .kind = TaskState::Kind::kFailed,
                        .exit_code = 4,
                        .update = R"({"comparisons":[{"n_candidate":30,"change":{)"
                                  R"("estimate":0.003,"lo":-0.007,"hi":0.009}}]})"};
  const auto read = ReadTaskState(TaskStateText(state));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, state);
  EXPECT_WORDING(TaskLine(*read));
  EXPECT_WORDING(TaskLine({.task = 1, .node = "n1"}));
  EXPECT_FALSE(ReadTaskState("{}"));
  EXPECT_FALSE(ReadTaskState(""));
}

TEST(TaskExitTest, OnlyWhatTheMachineRefusedIsRequeued) {
  for (const int with_export : {0, 1, 3}) EXPECT_EQ(TaskExit(with_export, 0), 0);
  for (const int own : {2, 4, 6, 130, 137}) EXPECT_EQ(TaskExit(own, 0), own);
  EXPECT_EQ(TaskExit(5, 0), kTaskRequeue);
  EXPECT_EQ(TaskExit(5, kMostRestarts), 5) << "a site that requeues it would do so for ever";
}

TEST(PoolFolderTest, AMachineIsOneTasks) {
  const TempFolder parent;
  const auto folder = PoolFolder::Make(parent.path());
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_TRUE(folder->IsShared());
  EXPECT_TRUE(folder->Claim("n1", 1));
  EXPECT_FALSE(folder->Claim("n1", 2));
  EXPECT_TRUE(folder->Claim("n1", 1)) << "requeued onto the same machine";
  EXPECT_TRUE(folder->Claim("n2", 1)) << "requeued onto another";
  EXPECT_EQ(folder->ClaimedNodes(), std::vector<std::string>{"n2"});
  EXPECT_TRUE(folder->Claim("n1", 2)) << "it was not finished there";
  EXPECT_FALSE(folder->Claim("n1", 1));
  EXPECT_EQ(folder->ClaimedNodes(), std::vector<std::string>{"n1"}) << "n2 is free for its retry";
}

TEST(PoolFolderTest, OnlyAnExportThatWasTakenCounts) {
  const TempFolder parent;
  const auto folder = PoolFolder::Make(parent.path());
  ASSERT_TRUE(folder);
  EXPECT_FALSE(folder->TakeExport(1));
  parent.Put(folder->NewExport(1).substr(parent.path().size() + 1), "{}");
  EXPECT_FALSE(folder->HasExport(1));
  EXPECT_TRUE(folder->TakeExport(1));
  EXPECT_TRUE(folder->HasExport(1));
  const TaskState state{.task = 2, .node = "n2"};
  ASSERT_TRUE(folder->Write(state));
  EXPECT_EQ(folder->ReadStates(4), std::vector<TaskState>{state});
}

}  // namespace
}  // namespace benchd::client
