#pragma once

#include <map>
#include <string>

#include "client/app/exit_code.h"
#include "client/ci/ci_run.h"

namespace benchd::client {

// Jobs as the CI systems document their variables. The event files have the documented fields that
// are read, and are otherwise shortened.

inline constexpr char kBaseId[] = "1111111111111111111111111111111111111111";
inline constexpr char kHeadId[] = "2222222222222222222222222222222222222222";
inline constexpr char kZeroId[] = "0000000000000000000000000000000000000000";
inline constexpr char kMergeId[] = "3333333333333333333333333333333333333333";

using Variables = std::map<std::string, std::string>;

/// A CiEnvironment with these variables and one file, /event.json.
inline CiEnvironment EnvironmentOf(Variables variables, std::string event = "") {
  return {.variable = [variables](const char* name) -> std::string {
            const auto found = variables.find(name);
            return found == variables.end() ? "" : found->second;
          },
          .file = [event](const std::string& path) -> Result<std::string> {
            if (path == "/event.json" && !event.empty()) return event;
            return UsageError(path + ": No such file or directory");
          }};
}

inline Variables OfGithub(const std::string& event) {
  return {{"GITHUB_ACTIONS", "true"},
          {"GITHUB_EVENT_NAME", event},
          {"GITHUB_EVENT_PATH", "/event.json"},
          {"GITHUB_SHA", kMergeId},
          {"GITHUB_REF_NAME", event == "pull_request" ? "17/merge" : "main"},
          {"GITHUB_SERVER_URL", "https://github.com"},
          {"GITHUB_REPOSITORY", "octo/project"},
          {"GITHUB_RUN_ID", "987"},
          {"GITHUB_STEP_SUMMARY", "/runner/summary"},
          {"GITHUB_OUTPUT", "/runner/output"}};
}

inline std::string GithubRequestEvent(const std::string& head_repository) {
  return R"({"action": "synchronize", "number": 17, "pull_request": {"number": 17,
             "base": {"ref": "main", "sha": ")" +
         std::string(kBaseId) + R"(", "repo": {"full_name": "octo/project"}},
             "head": {"ref": "topic", "sha": ")" +
         kHeadId + R"(", "repo": )" + head_repository + R"(}},
             "repository": {"full_name": "octo/project", "default_branch": "main"}})";
}

inline std::string GithubPushEvent(const std::string& before, const std::string& after,
                                   const std::string& branch = "main") {
  return R"({"ref": "refs/heads/)" + branch + R"(", "before": ")" + before + R"(", "after": ")" +
         after + R"(", "created": false, "deleted": false, "forced": false,
             "repository": {"full_name": "octo/project", "default_branch": "main"}})";
}

inline Variables OfGitlab(const std::string& source) {
  return {{"GITLAB_CI", "true"},
          {"CI_PIPELINE_SOURCE", source},
          {"CI_COMMIT_SHA", kHeadId},
          {"CI_COMMIT_BEFORE_SHA", kZeroId},
          {"CI_COMMIT_BRANCH", source == "merge_request_event" ? "" : "topic"},
          {"CI_DEFAULT_BRANCH", "main"},
          {"CI_PROJECT_ID", "5"},
          {"CI_PROJECT_URL", "https://gitlab.example/team/project"},
          {"CI_JOB_URL", "https://gitlab.example/team/project/-/jobs/9"}};
}

inline Variables OfGitlabRequest(const std::string& source_project) {
  Variables variables = OfGitlab("merge_request_event");
  variables["CI_MERGE_REQUEST_IID"] = "23";
  variables["CI_MERGE_REQUEST_PROJECT_ID"] = "5";
  variables["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"] = source_project;
  variables["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = kBaseId;
  return variables;
}

inline Variables OfJenkins() {
  return {{"JENKINS_URL", "https://jenkins.example/"},
          {"BUILD_URL", "https://jenkins.example/job/project/12/"},
          {"GIT_COMMIT", kHeadId},
          {"GIT_URL", "https://user:secret@git.example/team/project.git"}};
}

inline Variables OfJenkinsRequest() {
  Variables variables = OfJenkins();
  variables["CHANGE_ID"] = "31";
  variables["CHANGE_TARGET"] = "main";
  return variables;
}

inline Variables OfBuildkite(const std::string& request) {
  return {{"BUILDKITE", "true"},
          {"BUILDKITE_SOURCE", "webhook"},
          {"BUILDKITE_COMMIT", kHeadId},
          {"BUILDKITE_BRANCH", "main"},
          {"BUILDKITE_PIPELINE_DEFAULT_BRANCH", "main"},
          {"BUILDKITE_REPO", "git@github.com:octo/project.git"},
          {"BUILDKITE_BUILD_URL", "https://buildkite.com/octo/project/builds/7"},
          {"BUILDKITE_PULL_REQUEST", request},
          {"BUILDKITE_PULL_REQUEST_BASE_BRANCH", request == "false" ? "" : "main"},
          {"BUILDKITE_PULL_REQUEST_REPO",
           request == "false" ? "" : "git://github.com/octo/project.git"}};
}

}  // namespace benchd::client
