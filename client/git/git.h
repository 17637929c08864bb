#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "client/app/exit_code.h"
#include "client/git/process.h"

namespace benchd::client {

/// Runs git without hooks, file monitors, background maintenance, optional locks or prompts.
///
/// A value type that holds the working directory, the repository and the environment.
class Git {
 public:
  /// @param cwd         working directory of git; empty: that of this process
  /// @param repository  --git-dir; empty: the repository that contains `cwd`
  explicit Git(std::string cwd, std::string repository = "")
      : cwd_(std::move(cwd)), repository_(std::move(repository)) {}

  /// Returns a copy with another working directory.
  Git At(std::string cwd) const;
  /// Returns a copy with one more environment variable.
  Git With(std::string name, std::string value) const;

  /// Returns a copy with the configured filter drivers (LFS, git-crypt and so on) switched off, so
  /// that files are read and written as they are stored.
  ///
  /// @errors the errors of Run
  Result<Git> WithoutFilters() const;
  /// Returns the drivers that WithoutFilters switched off.
  const std::vector<std::string>& filters() const { return filters_; }

  /// Runs git and returns its exit code, whatever it is, and its output.
  ///
  /// @errors (exit 2) git is not installed.
  Result<ProcessEnd> Run(std::vector<std::string> words, std::string input = "") const;

  /// Runs git and returns its output without the last newline.
  ///
  /// @errors the errors of Run; an exit code other than 0: "git WORD: REASON", by WhatGitSaid().
  Result<std::string> Ask(std::vector<std::string> words, std::string input = "") const;

 private:
  std::string cwd_;
  std::string repository_;
  std::map<std::string, std::string> environment_;
  std::vector<std::string> filters_;
};

/// Returns why git failed: its first "fatal:" or "error:" line without that word (later ones report
/// the consequences), else its last line, else "exit code N".
std::string WhatGitSaid(const ProcessEnd& end);

/// A new folder below TMPDIR, which the destructor deletes. The path is empty if the folder could
/// not be created.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    std::string pattern =
        (std::filesystem::temp_directory_path(error) / "benchctl-XXXXXX").string();
    if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace benchd::client
