#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "client/app/exit_code.h"
#include "client/git/process.h"

namespace benchd::client {

/// git, as it is asked here: it runs none of the repository's hooks, monitors or filters, starts no
/// upkeep in the background, takes no lock that it can do without, and asks no questions.
///
/// A value: what to ask with.
class Git {
 public:
  /// @param cwd         where it runs; empty: here
  /// @param repository  its --git-dir; empty: the one that `cwd` lies in
  explicit Git(std::string cwd, std::string repository = "")
      : cwd_(std::move(cwd)), repository_(std::move(repository)) {}

  /// The same in another folder.
  Git At(std::string cwd) const;
  /// With that in its environment as well.
  Git With(std::string name, std::string value) const;

  /// Switches the filter drivers of the configuration off (LFS, git-crypt and the like): files are
  /// then read and written as they are stored.
  ///
  /// @errors as Run's
  Result<Git> WithoutFilters() const;
  /// The drivers that WithoutFilters switched off.
  const std::vector<std::string>& filters() const { return filters_; }

  /// Its end, whatever the exit code is.
  ///
  /// @errors (exit 2) git is not installed.
  Result<ProcessEnd> Run(std::vector<std::string> words, std::string input = "") const;

  /// Its output without the last newline.
  ///
  /// @errors Run's; an exit code that is not 0: "git WORD: what it said last".
  Result<std::string> Ask(std::vector<std::string> words, std::string input = "") const;

 private:
  std::string cwd_;
  std::string repository_;
  std::map<std::string, std::string> environment_;
  std::vector<std::string> filters_;
};

/// Why git failed, by what it wrote: its first "fatal:" or "error:" line without that word (those
/// behind it say what came of that), else its last line; "exit code N" where it was silent.
std::string WhatGitSaid(const ProcessEnd& end);

/// A folder of our own below TMPDIR, gone with this. Its path is empty where there can be none.
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
