#include "client/ci/ci_run.h"

#include <gtest/gtest.h>

#include "tests/client/ci/ci_jobs.h"
#include "tests/client/refusals.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

CiRun Read(const CiEnvironment& environment) {
  auto run = ReadCiRun(environment);
  EXPECT_TRUE(run) << run.error().message;
  return run ? *run : CiRun();
}

// "BASE..HEAD" and the event, which are what a job depends on.
std::string Found(const CiEnvironment& environment) {
  const CiRun run = Read(environment);
  return run.EventText() + ": " + (run.base.value.empty() ? run.base.source : run.Range());
}

std::string Range(const std::string& base, const std::string& dots, const std::string& head) {
  return base + dots + head;
}

TEST(CiRunTest, AGithubPullRequestIsComparedWithWhereItLeftItsTarget) {
  const std::string of_same = GithubRequestEvent(R"({"full_name": "octo/project"})");
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("pull_request"), of_same)),
            "pull request 17: " + Range(kBaseId, "...", kHeadId));
  const std::string of_fork = GithubRequestEvent(R"({"full_name": "mallory/project"})");
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("pull_request"), of_fork)),
            "pull request 17 from a fork: " + Range(kBaseId, "...", kHeadId));
  EXPECT_TRUE(Read(EnvironmentOf(OfGithub("pull_request"), GithubRequestEvent("null"))).fork)
      << "the fork was deleted";
}

TEST(CiRunTest, AGithubPushIsComparedWithTheCommitBefore) {
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("push"), GithubPushEvent(kBaseId, kHeadId))),
            "push: " + Range(kBaseId, "..", kHeadId));
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("push"), GithubPushEvent(kZeroId, kHeadId, "topic"))),
            "push: " + Range("origin/main", "...", kHeadId))
      << "a new branch";
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("push"), GithubPushEvent(kZeroId, kHeadId))),
            "push: " + Range(std::string(kHeadId) + "~1", "..", kHeadId))
      << "a new default branch";
}

TEST(CiRunTest, AGithubMergeQueueIsComparedWithItsBase) {
  const std::string event = R"({"merge_group": {"base_sha": ")" + std::string(kBaseId) +
                            R"(", "head_sha": ")" + kHeadId + R"("}})";
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("merge_group"), event)),
            "push: " + Range(kBaseId, "..", kHeadId));
}

TEST(CiRunTest, AManualStartOnGithubHasADefault) {
  const std::string event = R"({"repository": {"default_branch": "main"}})";
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("workflow_dispatch"), event)),
            "manual start: " + Range(std::string(kMergeId) + "~1", "..", kMergeId));
  Variables on_topic = OfGithub("workflow_dispatch");
  on_topic["GITHUB_REF_NAME"] = "topic";
  EXPECT_EQ(Found(EnvironmentOf(on_topic, event)),
            "manual start: " + Range("origin/main", "...", kMergeId));
}

TEST(CiRunTest, WhereNothingTellsTheBaseItHasToBeNamed) {
  EXPECT_EQ(Found(EnvironmentOf(OfGithub("schedule"), "{}")),
            "schedule: no variable names the commit to compare with (GITHUB_EVENT_NAME schedule)");
  EXPECT_EQ(
      Found(EnvironmentOf(OfGithub("release"), "{}")),
      "other event: no variable names the commit to compare with (GITHUB_EVENT_NAME release)");
  EXPECT_EQ(Found(EnvironmentOf(OfGitlab("schedule"))),
            "schedule: no variable names the commit to compare with (CI_PIPELINE_SOURCE schedule)");
  Variables buildkite = OfBuildkite("false");
  buildkite["BUILDKITE_SOURCE"] = "schedule";
  EXPECT_EQ(Found(EnvironmentOf(buildkite)),
            "schedule: no variable names the commit to compare with (BUILDKITE_SOURCE schedule)");
  EXPECT_EQ(Found(EnvironmentOf(OfJenkins())),
            "other event: no variable names the commit to compare with (no CHANGE_TARGET, no "
            "GIT_PREVIOUS_COMMIT)");
  EXPECT_EQ(
      Found(EnvironmentOf({})),
      "other event: no variable names the commit to compare with (no variable of a CI system)");
  Variables gitlab = OfGitlab("web");
  gitlab.erase("CI_DEFAULT_BRANCH");
  EXPECT_EQ(Found(EnvironmentOf(gitlab)), "manual start: CI_DEFAULT_BRANCH is not set");
}

TEST(CiRunTest, TheUsersBaseIsTakenAsItIs) {
  CiRun run =
      Read(EnvironmentOf(OfGithub("pull_request"), GithubRequestEvent(R"({"full_name": "a/b"})")));
  SetBase(&run, "v1.2");
  EXPECT_EQ(run.Range(), Range("v1.2", "..", kHeadId));
  EXPECT_EQ(run.base.source, "--base");
}

TEST(CiRunTest, GitlabTellsTheBaseOfAMergeRequest) {
  EXPECT_EQ(Found(EnvironmentOf(OfGitlabRequest("5"))),
            "merge request 23: " + Range(kBaseId, "..", kHeadId));
  EXPECT_TRUE(Read(EnvironmentOf(OfGitlabRequest("6"))).fork);
  Variables merged = OfGitlabRequest("5");
  merged["CI_COMMIT_SHA"] = kMergeId;
  merged["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] = kHeadId;
  EXPECT_EQ(Read(EnvironmentOf(merged)).head.value, kHeadId) << "a pipeline for merged results";
}

TEST(CiRunTest, AGitlabPushIsComparedWithTheCommitBefore) {
  Variables variables = OfGitlab("push");
  EXPECT_EQ(Found(EnvironmentOf(variables)), "push: " + Range("origin/main", "...", kHeadId))
      << "a new branch";
  variables["CI_COMMIT_BEFORE_SHA"] = kBaseId;
  EXPECT_EQ(Found(EnvironmentOf(variables)), "push: " + Range(kBaseId, "..", kHeadId));
}

TEST(CiRunTest, JenkinsTellsTheTargetOfAChangeOrTheCommitBefore) {
  EXPECT_EQ(Found(EnvironmentOf(OfJenkinsRequest())),
            "pull request 31: " + Range("origin/main", "...", kHeadId));
  Variables of_fork = OfJenkinsRequest();
  of_fork["CHANGE_FORK"] = "mallory";
  EXPECT_TRUE(Read(EnvironmentOf(of_fork)).fork);
  Variables push = OfJenkins();
  push["GIT_PREVIOUS_COMMIT"] = kMergeId;
  EXPECT_EQ(Found(EnvironmentOf(push)), "push: " + Range(kMergeId, "..", kHeadId));
  push["GIT_PREVIOUS_SUCCESSFUL_COMMIT"] = kBaseId;
  EXPECT_EQ(Found(EnvironmentOf(push)), "push: " + Range(kBaseId, "..", kHeadId));
  push.erase("GIT_COMMIT");
  EXPECT_EQ(Read(EnvironmentOf(push)).head.value, "HEAD") << "a scripted pipeline";
}

TEST(CiRunTest, BuildkiteTellsTheTargetOfAPullRequest) {
  EXPECT_EQ(Found(EnvironmentOf(OfBuildkite("41"))),
            "pull request 41: " + Range("origin/main", "...", kHeadId));
  Variables of_fork = OfBuildkite("41");
  of_fork["BUILDKITE_PULL_REQUEST_REPO"] = "git://github.com/mallory/project.git";
  EXPECT_TRUE(Read(EnvironmentOf(of_fork)).fork);
  EXPECT_EQ(Found(EnvironmentOf(OfBuildkite("false"))),
            "push: " + Range(std::string(kHeadId) + "~1", "..", kHeadId));
}

TEST(CiRunTest, CommitsAreLinkedWhereTheVariablesTellTheirPage) {
  EXPECT_EQ(Read(EnvironmentOf(OfGithub("schedule"), "{}")).commits,
            "https://github.com/octo/project/commit/");
  EXPECT_EQ(Read(EnvironmentOf(OfGitlabRequest("5"))).commits,
            "https://gitlab.example/team/project/-/commit/");
  EXPECT_EQ(Read(EnvironmentOf(OfBuildkite("41"))).commits,
            "https://github.com/octo/project/commit/");
  EXPECT_EQ(Read(EnvironmentOf(OfJenkins())).commits, "https://git.example/team/project/commit/")
      << "without the password";
  EXPECT_EQ(Read(EnvironmentOf({})).commits, "");
}

TEST(CiRunTest, ThePageOfARepositoryIsFoundInItsAddress) {
  EXPECT_EQ(RepositoryPage("git@host:team/project.git"), "https://host/team/project");
  EXPECT_EQ(RepositoryPage("ssh://git@host:2222/team/project"), "https://host/team/project");
  EXPECT_EQ(RepositoryPage("http://host:8080/team/project/"), "http://host:8080/team/project");
  for (const char* other : {"", "/srv/project.git", "file:///srv/project", "https://",
                            "https://host/a) [x](y", "git@host"}) {
    EXPECT_EQ(RepositoryPage(other), "") << other;
  }
}

TEST(CiRunTest, WhatCannotBeReadIsNamed) {
  const auto refused = [](const CiEnvironment& environment) {
    const auto run = ReadCiRun(environment);
    EXPECT_FALSE(run);
    if (run) return std::string();
    EXPECT_EQ(ExitFor(run.error()), ExitCode::kUsage);
    return run.error().message + "\n" + run.error().hint;
  };
  EXPECT_WORDING(refused(EnvironmentOf(OfGithub("push"))));
  EXPECT_WORDING(refused(EnvironmentOf(OfGithub("push"), "[")));
  EXPECT_WORDING(refused(EnvironmentOf(OfGithub("push"), "{}")));
  EXPECT_WORDING(refused(EnvironmentOf(OfGithub("push"), R"({"after": {"a": 1}})")));
  EXPECT_WORDING(
      refused(EnvironmentOf(OfGithub("push"), GithubPushEvent(kBaseId, kZeroId, "topic"))));
  EXPECT_WORDING(
      refused(EnvironmentOf(OfGithub("push"), GithubPushEvent("--upload-pack=x", kHeadId))));
  EXPECT_WORDING(refused(EnvironmentOf(OfGithub("pull_request_target"),
                                       GithubRequestEvent(R"({"full_name": "mallory/p"})"))));
  Variables no_commit = OfGitlab("push");
  no_commit.erase("CI_COMMIT_SHA");
  EXPECT_WORDING(refused(EnvironmentOf(no_commit)));
}

}  // namespace
}  // namespace benchd::client
