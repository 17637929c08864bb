#include "client/ci/plan.h"

#include <gtest/gtest.h>

#include "client/app/command.h"
#include "tests/client/ci/ci_jobs.h"
#include "tests/client/golden.h"

namespace benchd::client {
namespace {

constexpr OptionInfo kOwn[] = {{"fail-on", 0, "V"}, {"results", 'o', "DIR"}, {"base", 0, "REF"}};

CiPlan PlanOf(const CiEnvironment& environment, const std::vector<std::string>& words) {
  const auto parsed = ParseArguments(words, AllOptions(*FindCommand("ci")));
  EXPECT_TRUE(parsed) << parsed.error().message;
  auto run = ReadCiRun(environment);
  EXPECT_TRUE(run) << run.error().message;
  if (const std::string* base = LastValue(*parsed, "base")) SetBase(&*run, *base);
  CiPlan plan{.run = *run,
              .fail_on = ReadFailOn(IsGiven(*parsed, "fail-on") ? *LastValue(*parsed, "fail-on")
                                                                : "regression"),
              .comment_name = "benchd",
              .files = CiFiles("benchd-ci"),
              .summary = environment.variable("GITHUB_STEP_SUMMARY"),
              .outputs = environment.variable("GITHUB_OUTPUT"),
              .compared = {},
              .command = {}};
  plan.compared = ComparedArguments(*parsed, kOwn, plan.run, plan.files);
  const std::vector<OptionInfo> known = AllOptions(*FindCommand("compare"));
  plan.command = ComparedCommand(plan.compared, known);
  plan.calibrate_seconds = 30;
  plan.calibration = CalibrationCommand(plan.compared, plan.calibrate_seconds, known);
  return plan;
}

TEST(CiPlanTest, EveryCiSystemRunsTheSameCommand) {
  const std::vector<std::string> command = {"--build", "make -s", "--max-time", "10m",
                                            "--",      "./bench", "--filter",   "a b"};
  std::string text;
  for (const CiEnvironment& environment :
       {EnvironmentOf(OfGithub("pull_request"),
                      GithubRequestEvent(R"({"full_name": "mallory/project"})")),
        EnvironmentOf(OfGithub("push"), GithubPushEvent(kBaseId, kHeadId)),
        EnvironmentOf(OfGitlabRequest("5")), EnvironmentOf(OfJenkinsRequest()),
        EnvironmentOf(OfBuildkite("41"))}) {
    text += RenderCiPlan(PlanOf(environment, command)) + "\n";
  }
  text += RenderCiPlan(PlanOf(
      EnvironmentOf({}), {"--base", "main@{yesterday}", "--fail-on", "never", "-f", "suite.toml"}));
  ExpectGolden("ci_plans.txt", text);
}

TEST(CiPlanTest, ValuesOfVariablesAreNotPrinted) {
  const CiPlan plan = PlanOf(EnvironmentOf(OfGitlabRequest("5")),
                             {"--env", "TOKEN=s3cret", "-n", "old", "-n", "new", "--", "./bench"});
  EXPECT_EQ(plan.command.find("s3cret"), std::string::npos) << plan.command;
  EXPECT_NE(plan.command.find("--env TOKEN=\"$TOKEN\""), std::string::npos) << plan.command;
  EXPECT_NE(plan.command.find(" --name old --name new "), std::string::npos) << plan.command;
  EXPECT_EQ(plan.command.find("--name base"), std::string::npos) << plan.command;
  const auto given = [&plan](const char* name) { return LastValue(plan.compared, name); };
  EXPECT_EQ(*given("env"), "TOKEN=s3cret") << "but they are used";
}

TEST(CiPlanTest, ACalibrationHasALabelATimeAndNoExports) {
  const CiPlan plan = PlanOf(
      EnvironmentOf(OfGitlabRequest("5")),
      {"--max-time", "10m", "--runs", "30", "--margin", "1%", "--label", "a=b", "--", "./bench"});
  EXPECT_EQ(plan.calibration.find("--export"), std::string::npos) << plan.calibration;
  EXPECT_EQ(plan.calibration.find("--runs"), std::string::npos) << plan.calibration;
  EXPECT_EQ(plan.calibration.find("10m"), std::string::npos) << plan.calibration;
  EXPECT_NE(plan.calibration.find(" --margin 1% --label a=b --label benchd-calibration=base "
                                  "--max-time 30s -- ./bench"),
            std::string::npos)
      << plan.calibration;
  const ParsedArguments calibrated = CalibratedArguments(plan.compared);
  EXPECT_EQ(*LastValue(calibrated, "max-time"), "10m") << "the limits of the comparison are read";
  EXPECT_EQ(*LastValue(calibrated, "runs"), "30");
  EXPECT_EQ(LastValue(calibrated, "export-json"), nullptr);
}

TEST(CiPlanTest, TheLineForProgramsHasTheSame) {
  google::protobuf::Timestamp now;
  now.set_seconds(1767323045);
  const Json line = Json::parse(
      CiPlanJson(PlanOf(EnvironmentOf(OfGithub("pull_request"),
                                      GithubRequestEvent(R"({"full_name": "mallory/project"})")),
                        {"--", "./bench"}),
                 now));
  EXPECT_EQ(line["event"], "ci");
  EXPECT_EQ(line["pull_request"], "17");
  EXPECT_EQ(line["fork"], true);
  EXPECT_EQ(line["base"], kBaseId);
  EXPECT_EQ(line["from_merge_base"], true);
  EXPECT_EQ(line["marker"], "<!-- benchd: benchd -->");
  EXPECT_EQ(line["fail_on"], "regression");
  EXPECT_NE(line["calibration"].get<std::string>().find("--max-time 30s"), std::string::npos);
}

}  // namespace
}  // namespace benchd::client
