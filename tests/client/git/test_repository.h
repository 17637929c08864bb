#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temp_folder.h"

namespace benchd::client {

/// A real repository in `folder()`/"repo" with one commit (a.txt = "one"), without the git
/// configuration of this machine. The cache for worktrees is next to it.
class GitTest : public ::testing::Test {
 protected:
  GitTest();
  ~GitTest() override;

  /// Runs git in the repository and returns its output without the last newline.
  std::string Git(std::vector<std::string> words) const;
  /// Writes a file in the repository's worktree.
  void Write(const std::string& name, const std::string& content) const;
  std::string Read(const std::string& path) const;
  /// Commits all changes and returns the ID of the commit.
  std::string Commit(const std::string& message) const;

  std::string folder() const { return folder_.path(); }
  std::string repository() const { return folder_ / "repo"; }

 private:
  TempFolder folder_;
};

}  // namespace benchd::client
