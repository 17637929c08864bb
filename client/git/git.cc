#include "client/git/git.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "client/present/text.h"
#include "core/base/try.h"

namespace benchd::client {
namespace {

constexpr std::array kSettings = {"core.hooksPath=/dev/null", "core.fsmonitor=false",
                                  "submodule.recurse=false",  "gc.auto=0",
                                  "maintenance.auto=false",   "core.logAllRefUpdates=false",
                                  "core.safecrlf=false",      "advice.addEmbeddedRepo=false"};

// Disables prompts and the optional locks of the user's index, which only speed up later commands.
const std::map<std::string, std::string>& QuietEnvironment() {
  static const std::map<std::string, std::string> environment = {{"GIT_TERMINAL_PROMPT", "0"},
                                                                 {"GIT_OPTIONAL_LOCKS", "0"},
                                                                 {"GIT_ASKPASS", "/bin/false"},
                                                                 {"SSH_ASKPASS", "/bin/false"},
                                                                 {"GCM_INTERACTIVE", "never"}};
  return environment;
}

}  // namespace

Git Git::At(std::string cwd) const {
  Git git = *this;
  git.cwd_ = std::move(cwd);
  return git;
}

Git Git::With(std::string name, std::string value) const {
  Git git = *this;
  git.environment_[std::move(name)] = std::move(value);
  return git;
}

Result<Git> Git::WithoutFilters() const {
  TRY(auto listed,
      Run({"config", "--name-only", "--get-regexp", "^filter\\..*\\.(smudge|clean|process)$"}));
  Git git = *this;
  for (const std::string& name : Lines(listed.out)) {
    // filter.NAME.smudge, where NAME may contain dots.
    const std::size_t begin = name.find('.') + 1;
    const std::string driver = name.substr(begin, name.rfind('.') - begin);
    if (std::ranges::find(git.filters_, driver) == git.filters_.end()) {
      git.filters_.push_back(driver);
    }
  }
  return git;
}

Result<ProcessEnd> Git::Run(std::vector<std::string> words, std::string input) const {
  ProcessOrder order;
  order.words = {"git", "--no-pager"};
  for (const char* setting : kSettings) order.words.insert(order.words.end(), {"-c", setting});
  for (const std::string& driver : filters_) {
    for (const char* setting : {".smudge=", ".clean=", ".process=", ".required=false"}) {
      order.words.insert(order.words.end(), {"-c", "filter." + driver + setting});
    }
  }
  if (!repository_.empty()) order.words.push_back("--git-dir=" + repository_);
  order.words.insert(order.words.end(), words.begin(), words.end());
  order.cwd = cwd_;
  order.environment = QuietEnvironment();
  for (const auto& [name, value] : environment_) order.environment[name] = value;
  order.input = std::move(input);
  auto end = RunProcess(order);
  if (!end) end.error().hint = "install git, for example: apt install git";
  return end;
}

Result<std::string> Git::Ask(std::vector<std::string> words, std::string input) const {
  const std::string what = "git " + words.front();
  TRY(auto end, Run(std::move(words), std::move(input)));
  if (end.code != 0) return UsageError(what + ": " + WhatGitSaid(end));
  if (end.out.ends_with('\n')) end.out.pop_back();
  return std::move(end.out);
}

std::string WhatGitSaid(const ProcessEnd& end) {
  std::string last;
  for (const std::string& line : Lines(end.err)) {
    if (line.empty()) continue;
    last = line;
    for (const std::string_view mark : {"fatal: ", "error: "}) {
      if (line.starts_with(mark)) return line.substr(mark.size());
    }
  }
  return last.empty() ? fmt::format("exit code {}", end.code) : last;
}

}  // namespace benchd::client
