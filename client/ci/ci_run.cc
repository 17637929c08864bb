#include "client/ci/ci_run.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "client/app/exit_code.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

using EventJson = nlohmann::json;

// git and the CI systems write this ID for a commit that does not exist.
bool IsNoCommit(std::string_view id) {
  return !id.empty() && id.find_first_not_of('0') == std::string_view::npos;
}

std::string WithoutPrefix(const std::string& text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// Sets the common ancestor with a branch of the server as the base.
void SetBranchBase(CiRun* run, const std::string& branch, const std::string& source) {
  run->base = {"origin/" + branch, source};
  run->from_merge_base = true;
}

// Sets the base of a job whose variables do not name an earlier commit: the common ancestor with
// the default branch, or the parent of the head on that branch.
void SetDefaultBase(CiRun* run, const std::string& branch, const Sourced& default_branch) {
  if (default_branch.value.empty()) {
    run->base = {"", default_branch.source + " is not set"};
  } else if (branch != default_branch.value) {
    SetBranchBase(run, default_branch.value, default_branch.source);
  } else {
    run->base = {run->head.value + "~1", "the parent of the head"};
  }
}

void SetNoBase(CiRun* run) {
  run->base = {"", "no variable names the commit to compare with (" + run->event_source + ")"};
}

// ---- GitHub Actions ----

constexpr char kEventPath[] = "GITHUB_EVENT_PATH";

// Returns the value at a path of keys, or null.
const EventJson& At(const EventJson& json, std::string_view path) {
  static const EventJson kNull;
  const EventJson* at = &json;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string key(path.substr(0, dot));
    if (!at->is_object() || !at->contains(key)) return kNull;
    at = &at->at(key);
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *at;
}

std::string TextAt(const EventJson& json, std::string_view path) {
  const EventJson& at = At(json, path);
  return at.is_string() ? at.get<std::string>() : "";
}

Result<Sourced> CommitAt(const EventJson& json, const std::string& path) {
  const std::string id = TextAt(json, path);
  if (!IsCommitId(id)) {
    return UsageError(std::string(kEventPath) + ": " + path + ": not a commit",
                      "GitHub Actions writes the file of this variable; in a container, pass the "
                      "variable and mount the file");
  }
  return Sourced{id, path + " in " + kEventPath};
}

Sourced DefaultBranchOf(const EventJson& json) {
  const std::string path = "repository.default_branch";
  return {TextAt(json, path), path + " in " + kEventPath};
}

Result<EventJson> ReadEvent(const CiEnvironment& environment) {
  const std::string path = environment.variable(kEventPath);
  if (path.empty()) return EventJson::object();
  auto text = environment.file(path);
  if (!text) return std::move(text).error().Within(kEventPath);
  EventJson json = EventJson::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return UsageError(std::string(kEventPath) + ": " + path + ": not JSON");
  return json;
}

Result<void> ReadGithubRequest(const EventJson& event, bool with_rights, CiRun* run) {
  run->event = CiEvent::kPullRequest;
  const EventJson& number = At(event, "pull_request.number");
  if (number.is_number_unsigned()) run->number = std::to_string(number.get<std::uint64_t>());
  // The head's repository is null if somebody has deleted it.
  run->fork = TextAt(event, "pull_request.head.repo.full_name") !=
              TextAt(event, "pull_request.base.repo.full_name");
  if (run->fork && with_rights) {
    return UsageError(
        "pull_request_target: would run a stranger's code with the rights of this repository",
        "start the workflow on pull_request, and comment from a second one: docs/ci.md");
  }
  TRY(run->base, CommitAt(event, "pull_request.base.sha"));
  TRY(run->head, CommitAt(event, "pull_request.head.sha"));
  run->from_merge_base = true;
  return {};
}

Result<void> ReadGithubPush(const EventJson& event, CiRun* run) {
  run->event = CiEvent::kPush;
  const std::string ref = TextAt(event, "ref");
  if (IsNoCommit(TextAt(event, "after"))) {
    return UsageError("push: " + ref + " was deleted: nothing to measure");
  }
  TRY(run->head, CommitAt(event, "after"));
  TRY(run->base, CommitAt(event, "before"));
  if (!IsNoCommit(run->base.value)) return {};
  SetDefaultBase(run, WithoutPrefix(ref, "refs/heads/"), DefaultBranchOf(event));
  return {};
}

Result<void> ReadGithubQueue(const EventJson& event, CiRun* run) {
  run->event = CiEvent::kPush;
  TRY(run->base, CommitAt(event, "merge_group.base_sha"));
  TRY(run->head, CommitAt(event, "merge_group.head_sha"));
  return {};
}

Result<void> ReadGithub(const CiEnvironment& environment, CiRun* run) {
  const auto& variable = environment.variable;
  const std::string name = variable("GITHUB_EVENT_NAME");
  run->event_source = "GITHUB_EVENT_NAME " + name;
  run->head = {variable("GITHUB_SHA"), "GITHUB_SHA"};
  const std::string page = variable("GITHUB_SERVER_URL") + "/" + variable("GITHUB_REPOSITORY");
  if (!RepositoryPage(page).empty()) {
    run->commits = page + "/commit/";
    const std::string id = variable("GITHUB_RUN_ID");
    if (!id.empty()) run->job = page + "/actions/runs/" + id;
  }
  TRY(const EventJson event, ReadEvent(environment));
  if (name == "pull_request" || name == "pull_request_target") {
    return ReadGithubRequest(event, name == "pull_request_target", run);
  }
  if (name == "push") return ReadGithubPush(event, run);
  if (name == "merge_group") return ReadGithubQueue(event, run);
  if (name == "workflow_dispatch" || name == "repository_dispatch") {
    run->event = CiEvent::kManual;
    SetDefaultBase(run, variable("GITHUB_REF_NAME"), DefaultBranchOf(event));
    return {};
  }
  if (name == "schedule") run->event = CiEvent::kSchedule;
  SetNoBase(run);
  return {};
}

// ---- GitLab CI/CD ----

Result<void> ReadGitlab(const CiEnvironment& environment, CiRun* run) {
  const auto& variable = environment.variable;
  const std::string source = variable("CI_PIPELINE_SOURCE");
  run->event_source = "CI_PIPELINE_SOURCE " + source;
  run->head = {variable("CI_COMMIT_SHA"), "CI_COMMIT_SHA"};
  const std::string page = variable("CI_PROJECT_URL");
  if (!RepositoryPage(page).empty()) run->commits = page + "/-/commit/";
  run->job = RepositoryPage(variable("CI_JOB_URL"));
  if (source == "merge_request_event") {
    run->event = CiEvent::kPullRequest;
    run->number = variable("CI_MERGE_REQUEST_IID");
    run->fork =
        variable("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != variable("CI_MERGE_REQUEST_PROJECT_ID");
    // A pipeline for merged results has a merge commit; this is then the head of the source branch.
    const char* const of_branch = "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA";
    if (!variable(of_branch).empty()) run->head = {variable(of_branch), of_branch};
    const char* const base = "CI_MERGE_REQUEST_DIFF_BASE_SHA";
    run->base = {variable(base), variable(base).empty() ? std::string(base) + " is not set" : base};
    return {};
  }
  const std::string before = variable("CI_COMMIT_BEFORE_SHA");
  if (source == "push" && !before.empty() && !IsNoCommit(before)) {
    run->event = CiEvent::kPush;
    run->base = {before, "CI_COMMIT_BEFORE_SHA"};
    return {};
  }
  if (source == "schedule") {
    run->event = CiEvent::kSchedule;
    SetNoBase(run);
    return {};
  }
  run->event = source == "push" ? CiEvent::kPush : CiEvent::kManual;
  SetDefaultBase(run, variable("CI_COMMIT_BRANCH"),
                 {variable("CI_DEFAULT_BRANCH"), "CI_DEFAULT_BRANCH"});
  return {};
}

// ---- Jenkins ----

Result<void> ReadJenkins(const CiEnvironment& environment, CiRun* run) {
  const auto& variable = environment.variable;
  // A scripted pipeline has no GIT_COMMIT, but it is in the checkout.
  const std::string commit = variable("GIT_COMMIT");
  run->head = commit.empty() ? Sourced{"HEAD", "the checkout"} : Sourced{commit, "GIT_COMMIT"};
  const std::string page = RepositoryPage(variable("GIT_URL"));
  if (!page.empty()) run->commits = page + "/commit/";
  run->job = RepositoryPage(variable("BUILD_URL"));
  const std::string target = variable("CHANGE_TARGET");
  if (!target.empty()) {
    run->event = CiEvent::kPullRequest;
    run->event_source = "CHANGE_TARGET";
    run->number = variable("CHANGE_ID");
    run->fork = !variable("CHANGE_FORK").empty();
    SetBranchBase(run, target, "CHANGE_TARGET");
    return {};
  }
  for (const char* before : {"GIT_PREVIOUS_SUCCESSFUL_COMMIT", "GIT_PREVIOUS_COMMIT"}) {
    if (variable(before).empty()) continue;
    run->event = CiEvent::kPush;
    run->event_source = before;
    run->base = {variable(before), before};
    return {};
  }
  run->event_source = "no CHANGE_TARGET, no GIT_PREVIOUS_COMMIT";
  SetNoBase(run);
  return {};
}

// ---- Buildkite ----

Result<void> ReadBuildkite(const CiEnvironment& environment, CiRun* run) {
  const auto& variable = environment.variable;
  const std::string source = variable("BUILDKITE_SOURCE");
  run->event_source = "BUILDKITE_SOURCE " + source;
  run->head = {variable("BUILDKITE_COMMIT"), "BUILDKITE_COMMIT"};
  const std::string page = RepositoryPage(variable("BUILDKITE_REPO"));
  if (!page.empty()) run->commits = page + "/commit/";
  run->job = RepositoryPage(variable("BUILDKITE_BUILD_URL"));
  const std::string number = variable("BUILDKITE_PULL_REQUEST");
  if (!number.empty() && number != "false") {
    run->event = CiEvent::kPullRequest;
    run->event_source = "BUILDKITE_PULL_REQUEST";
    run->number = number;
    const std::string of_request = RepositoryPage(variable("BUILDKITE_PULL_REQUEST_REPO"));
    run->fork = !of_request.empty() && of_request != page;
    SetBranchBase(run, variable("BUILDKITE_PULL_REQUEST_BASE_BRANCH"),
                  "BUILDKITE_PULL_REQUEST_BASE_BRANCH");
    return {};
  }
  if (source == "schedule") {
    run->event = CiEvent::kSchedule;
    SetNoBase(run);
    return {};
  }
  run->event = source == "webhook" ? CiEvent::kPush : CiEvent::kManual;
  SetDefaultBase(
      run, variable("BUILDKITE_BRANCH"),
      {variable("BUILDKITE_PIPELINE_DEFAULT_BRANCH"), "BUILDKITE_PIPELINE_DEFAULT_BRANCH"});
  return {};
}

// ---- plain git ----

Result<void> ReadPlain(const CiEnvironment& /*environment*/, CiRun* run) {
  run->event_source = "no variable of a CI system";
  run->head = {"HEAD", "the checkout"};
  SetNoBase(run);
  return {};
}

// One row a CI system. The first whose variable is set runs this job; the last one has none.
struct CiSystem {
  const char* variable;
  std::string_view name;
  std::string_view request;  // what it calls a pull request
  std::string_view deepen;
  Result<void> (*read)(const CiEnvironment& environment, CiRun* run);
};

constexpr std::array kSystems = {
    CiSystem{"GITHUB_ACTIONS", "GitHub Actions", "pull request",
             "give actions/checkout fetch-depth: 0", ReadGithub},
    CiSystem{"GITLAB_CI", "GitLab CI/CD", "merge request", "set the variable GIT_DEPTH: \"0\"",
             ReadGitlab},
    CiSystem{"BUILDKITE", "Buildkite", "pull request",
             "leave --depth out of BUILDKITE_GIT_CLONE_FLAGS", ReadBuildkite},
    CiSystem{"JENKINS_URL", "Jenkins", "pull request",
             "turn off the shallow clone of the Git plugin", ReadJenkins},
    CiSystem{nullptr, "plain git", "pull request", "run git fetch --unshallow", ReadPlain}};

}  // namespace

std::string CiRun::EventText() const {
  std::string text(event == CiEvent::kPullRequest ? request : NameOf(event));
  if (!number.empty()) text += " " + number;
  return text + (fork ? " from a fork" : "");
}

Result<CiRun> ReadCiRun(const CiEnvironment& environment) {
  const auto system = std::ranges::find_if(kSystems, [&environment](const CiSystem& one) {
    return one.variable == nullptr || !environment.variable(one.variable).empty();
  });
  CiRun run;
  run.system = system->name;
  run.request = system->request;
  run.deepen = system->deepen;
  TRY_VOID(system->read(environment, &run));
  if (run.head.value.empty()) {
    return UsageError(run.head.source + ": not set", "run benchctl ci inside of the job");
  }
  return run;
}

void SetBase(CiRun* run, const std::string& revision) {
  run->base = {revision, "--base"};
  run->from_merge_base = false;
}

std::string RepositoryPage(std::string_view address) {
  std::string_view rest = address;
  std::string scheme = "https://";
  bool with_port = true;
  if (rest.starts_with("git@") && rest.find("://") == std::string_view::npos) {
    rest.remove_prefix(4);  // git@host:team/project.git
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return "";
    return RepositoryPage("https://" + std::string(rest.substr(0, colon)) + "/" +
                          std::string(rest.substr(colon + 1)));
  }
  const std::size_t end = rest.find("://");
  if (end == std::string_view::npos) return "";
  const std::string_view given = rest.substr(0, end);
  if (given == "http") {
    scheme = "http://";
  } else if (given == "ssh" || given == "git") {
    with_port = false;  // the port is that of another protocol
  } else if (given != "https") {
    return "";
  }
  rest.remove_prefix(end + 3);
  std::string_view host = rest.substr(0, rest.find('/'));
  rest.remove_prefix(host.size());
  host.remove_prefix(std::min(host.rfind('@') + 1, host.size()));
  if (!with_port) host = host.substr(0, host.find(':'));
  if (rest.ends_with(".git")) rest.remove_suffix(4);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  // Anything else could end the link and begin other markup.
  constexpr std::string_view kOfAddresses =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/%+";
  const std::string page = std::string(host) + std::string(rest);
  const bool plain = page.find_first_not_of(kOfAddresses) == std::string::npos;
  return host.empty() || !plain ? "" : scheme + page;
}

}  // namespace benchd::client
