#pragma once

#include <string>
#include <vector>

#include "core/model/warning.h"

namespace benchd::client {

/// Returns whether a file is a Git LFS pointer, a placeholder for content that was not fetched.
bool IsLfsPointer(const std::string& path);

/// Returns warnings about files that a built worktree still lacks: Git LFS pointers in place of
/// their content, and empty submodules. A program that reads them does not do the work that its
/// user expects to measure, so the verdict carries these warnings.
///
/// @param tree    the worktree's folder
/// @param commit  name of the commit in the messages
std::vector<Warning> FindMissingFiles(const std::string& tree, const std::string& commit);

}  // namespace benchd::client
