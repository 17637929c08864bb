#pragma once

#include <filesystem>

#include "core/base/result.h"

/// The few things about files and folders that the parts of store/ share.
/// @errors all: the system call that failed, with the file's name.
namespace benchd::store {

/// Makes `folder` and what is missing above it, for this user alone, and checks that files can be
/// made in it.
Result<void> MakeFolder(const std::filesystem::path& folder);

/// Makes the file if it is not there (as an empty one) and keeps others from reading it. SQLite
/// would make it readable for all; its log and index files take on the file's mode.
Result<void> MakePrivateFile(const std::filesystem::path& file);

/// Whether something of that name is there, be it a link to nowhere.
bool Exists(const std::filesystem::path& file);

/// Gives a file another name, in the same folder.
Result<void> Rename(const std::filesystem::path& from, const std::filesystem::path& to);

/// Puts a file's contents, or a folder's names, onto the disk.
Result<void> Sync(const std::filesystem::path& file_or_folder);

}  // namespace benchd::store
