#pragma once

#include <string>
#include <vector>

#include "core/model/warning.h"

namespace benchd::client {

/// Whether a file is a pointer of LFS, which stands for content that was not fetched.
bool IsLfsPointer(const std::string& path);

/// What a worktree that is built still lacks: files of LFS that are pointers to their content, and
/// submodules that are empty. A program that reads them measures something else than its user
/// thinks, so the verdict says it.
///
/// @param tree    the worktree's folder
/// @param commit  what it is called in the messages
std::vector<Warning> FindMissingFiles(const std::string& tree, const std::string& commit);

}  // namespace benchd::client
